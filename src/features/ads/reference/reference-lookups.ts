import { Type } from '../../../base/json-schema.ts';
import { countryCode } from '../../../contract/declare/codes.ts';
import { itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { Answer, Operation } from '../../../contract/declare/operation.ts';
import { CAMPAIGN_READERS } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkId } from '../../../rows/keys.ts';
import { biddingRules } from './bidding-rules.ts';
import {
  ADVERTISER_BUSINESS_CATEGORIES,
  CONTENT_CATEGORIES,
  CURATED_CATEGORIES,
  type CuratedCategory,
  iabCategories,
} from './categories.ts';
import { DEFAULT_PAGING, lookupOperation } from './lookup-operation.ts';

const string = Type.String();
const strings = Type.Array(string);
const iabGroup = { id: string, name: string, iab_categories: strings };

const curatedCategory = Type.Closed({
  name: string,
  description: string,
  country_codes: strings,
  publisher_user_ids: strings,
  id: string,
  created_at: string,
  updated_at: string,
  videos_monetized_in_last_thirty_days: Type.Integer(),
});
/** `created_at` of all curated categories. @source decision 161 */
const CREATED_AT = '2026-01-01T00:00:00Z';
const EXAMPLE_ACCOUNT = 'gq4k2m';
const CURATED_PATH = '/12/accounts/:account_id/curated_categories';

/** Gets a curated category with all its countries. @source decision 161 */
const getCuratedCategory: Operation = {
  id: 'curated_categories.get',
  method: 'GET',
  path: `${CURATED_PATH}/:curated_category_id`,
  description: 'Get a curated category.',
  group: 'curated_categories',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {},
  body: 'form',
  shape: 'one',
  reply: curatedCategory,
  problems: ['ID_ILLEGAL', 'NOT_FOUND'],
  async perform({ path }) {
    const parameter = 'curated_category_id';
    const value = path[parameter]!;
    const kind = 'Curated category';
    checkId(value, parameter, kind);
    const found = CURATED_CATEGORIES.find(({ id }) => id === value);
    if (!found) throw problem('NOT_FOUND', { parameter, value, words: { kind } });
    return categoryAnswer(found);
  },
  example: {
    params: { account_id: EXAMPLE_ACCOUNT, curated_category_id: CURATED_CATEGORIES[0]!.id },
    answer: () => categoryAnswer(CURATED_CATEGORIES[0]!),
  },
};

/**
 * Operations of reference data other than targeting. Publishers and their counts are empty, because no videos are hosted
 * or monetized here.
 * @source advertising 3; campaigns 6; decision 149 and 150
 */
export const referenceOperations: readonly Operation[] = [
  biddingRules,
  lookupOperation({
    name: 'content_categories',
    description: 'List content categories of publishers; each groups IAB categories.',
    example: {},
    row: Type.Closed({
      ...iabGroup,
      publishers_in_last_thirty_days: Type.Integer(),
      videos_monetized_in_last_thirty_days: Type.Integer(),
    }),
    rows: () => CONTENT_CATEGORIES,
    computedMembers: () => ({ publishers_in_last_thirty_days: 0, videos_monetized_in_last_thirty_days: 0 }),
  }),
  lookupOperation({
    name: 'advertiser_business_categories',
    description: 'List advertiser business categories; PREROLL_VIEWS line items have one or two.',
    example: {},
    row: Type.Closed(iabGroup),
    rows: () => ADVERTISER_BUSINESS_CATEGORIES,
  }),
  lookupOperation({
    name: 'iab_categories',
    description: 'List the IAB content taxonomy, version 1; each first-tier category is followed by its children.',
    example: { count: '2', with_total_count: 'true' },
    paging: { ...DEFAULT_PAGING, hasTotalCount: true },
    row: Type.Closed({ id: string, parent_id: Type.Nullable(string), name: string }),
    rows: iabCategories,
  }),
  lookupOperation({
    name: 'curated_categories',
    path: CURATED_PATH,
    description: 'List the curated categories available in some countries.',
    groupDescription: 'Lists of publishers by topic.',
    rate: 'reads',
    roles: CAMPAIGN_READERS,
    filters: {
      country_codes: {
        field: listOf(countryCode(), { max: 200 })
          .required()
          .describe('Countries (ISO 3166-1 alpha-2); categories available in any of them are listed.'),
        matches: (category, countries) => matchingCountries(category, countries).length > 0,
      },
    },
    example: { account_id: EXAMPLE_ACCOUNT, country_codes: 'GB', count: '2' },
    paging: DEFAULT_PAGING,
    row: curatedCategory,
    rows: () => CURATED_CATEGORIES,
    computedMembers: (category, { country_codes }) => ({
      ...COMPUTED_MEMBERS,
      country_codes: matchingCountries(category, String(country_codes)),
    }),
  }),
  getCuratedCategory,
  lookupOperation({
    name: 'publishers',
    description: 'List users whose videos can carry ads.',
    example: {},
    row: Type.Closed({
      monetizable_country_codes: strings,
      promotion_eligible_country_codes: strings,
      username: string,
      user_id: string,
      monetization_restricted: Type.Boolean(),
      content_category_ids: strings,
    }),
    rows: () => [],
  }),
];

const COMPUTED_MEMBERS = {
  publisher_user_ids: [],
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  videos_monetized_in_last_thirty_days: 0,
};

function categoryAnswer(category: CuratedCategory): Answer {
  return { data: JSON.stringify({ ...category, ...COMPUTED_MEMBERS }, Object.keys(curatedCategory.properties)) };
}

/** Returns the requested countries in which a category is available. */
function matchingCountries({ country_codes }: CuratedCategory, requested: string): string[] {
  const wanted = itemsOf(requested);
  return country_codes.filter((country) => wanted.includes(country));
}
