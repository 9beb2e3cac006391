import Type from 'typebox';
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
 * What publishers are about. Their numbers are counted, never made up: no video has been monetized here.
 * @source advertising: Reference data; campaigns 6.2
 */
export const contentCategoryList: Operation = lookupOperation<IabGroup>({
  name: 'content_categories',
  path: '/12/content_categories',
  about: 'What publishers are about; each stands for a set of IAB categories.',
  group: 'content_categories',
  rate: 'global_reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: Type.Object(
    {
      ...group,
      publishers_in_last_thirty_days: Type.Integer(),
      videos_monetized_in_last_thirty_days: Type.Integer(),
    },
    { additionalProperties: false },
  ),
  rows: () => CONTENT_CATEGORIES,
  computedMembers: () => ({ publishers_in_last_thirty_days: 0, videos_monetized_in_last_thirty_days: 0 }),
});

/** What advertisers do, for PREROLL_VIEWS line items. @source advertising: Reference data; campaigns 6.3 */
export const advertiserBusinessCategoryList: Operation = lookupOperation<IabGroup>({
  name: 'advertiser_business_categories',
  path: '/12/advertiser_business_categories',
  about: 'What advertisers do: one or two are set on each PREROLL_VIEWS line item.',
  group: 'advertiser_business_categories',
  rate: 'global_reads',
  filters: {},
  example: {},
  paging: { is: 'whole' },
  row: Type.Object(group, { additionalProperties: false }),
  rows: () => ADVERTISER_BUSINESS_CATEGORIES,
});

/** The IAB taxonomy, version 1. @source advertising: Reference data; campaigns 6.4 */
export const iabCategoryList: Operation = lookupOperation<IabCategory>({
  name: 'iab_categories',
  path: '/12/iab_categories',
  about: 'The IAB content taxonomy, version 1: each category of the first tier, then its children.',
  group: 'iab_categories',
  rate: 'global_reads',
  filters: {},
  example: { count: '2', with_total_count: 'true' },
  paging: { ...DEFAULT_PAGING, hasTotalCount: true },
  row: Type.Object(
    { id: Type.String(), parent_id: Type.Union([Type.String(), Type.Null()]), name: Type.String() },
    { additionalProperties: false },
  ),
  rows: iabCategories,
});
