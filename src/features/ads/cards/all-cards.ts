import { boolean, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import { type AccountCall, type AccountOperation, serializeContext } from '../../../contract/declare/operation.ts';
import type { Row } from '../../../contract/declare/resource.ts';
import { CREATIVE_READERS } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkId } from '../../../rows/keys.ts';
import { cardUri } from './card-uri.ts';
import { OTHER_FORMATS } from './find-card.ts';

const FORMATS = OTHER_FORMATS.map(([, kind]) => kind);

const shared = {
  method: 'GET',
  path: '/12/accounts/:account_id/cards/all',
  group: 'cards_all',
  groupDescription: 'Poll and conversation cards of all formats, without component-based cards.',
  family: 'ads',
  roles: CREATIVE_READERS,
  rate: 'account_reads_small',
  body: 'form',
  reply: { rowOfOne: FORMATS },
} as const satisfies Partial<AccountOperation>;

const with_deleted = boolean().describe('Accepted without effect: deleted cards are not kept.');

/** Lists poll and conversation cards by URI, newest first. @source creatives 9.1; decision 227 */
export const listAllCards: AccountOperation = {
  ...shared,
  id: 'cards_all.list',
  description: 'List poll and conversation cards by URI.',
  shape: 'list',
  parameters: {
    card_uris: listOf(cardUri(), { max: 200 }).required().describe('Card URIs.'),
    with_deleted,
  },
  problems: [],
  async perform(call) {
    const texts = await readCards(call, itemsOf(call.input.card_uris), 'card_uri');
    return { data: `[${texts.join(',')}]`, nextCursor: null };
  },
};

/** Gets a poll or conversation card by id. @source creatives 9.1 */
export const getAnyCard: AccountOperation = {
  ...shared,
  id: 'cards_all.get',
  path: `${shared.path}/:card_id`,
  description: 'Get a poll or conversation card.',
  shape: 'one',
  parameters: { with_deleted },
  problems: ['CARD_NOT_FOUND', 'ID_ILLEGAL'],
  async perform(call) {
    const value = call.path.card_id!;
    checkId(value, 'card_id', 'Card');
    const [data] = await readCards(call, [value], 'id');
    if (data === undefined) throw problem('CARD_NOT_FOUND', { parameter: 'card_id', value, words: { kind: 'Card' } });
    return { data };
  },
};

/** Reads the live cards with these values in a column as JSON texts, newest first. */
function readCards(call: AccountCall, values: readonly string[], column: 'id' | 'card_uri'): Promise<string[]> {
  return call.services.store.read(async (tx) => {
    const found: (readonly [row: Row, json: string])[] = [];
    for (const resource of FORMATS) {
      const rows: Row[] = await tx.records.getMany(resource, call.account.id, values, { deleted: 'hidden', column });
      const texts = await call.services.serializeRows(resource, rows, serializeContext(call, tx));
      for (const [index, row] of rows.entries()) found.push([row, texts[index]!]);
    }
    return found.sort(([one], [other]) => (isNewer(one, other) ? -1 : 1)).map(([, json]) => json);
  });
}

function isNewer(one: Row, other: Row): boolean {
  return one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
}
