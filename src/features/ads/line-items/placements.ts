import { Type } from '../../../base/json-schema.ts';
import { type Field, field, itemsOf, listOf, oneOf } from '../../../contract/declare/fields.ts';
import type { Answer, Input, Operation } from '../../../contract/declare/operation.ts';
import { type Change, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { LineItem } from '../line-items.ts';

/** Placements of line items. */
export const PLACEMENTS = [
  'ALL_ON_SERVICE',
  'PUBLISHER_NETWORK',
  'SERVICE_PROFILE',
  'SERVICE_REPLIES',
  'SERVICE_SEARCH',
  'SERVICE_TIMELINE',
  'TAP_BANNER',
  'TAP_FULL',
  'TAP_FULL_LANDSCAPE',
  'TAP_MRECT',
  'TAP_NATIVE',
] as const;
type Placement = (typeof PLACEMENTS)[number];

/** Placements reserved for takeovers, which line items cannot have. */
const TAKEOVER_PLACEMENTS: readonly unknown[] = ['SPOTLIGHT', 'TREND'];

/** Allowed sets of placements by product type, in the order of replies. @source campaigns 9.4 */
const PLACEMENT_SETS = {
  PROMOTED_ACCOUNT: [['ALL_ON_SERVICE'], ['SERVICE_TIMELINE']],
  PROMOTED_POSTS: [
    ['ALL_ON_SERVICE'],
    ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK'],
    ['PUBLISHER_NETWORK'],
    ['PUBLISHER_NETWORK', 'SERVICE_TIMELINE'],
    ['SERVICE_SEARCH'],
    ['SERVICE_TIMELINE'],
    ['SERVICE_PROFILE', 'SERVICE_TIMELINE'],
    ['SERVICE_SEARCH', 'SERVICE_TIMELINE'],
    ['SERVICE_PROFILE', 'SERVICE_SEARCH'],
    ['SERVICE_PROFILE', 'SERVICE_SEARCH', 'SERVICE_TIMELINE'],
    ['SERVICE_REPLIES', 'SERVICE_TIMELINE'],
    ['SERVICE_REPLIES', 'SERVICE_PROFILE', 'SERVICE_SEARCH', 'SERVICE_TIMELINE'],
  ],
  MEDIA: [
    ['ALL_ON_SERVICE'],
    ['PUBLISHER_NETWORK'],
    ['TAP_BANNER'],
    ['TAP_FULL'],
    ['TAP_FULL_LANDSCAPE'],
    ['TAP_NATIVE'],
    ['TAP_MRECT'],
  ],
} as const satisfies Record<string, readonly (readonly Placement[])[]>;

/** A product type. */
export type ProductType = keyof typeof PLACEMENT_SETS;
/** Every product type, in the order of the reference. */
export const PRODUCT_TYPES = Object.keys(PLACEMENT_SETS) as ProductType[];

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

/** A list of placements. Takeover placements have their own error. */
export function placementList(): Field<string> {
  const { kind } = oneOf(...PLACEMENTS);
  const settable = field<string>({
    ...kind,
    problems: [...kind.problems, 'INVALID_PLACEMENT_TYPE'],
    read(raw, parameter) {
      if (TAKEOVER_PLACEMENTS.includes(raw))
        return { problem: 'INVALID_PLACEMENT_TYPE', parameter, words: { raw: String(raw) } };
      return kind.read(raw, parameter);
    },
  });
  return listOf(settable, { max: PLACEMENTS.length });
}

/** Sorts placements as in `PLACEMENT_SETS`; sets that are not allowed stay as they are. */
export function orderPlacements(productType: string | null, placements: string | null): string | null {
  const wanted = itemsOf(placements);
  const set = setsOf(productType).find((each) => sameItems(each, wanted));
  return set ? JSON.stringify(set) : placements;
}

/** Rule: the product type and the objective REACH allow the placements. */
export function placementsAreAllowed({ verb, after }: Change<LineItem>): readonly ErrorDetail[] {
  if (verb !== 'create') return [];
  const { product_type: type, objective } = after;
  const wanted = itemsOf(after.placements);
  const errors: ErrorDetail[] = [];
  if (!setsOf(type).some((each) => sameItems(each, wanted))) {
    const message = `Product type ${type} is not compatible with placements ${wanted.join(',')}`;
    errors.push(invalid('placements', message));
  }
  if (objective === 'REACH' && !wanted.some((each) => each === 'ALL_ON_SERVICE' || each === 'SERVICE_TIMELINE')) {
    const message =
      'Objective REACH is only compatible with placements that contain ALL_ON_SERVICE or SERVICE_TIMELINE';
    errors.push(invalid('placements', message));
  }
  return errors;
}

/** Tests whether placements include the publisher network. */
export function reachesPublisherNetwork(placements: string | null): boolean {
  return itemsOf(placements).includes('PUBLISHER_NETWORK');
}

function setsOf(productType: string | null): readonly (readonly string[])[] {
  return PLACEMENT_SETS[productType as ProductType];
}

function sameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each) => other.includes(each));
}
