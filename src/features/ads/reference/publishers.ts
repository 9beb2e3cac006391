import { Type } from '../../../base/json-schema.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { lookupOperation } from './lookup-operation.ts';

interface Publisher {
  readonly monetizable_country_codes: readonly string[];
  readonly promotion_eligible_country_codes: readonly string[];
  readonly username: string;
  readonly user_id: string;
  readonly monetization_restricted: boolean;
  readonly content_category_ids: readonly string[];
}

const texts = Type.Array(Type.String());

/**
 * Lists publishers: users with monetized videos next to which ads can run. This service hosts no videos, so there are
 * none.
 * @source campaigns 6.6; decision 150
 */
export const publisherList: Operation = lookupOperation<Publisher>({
  name: 'publishers',
  path: '/12/publishers',
  description: 'List users whose videos can carry ads.',
  group: 'publishers',
  rate: 'global_reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: Type.Closed({
    monetizable_country_codes: texts,
    promotion_eligible_country_codes: texts,
    username: Type.String(),
    user_id: Type.String(),
    monetization_restricted: Type.Boolean(),
    content_category_ids: texts,
  }),
  rows: () => [],
});
