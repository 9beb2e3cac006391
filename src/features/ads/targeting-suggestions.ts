import { instantMs } from '../../base/instants.ts';
import { Type } from '../../base/json-schema.ts';
import { integer, itemsOf, listOf, oneOf, text } from '../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation } from '../../contract/declare/operation.ts';
import { CAMPAIGN_READERS } from '../../contract/declare/roles.ts';
import { GRANULARITY_S } from '../../contract/services/keywords.ts';

const COUNT_DEFAULT = 30;
/** Age limit of the posts for related keywords, in days. */
const RELATED_DAYS = 7;

/** Targeting types of the criteria that suggestions come from. */
const CRITERIA_TYPES = {
  KEYWORD: ['BROAD_KEYWORD', 'EXACT_KEYWORD', 'PHRASE_KEYWORD', 'UNORDERED_KEYWORD'],
  USER_ID: ['SIMILAR_TO_FOLLOWERS_OF_USER'],
} as const;

/**
 * Suggests values that line items target together with the requested ones, then related terms of posts, from the data of
 * the service.
 * @source campaigns 17; decision 168
 */
export const targetingSuggestions: AccountOperation = {
  id: 'targeting_suggestions.list',
  method: 'GET',
  path: '/12/accounts/:account_id/targeting_suggestions',
  description:
    'Suggest keywords or users that line items target together with the given ones, most frequent first; then related keywords of recent posts.',
  group: 'targeting_suggestions',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {
    suggestion_type: oneOf('KEYWORD', 'USER_ID').required().describe('Suggestion type.'),
    targeting_values: listOf(text({ max: 255 }), { max: 50 })
      .required()
      .describe('Keywords or user ids to start from.'),
    count: integer({ min: 1, max: 50 }).describe(`Maximum number of suggestions; default ${COUNT_DEFAULT}.`),
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(
    Type.Closed({
      suggestion_type: Type.Union([Type.Literal('KEYWORD'), Type.Literal('USER_ID')]),
      suggestion_value: Type.String(),
    }),
  ),
  problems: [],
  async perform(call) {
    const { services, account, environment, input } = call;
    const suggestion_type = input.suggestion_type as keyof typeof CRITERIA_TYPES;
    const values = itemsOf(input.targeting_values);
    const limit = Number(input.count ?? COUNT_DEFAULT);
    const found = await services.store.read((tx) =>
      tx.suggestions.listCoOccurring({
        environment,
        account: account.id,
        types: CRITERIA_TYPES[suggestion_type],
        values,
        limit,
      }),
    );
    const isFew = suggestion_type === 'KEYWORD' && found.length < limit;
    const suggested = isFew ? await withRelated(found, values, limit, call) : found;
    return { data: JSON.stringify(suggested.map((suggestion_value) => ({ suggestion_type, suggestion_value }))) };
  },
};

/** Adds related keywords of recent posts to suggestions. @source decision 321 */
async function withRelated(
  found: readonly string[],
  keywords: readonly string[],
  limit: number,
  { services, environment, now }: AccountCall,
): Promise<string[]> {
  const to = instantMs(now) / 1000;
  const from = to - RELATED_DAYS * GRANULARITY_S.DAY;
  const { related } = await services.keywords.search({
    environment,
    keywords,
    negatives: [],
    from,
    to,
    bucket_s: to - from,
    country: undefined,
    related_max: limit,
  });
  return [...new Set([...found, ...related])].slice(0, limit);
}
