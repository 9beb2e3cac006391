import { boolean, isId, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import { type Call, type Operation, serializeContext } from '../../../contract/declare/operation.ts';
import type { AnyResource, Row } from '../../../contract/declare/resource.ts';
import { CREATIVE_READERS } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { cardUri } from './card-uri.ts';
import { imageConversationCards } from './image-conversation-cards.ts';
import { pollCards } from './poll-cards.ts';
import { videoConversationCards } from './video-conversation-cards.ts';

/** The card formats other than component-based cards. */
const FORMATS: readonly AnyResource[] = [pollCards, videoConversationCards, imageConversationCards];

const shared = {
  group: 'cards_all',
  groupDescription: 'Poll and conversation cards of all formats, without component-based cards.',
  family: 'ads',
  roles: CREATIVE_READERS,
  rate: 'account_reads_small',
  body: 'form',
  reply: { rowOfOne: FORMATS },
} as const satisfies Partial<Operation>;

/** Lists poll and conversation cards by URI, newest first. @source creatives 9.1; decision 227 */
export const listAllCards: Operation = {
  ...shared,
  id: 'cards_all.list',
  method: 'GET',
  path: '/12/accounts/:account_id/cards/all',
  description: 'List poll and conversation cards by URI.',
  shape: 'list',
  parameters: {
    card_uris: listOf(cardUri(), { max: 200 }).required().describe('Card URIs.'),
    with_deleted: boolean().describe('Accepted without effect: deleted cards are not kept.'),
  },
  problems: [],
  perform: (call) =>
    call.services.store.read(async (tx) => {
      const uris = itemsOf(String(call.input.card_uris));
      const found = await findCards(tx, call.account!.id, uris, 'card_uri');
      const texts = await cardsToJson(tx, call, found);
      return { data: `[${texts.join(',')}]`, nextCursor: null };
    }),
};

/** Gets a poll or conversation card by id. @source creatives 9.1 */
export const getAnyCard: Operation = {
  ...shared,
  id: 'cards_all.get',
  method: 'GET',
  path: '/12/accounts/:account_id/cards/all/:card_id',
  description: 'Get a poll or conversation card.',
  shape: 'one',
  parameters: { with_deleted: boolean().describe('Accepted without effect: deleted cards are not kept.') },
  problems: ['CARD_NOT_FOUND', 'ID_ILLEGAL'],
  perform: (call) => {
    const id = call.path.card_id!;
    const about = { parameter: 'card_id', value: id, words: { kind: 'Card' } };
    if (!isId(id)) throw problem('ID_ILLEGAL', about);
    return call.services.store.read(async (tx) => {
      const found = await findCards(tx, call.account!.id, [id], 'id');
      if (found.length === 0) throw problem('CARD_NOT_FOUND', about);
      const [data] = await cardsToJson(tx, call, found);
      return { data: data! };
    });
  },
};

interface FoundCard {
  readonly resource: AnyResource;
  readonly row: Row;
}

/** The live cards of an account with one of `values` in a column, grouped by format. */
async function findCards(
  tx: ReadTransaction,
  account: string,
  values: readonly string[],
  column: 'id' | 'card_uri',
): Promise<FoundCard[]> {
  const found: FoundCard[] = [];
  for (const resource of FORMATS) {
    const rows = await tx.records.getMany(resource, account, values, {
      deleted: 'hidden',
      column,
    });
    found.push(...rows.map((row) => ({ resource, row })));
  }
  return found;
}

/** Cards as JSON texts, newest first. */
async function cardsToJson(tx: ReadTransaction, call: Call, found: readonly FoundCard[]): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const resource of FORMATS) {
    const rows = found.filter((each) => each.resource === resource).map(({ row }) => row);
    const own = await call.services.serializeRows(resource, rows, serializeContext(call, tx));
    for (const [index, row] of rows.entries()) texts.set(row.id, own[index]!);
  }
  const order = found.map(({ row }) => [row.created_at, row.id] as const).sort(newestFirst);
  return order.map(([, id]) => texts.get(id)!);
}

function newestFirst([a, one]: readonly [string, string], [b, other]: readonly [string, string]): number {
  if (a !== b) return a < b ? 1 : -1;
  return one < other ? 1 : -1;
}
