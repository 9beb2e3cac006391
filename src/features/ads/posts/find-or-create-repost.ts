import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { WriteTransaction } from '../../../contract/store/store.ts';

/** The values of a repost. */
export interface NewRepost {
  readonly id: string;
  readonly environment: Environment;
  readonly account: string;
  /** The user who reposts: the one whom the account advertises. */
  readonly user: string;
  readonly original: Post;
  readonly now: string;
}

/**
 * The promoted-only repost of a post by a user, created if there is none.
 * @source creatives 14; decision 241
 */
export async function findOrCreateRepost(
  tx: WriteTransaction,
  { id, environment, account, user, original, now }: NewRepost,
): Promise<Post> {
  const known = await tx.posts.findRepost(environment, user, original.id);
  if (known) return known;
  const names = await tx.credentials.findScreenNames([original.user_id]);
  const repost: Post = {
    ...original,
    id,
    account_id: account,
    user_id: user,
    contributor_id: null,
    text: `RT @${names.get(original.user_id) ?? original.user_id}: ${original.text ?? ''}`,
    name: null,
    nullcast: 1,
    starts_with_mention: 0,
    repost_of: original.id,
    created_at: now,
  };
  await tx.posts.add(repost);
  return repost;
}
