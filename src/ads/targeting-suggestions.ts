import Type from 'typebox';
import { integer, itemsOf, listOf, oneOf, text } from '../contract/fields.ts';
import type { Operation } from '../contract/operation.ts';
import { CAMPAIGN_READERS } from '../contract/roles.ts';

const COUNT_DEFAULT = 30;

/** Which criteria each kind of suggestion is drawn from. */
const DRAWN_FROM = {
  KEYWORD: ['BROAD_KEYWORD', 'EXACT_KEYWORD', 'PHRASE_KEYWORD', 'UNORDERED_KEYWORD'],
  USER_ID: ['SIMILAR_TO_FOLLOWERS_OF_USER'],
} as const;

/**
 * Values that line items target together with those given: counted in what the service holds, never made up.
 * @source campaigns 17
 */
export const targetingSuggestions: Operation = {
  id: 'targeting_suggestions.list',
  method: 'GET',
  path: '/12/accounts/:account_id/targeting_suggestions',
  about: 'Keywords or users that line items target together with those given, the most frequent first.',
  group: 'targeting_suggestions',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'reads',
  parameters: {
    suggestion_type: oneOf('KEYWORD', 'USER_ID').required().says('What is wanted.'),
    targeting_values: listOf(text({ max: 255 }), { max: 50 })
      .required()
      .says('Keywords or user ids to begin with.'),
    count: integer({ min: 1, max: 50 }).says(`How many at most; ${COUNT_DEFAULT} when not given.`),
  },
  body: 'form',
  shape: 'one',
  reply: Type.Array(
    Type.Object(
      {
        suggestion_type: Type.Union([Type.Literal('KEYWORD'), Type.Literal('USER_ID')]),
        suggestion_value: Type.String(),
      },
      { additionalProperties: false },
    ),
  ),
  problems: [],
  async perform({ services, account, environment, given }) {
    const suggestion_type = given.suggestion_type as keyof typeof DRAWN_FROM;
    const found = await services.store.read((tx) =>
      tx.suggestions.listTogether({
        environment,
        account: account!.id,
        types: DRAWN_FROM[suggestion_type],
        values: itemsOf(String(given.targeting_values)),
        limit: Number(given.count ?? COUNT_DEFAULT),
      }),
    );
    return { data: JSON.stringify(found.map((suggestion_value) => ({ suggestion_type, suggestion_value }))) };
  },
};
