import { digits, id, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import { type AccountCall, type AccountOperation, serializeContext } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM, type Row } from '../../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS } from '../../../contract/declare/roles.ts';
import { type ErrorDetail, Problem, problem } from '../../../contract/problems/problems.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { draftPosts } from '../draft-posts.ts';
import { type LineItem, lineItems } from '../line-items.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import { promotedPosts } from '../promoted-posts.ts';
import { findAuthor } from './authors.ts';
import { checkObjective } from './objective-requirements.ts';

const POSTS_MAX = 50;

/**
 * Promotes posts with a line item: all or none. Posts that it already promotes are returned as they are.
 * @source creatives 14; campaigns 12.1; decision 245 and 582
 */
export const promotePosts: AccountOperation = {
  id: 'promoted_posts.create',
  method: 'POST',
  path: '/12/accounts/:account_id/promoted_posts',
  description: `Promote up to ${POSTS_MAX} published posts with a line item, all or none.`,
  group: 'promoted_posts',
  groupDescription: promotedPosts.description,
  family: 'ads',
  roles: CAMPAIGN_WRITERS,
  rate: 'writes',
  parameters: {
    line_item_id: id().required().describe('Line item.'),
    post_ids: listOf(digits({ max: 19 }), { max: POSTS_MAX })
      .required()
      .describe('Ids of posts of promotable users.'),
  },
  body: 'form',
  shape: 'one',
  reply: { rowsOf: promotedPosts },
  problems: ['LINE_ITEM_NOT_FOUND', 'POST_NOT_FOUND', 'POST_UNFIT'],
  async perform(call) {
    const { delivery, ids, rowFactory, store } = call.services;
    await delivery.settleBeforeChange(call.account);
    const postIds = itemsOf(call.input.post_ids);
    // Posts of other users are reposted, each under a new id.
    const reposts = await ids.takeLong('post', LONG_IDS_FROM, postIds.length);
    const fresh = await rowFactory.takeIds(promotedPosts, postIds.length);
    return store.write(async (tx) => {
      await tx.records.lockAccount(call.account.id);
      const line = await findLineItem(tx, call);
      const promoted = await postsToPromote(tx, call, line, postIds, reposts);
      const rows: Row[] = [];
      for (const [index, post] of promoted.entries()) {
        const values = { line_item_id: line.id, post_id: post.id };
        rows.push(await rowFactory.create(tx, promotedPosts, call, values, fresh[index]!));
      }
      const { input: _, ...context } = serializeContext(call, tx);
      const texts = await call.services.serializeRows(promotedPosts, rows, context);
      return { data: `[${texts.join(',')}]` };
    });
  },
};

async function findLineItem(tx: WriteTransaction, { account, input }: AccountCall): Promise<LineItem> {
  const value = String(input.line_item_id);
  const line = await tx.records.get(lineItems, { account: account.id, id: value }, { deleted: 'hidden', lock: true });
  if (line) return line;
  const words = { kind: lineItems.label };
  throw problem('LINE_ITEM_NOT_FOUND', { parameter: 'line_item_id', value, words });
}

/** Returns the posts to promote, in order; posts of other users are reposted. @source decision 242 */
async function postsToPromote(
  tx: WriteTransaction,
  { account, environment, now }: AccountCall,
  line: LineItem,
  postIds: readonly string[],
  reposts: readonly string[],
): Promise<Post[]> {
  const found = new Map((await tx.posts.list(environment, postIds)).map((post) => [post.id, post]));
  const missing = postIds.filter((id) => !found.has(id));
  const drafts = await tx.records.getMany(draftPosts, account.id, missing, { deleted: 'hidden' });
  const drafted = new Set(drafts.map(({ id }) => id));
  const errors: ErrorDetail[] = [];
  const promoted: Post[] = [];
  for (const [index, value] of postIds.entries()) {
    const post = found.get(value);
    if (drafted.has(value)) {
      const words = { line: line.id, why: 'it is a draft' };
      errors.push({ problem: 'POST_UNFIT', parameter: 'post_ids', value, words });
      continue;
    }
    const type = post && (await findAuthor(tx, account.id, post.user_id)).type;
    if (!post || !type || (type === 'REPOSTS_ONLY' && post.nullcast)) {
      errors.push({ problem: 'POST_NOT_FOUND', parameter: 'post_ids', value, words: { kind: 'Post' } });
      continue;
    }
    const error = await checkObjective(tx, line, post, 'post_ids');
    if (error) errors.push(error);
    if (errors.length > 0) continue;
    if (type === 'FULL') promoted.push(post);
    else {
      const user = await findAdvertiserUserId(tx, account.id);
      const values = { id: reposts[index]!, account_id: account.id, user_id: user, created_at: now };
      promoted.push(await findOrCreateRepost(tx, post, values));
    }
  }
  if (errors.length > 0) throw new Problem(errors);
  return promoted;
}

/**
 * Returns the promoted-only repost of a post by a user, created if there is none.
 * @source creatives 14; decision 241
 */
async function findOrCreateRepost(
  tx: WriteTransaction,
  original: Post,
  values: Pick<Post, 'id' | 'user_id' | 'created_at'> & { readonly account_id: string },
): Promise<Post> {
  const known = await tx.posts.findRepost(original.environment, values.user_id, original.id);
  if (known) return known;
  const names = await tx.credentials.findScreenNames([original.user_id]);
  const repost: Post = {
    ...original,
    ...values,
    contributor_id: null,
    text: `RT @${names.get(original.user_id) ?? original.user_id}: ${original.text ?? ''}`,
    name: null,
    nullcast: 1,
    starts_with_mention: 0,
    repost_of: original.id,
  };
  await tx.posts.add(repost);
  return repost;
}
