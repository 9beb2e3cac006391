import { Type } from '../../../base/json-schema.ts';
import { oneOf } from '../../../contract/declare/fields.ts';
import type { Answer, Input, Operation } from '../../../contract/declare/operation.ts';
import { PLACEMENT_SETS, PLACEMENTS, PRODUCT_TYPES } from './placements.ts';

/** Lists the sets of placements allowed for each product type. @source campaigns 9.4 */
export const listPlacements: Operation = {
  id: 'line_items.placements',
  method: 'GET',
  path: '/12/line_items/placements',
  description: 'List the sets of placements allowed for each product type.',
  group: 'line_items',
  family: 'ads',
  rate: 'global_reads',
  parameters: { product_type: oneOf(...PRODUCT_TYPES).describe('Only this product type.') },
  body: 'form',
  shape: 'list',
  reply: Type.Array(
    Type.Closed({
      product_type: Type.Literals(PRODUCT_TYPES),
      placements: Type.Array(Type.Array(Type.Literals(PLACEMENTS))),
    }),
  ),
  problems: [],
  example: { params: { product_type: 'PROMOTED_ACCOUNT' }, answer },
  perform: async ({ input }) => answer(input),
};

function answer(input: Input): Answer {
  const types = PRODUCT_TYPES.filter((name) => (input.product_type ?? name) === name);
  return { data: JSON.stringify(types.map((name) => ({ product_type: name, placements: PLACEMENT_SETS[name] }))) };
}
