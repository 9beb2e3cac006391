import { Type } from '../../../base/json-schema.ts';
import { foldCase } from '../../../base/text.ts';
import { boolean, digits, integer, itemsOf, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation } from '../../../contract/declare/operation.ts';
import type { AnyResource, Row } from '../../../contract/declare/resource.ts';
import { CREATIVE_READERS } from '../../../contract/declare/roles.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type DraftPost, draftPosts } from '../draft-posts.ts';
import { type ScheduledPost, scheduledPosts } from '../scheduled-posts.ts';
import { cursorParameter, cutPage, readTimeCursor } from '../time-cursor.ts';
import { authorFilter } from './authors.ts';
import { postJson, postSchema, readRenderContext } from './post-json.ts';
import { draftView, POST_TYPES, type PostView, publishedView, scheduledView } from './post-view.ts';

const COUNT = { preset: 200, max: 1000 };
/** Prefix of the cursors of posts. @source creatives 1.2; decision 212 */
const CURSOR_PREFIX = 'c-';

/**
 * Lists the posts of a promotable user of one type, newest first.
 * @source creatives 13.2; decision 230
 */
export const listPosts: AccountOperation = {
  id: 'posts.list',
  method: 'GET',
  path: '/12/accounts/:account_id/posts',
  description: 'List posts of one type, newest first.',
  group: 'posts',
  family: 'ads',
  roles: CREATIVE_READERS,
  rate: 'account_reads_small',
  parameters: {
    post_type: oneOf(...POST_TYPES)
      .required()
      .describe('Post type.'),
    post_ids: listOf(digits({ max: 19 }), { max: 200 }).describe('Only posts with these ids.'),
    timeline_type: oneOf('ALL', 'NULLCAST', 'ORGANIC')
      .defaults('NULLCAST')
      .describe('`NULLCAST` for promoted-only posts, `ORGANIC` for organic posts, or `ALL`.'),
    include_mentions_and_replies: boolean().describe('Include posts that begin with a mention; default false.'),
    name: text({ max: 80 }).describe('Case-insensitive prefix of the name.'),
    ...authorFilter.parameters,
    trim_user: boolean().describe('Reduces authors to their ids.'),
    count: integer({ min: 1, max: COUNT.max }).describe(`Page size; default ${COUNT.preset}.`),
    cursor: cursorParameter,
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(postSchema),
  problems: ['CURSOR_INVALID', 'NOT_PROMOTABLE'],
  async perform(call) {
    const { store, media, ads } = call.services;
    return store.read(async (tx) => {
      const account = call.account;
      const request = await readRequest(tx, call);
      const found = await readPage(tx, request);
      const { rows, nextCursor } = cutPage(found, request.count, ({ created_at }) => created_at, request.list);
      const options = { source: ads.postSource, isTrimmed: call.input.trim_user === 1 };
      const context = await readRenderContext({ tx, media: media.addresses, account }, rows, options);
      return {
        data: `[${rows.map((post) => postJson(post, context)).join(',')}]`,
        nextCursor: nextCursor && CURSOR_PREFIX + nextCursor,
      };
    });
  },
};

type ListRequest = Awaited<ReturnType<typeof readRequest>>;

async function readRequest(tx: ReadTransaction, call: AccountCall) {
  const { input, account } = call;
  const { user_id } = await authorFilter.within({ input, account, tx });
  const timeline = input.timeline_type ?? 'NULLCAST';
  const conditions = {
    user: user_id[0]!,
    nullcast: timeline === 'ALL' ? undefined : timeline === 'NULLCAST' ? (1 as const) : (0 as const),
    withMentions: input.include_mentions_and_replies === 1,
    ids: input.post_ids == null ? undefined : itemsOf(input.post_ids),
    namePrefix: input.name == null ? undefined : foldCase(String(input.name)),
  };
  // Filters must not change between pages. @source decision 46
  const list = JSON.stringify(['posts', account.id, input.post_type, conditions]);
  return {
    call,
    ...conditions,
    count: Number(input.count ?? COUNT.preset),
    after: readTimeCursor(input.cursor, list, CURSOR_PREFIX),
    list,
  };
}

/** Reads the posts of a page, plus one to detect a next page. */
async function readPage(tx: ReadTransaction, request: ListRequest): Promise<PostView[]> {
  const { call, user, nullcast, withMentions, ids, namePrefix, after } = request;
  const limit = request.count + 1;
  const { environment, input } = call;
  switch (input.post_type) {
    case 'DRAFT':
      return (await unpublishedRows(tx, draftPosts, request, limit)).map((row) => draftView(row as DraftPost));
    case 'SCHEDULED':
      return (await unpublishedRows(tx, scheduledPosts, request, limit)).map((row) =>
        scheduledView(row as ScheduledPost),
      );
    default:
      return (await tx.posts.page({ environment, user, nullcast, withMentions, ids, namePrefix, after, limit })).map(
        publishedView,
      );
  }
}

const NEWEST_FIRST = (['created_at', 'id'] as const).map(
  (column) => ({ column, direction: 'desc', nullable: false }) as const,
);

/** Reads rows of draft or scheduled posts. */
function unpublishedRows(
  tx: ReadTransaction,
  resource: AnyResource,
  request: ListRequest,
  limit: number,
): Promise<Row[]> {
  const { call, user, nullcast, withMentions, ids, namePrefix, after } = request;
  const within: Record<string, readonly (string | number)[]> = { user_id: [user] };
  if (nullcast !== undefined) within.nullcast = [nullcast];
  if (!withMentions) within.starts_with_mention = [0];
  if (ids) within.id = ids;
  const prefix = namePrefix === undefined ? undefined : { column: 'name_folded', text: namePrefix };
  const account = call.account.id;
  return tx.records.page(resource, { account, deleted: 'hidden', within, prefix, sort: NEWEST_FIRST, after, limit });
}
