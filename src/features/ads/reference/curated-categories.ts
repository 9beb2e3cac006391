import { Type } from '../../../base/json-schema.ts';
import { countryCode } from '../../../contract/declare/codes.ts';
import { isId, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { Answer, Input, Operation } from '../../../contract/declare/operation.ts';
import { CAMPAIGN_READERS } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { CURATED_CATEGORIES, type CuratedCategory } from './categories.ts';
import { DEFAULT_PAGING, lookupOperation } from './lookup-operation.ts';

/** `created_at` of all curated categories. @source decision 161 */
const CREATED_AT = '2026-01-01T00:00:00Z';

const row = Type.Closed({
  name: Type.String(),
  description: Type.String(),
  country_codes: Type.Array(Type.String()),
  publisher_user_ids: Type.Array(Type.String()),
  id: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  videos_monetized_in_last_thirty_days: Type.Integer(),
});

const EXAMPLE_ACCOUNT = 'gq4k2m';
const path = '/12/accounts/:account_id/curated_categories';
const group = 'curated_categories';

/** Lists curated categories by country. @source advertising 3; campaigns 6.5 */
export const curatedCategoryList: Operation = lookupOperation<CuratedCategory>({
  name: group,
  path,
  description: 'List the curated categories available in some countries.',
  group,
  groupDescription: 'Lists of publishers by topic.',
  rate: 'reads',
  roles: CAMPAIGN_READERS,
  filters: {
    country_codes: {
      field: listOf(countryCode(), { max: 200 })
        .required()
        .describe('Countries (ISO 3166-1 alpha-2); categories available in any of them are listed.'),
      matches: (category, countryCodes) => matchingCountries(category, countryCodes).length > 0,
    },
  },
  example: { account_id: EXAMPLE_ACCOUNT, country_codes: 'GB', count: '2' },
  paging: DEFAULT_PAGING,
  row,
  rows: () => CURATED_CATEGORIES,
  computedMembers: (category, input: Input) => ({
    ...computedMembers(category),
    country_codes: matchingCountries(category, input.country_codes),
  }),
});

/** Gets a curated category with all its countries. @source decision 161 */
export const getCuratedCategory: Operation = {
  id: 'curated_categories.get',
  method: 'GET',
  path: `${path}/:curated_category_id`,
  description: 'Get a curated category.',
  group,
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {},
  body: 'form',
  shape: 'one',
  reply: row,
  problems: ['ID_ILLEGAL', 'NOT_FOUND'],
  async perform(call) {
    const parameter = 'curated_category_id';
    const value = call.path[parameter]!;
    const words = { kind: 'Curated category' };
    if (!isId(value)) throw problem('ID_ILLEGAL', { parameter, value, words });
    const found = CURATED_CATEGORIES.find(({ id }) => id === value);
    if (!found) throw problem('NOT_FOUND', { parameter, value, words });
    return answer(found);
  },
  example: {
    params: { account_id: EXAMPLE_ACCOUNT, curated_category_id: CURATED_CATEGORIES[0]!.id },
    answer: () => answer(CURATED_CATEGORIES[0]!),
  },
};

function answer(category: CuratedCategory): Answer {
  return { data: JSON.stringify({ ...category, ...computedMembers(category) }, Object.keys(row.properties)) };
}

/** The requested countries in which a category is available. */
function matchingCountries({ country_codes }: CuratedCategory, countryCodes: unknown): string[] {
  const wanted = itemsOf(String(countryCodes));
  return country_codes.filter((country) => wanted.includes(country));
}

/** Computed members. Categories have no publishers, because no videos are hosted here. @source decision 149 and 150 */
function computedMembers({ country_codes }: CuratedCategory): object {
  return {
    country_codes,
    publisher_user_ids: [],
    created_at: CREATED_AT,
    updated_at: CREATED_AT,
    videos_monetized_in_last_thirty_days: 0,
  };
}
