import type { Environment } from '../../../contract/declare/account-state.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { draftPosts } from '../draft-posts.ts';
import { findAuthor } from '../posts/authors.ts';
import { draftView, type PostType, type PostView, publishedView, scheduledView } from '../posts/post-view.ts';
import { scheduledPosts } from '../scheduled-posts.ts';

/** The posts to find, and the requesting account. */
interface PostsQuery {
  readonly environment: Environment;
  readonly account: string;
  readonly type: PostType;
  readonly ids: readonly string[];
}

/** The posts of one type that an account may see; others are absent. */
export async function findVisiblePosts(
  tx: ReadTransaction,
  { environment, account, type, ids }: PostsQuery,
): Promise<PostView[]> {
  if (type === 'DRAFT')
    return (await tx.records.getMany(draftPosts, account, ids, { deleted: 'hidden' })).map(draftView);
  if (type === 'SCHEDULED') {
    return (await tx.records.getMany(scheduledPosts, account, ids, { deleted: 'hidden' })).map(scheduledView);
  }
  const found = await tx.posts.list(environment, ids);
  const types = new Map<string, string | undefined>();
  for (const { user_id } of found) {
    if (!types.has(user_id)) types.set(user_id, (await findAuthor(tx, account, user_id)).type);
  }
  const isSeen = (user: string, nullcast: number): boolean =>
    types.get(user) === 'FULL' || (types.get(user) === 'REPOSTS_ONLY' && nullcast === 0);
  return found.filter((post) => isSeen(post.user_id, post.nullcast)).map(publishedView);
}
