import { Type } from '../../../base/json-schema.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import {
  ADVERTISER_BUSINESS_CATEGORIES,
  CONTENT_CATEGORIES,
  type IabCategory,
  type IabGroup,
  iabCategories,
} from './categories.ts';
import { DEFAULT_PAGING, lookupOperation } from './lookup-operation.ts';

const group = { id: Type.String(), name: Type.String(), iab_categories: Type.Array(Type.String()) };

/**
 * Lists content categories of publishers. Counts are 0, because no videos are monetized here.
 * @source advertising 3; campaigns 6.2; decision 149
 */
export const contentCategoryList: Operation = lookupOperation<IabGroup>({
  name: 'content_categories',
  path: '/12/content_categories',
  description: 'List content categories of publishers; each groups IAB categories.',
  group: 'content_categories',
  rate: 'global_reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: Type.Closed({
    ...group,
    publishers_in_last_thirty_days: Type.Integer(),
    videos_monetized_in_last_thirty_days: Type.Integer(),
  }),
  rows: () => CONTENT_CATEGORIES,
  computedMembers: () => ({ publishers_in_last_thirty_days: 0, videos_monetized_in_last_thirty_days: 0 }),
});

/** Lists advertiser business categories. @source advertising 3; campaigns 6.3 */
export const advertiserBusinessCategoryList: Operation = lookupOperation<IabGroup>({
  name: 'advertiser_business_categories',
  path: '/12/advertiser_business_categories',
  description: 'List advertiser business categories; PREROLL_VIEWS line items have one or two.',
  group: 'advertiser_business_categories',
  rate: 'global_reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: Type.Closed(group),
  rows: () => ADVERTISER_BUSINESS_CATEGORIES,
});

/** Lists the IAB taxonomy, version 1. @source advertising 3; campaigns 6.4 */
export const iabCategoryList: Operation = lookupOperation<IabCategory>({
  name: 'iab_categories',
  path: '/12/iab_categories',
  description: 'List the IAB content taxonomy, version 1; each first-tier category is followed by its children.',
  group: 'iab_categories',
  rate: 'global_reads',
  filters: {},
  example: { count: '2', with_total_count: 'true' },
  paging: { ...DEFAULT_PAGING, hasTotalCount: true },
  row: Type.Closed({ id: Type.String(), parent_id: Type.Nullable(Type.String()), name: Type.String() }),
  rows: iabCategories,
});
