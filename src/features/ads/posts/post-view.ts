import type { Environment } from '../../../contract/declare/account-state.ts';
import { itemsOf } from '../../../contract/declare/fields.ts';
import type { Post } from '../../../contract/store/posts.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type DraftPost, draftPosts } from '../draft-posts.ts';
import { type ScheduledPost, scheduledPosts } from '../scheduled-posts.ts';
import { findAuthor } from './authors.ts';

/** Post types. @source creatives 13.2 */
export const POST_TYPES = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const;
/** A post type: draft, published, or scheduled for publication. */
export type PostType = (typeof POST_TYPES)[number];

/** A post of any type, for rendering. */
export interface PostView
  extends Pick<Post, 'id' | 'account_id' | 'user_id' | 'contributor_id' | 'name' | 'card_uri' | 'created_at'>,
    Pick<Post, 'conversation_settings' | 'video_title' | 'video_description' | 'video_cta' | 'video_cta_value'> {
  readonly type: PostType;
  readonly text: string;
  readonly nullcast: boolean;
  readonly media_keys: readonly string[];
  readonly scheduled_at: string | null;
  readonly scheduled_status: string | null;
  readonly lang: string | undefined;
}

/** Builds the view of a published post. */
export function publishedView(post: Post): PostView {
  return {
    ...post,
    type: 'PUBLISHED',
    text: post.text ?? '',
    nullcast: post.nullcast === 1,
    media_keys: itemsOf(post.media_keys),
    scheduled_at: null,
    scheduled_status: null,
  };
}

/** Values of fields that draft and scheduled posts do not have. */
export const UNPUBLISHED_DEFAULTS = {
  conversation_settings: 'EVERYONE',
  video_title: null,
  video_description: null,
  video_cta: null,
  video_cta_value: null,
} as const;

function unpublishedView(
  row: DraftPost | ScheduledPost,
): Omit<PostView, 'type' | 'contributor_id' | `scheduled_${string}`> {
  return {
    ...UNPUBLISHED_DEFAULTS,
    lang: undefined,
    id: row.id,
    account_id: row.account_id,
    user_id: String(row.user_id),
    text: row.text ?? '',
    name: row.name,
    nullcast: row.nullcast === 1,
    card_uri: row.card_uri,
    media_keys: itemsOf(row.media_keys),
    created_at: row.created_at,
  };
}

/** Builds the view of a draft post. */
export function draftView(row: DraftPost): PostView {
  return { ...unpublishedView(row), type: 'DRAFT', contributor_id: null, scheduled_at: null, scheduled_status: null };
}

/** Builds the view of a scheduled post. */
export function scheduledView(row: ScheduledPost): PostView {
  const { scheduled_at, scheduled_status, scheduled_by, user_id } = row;
  const contributor_id = scheduled_by === user_id ? null : scheduled_by;
  return { ...unpublishedView(row), type: 'SCHEDULED', contributor_id, scheduled_at, scheduled_status };
}

/** The posts to find, and the requesting account. */
interface PostsQuery {
  readonly environment: Environment;
  readonly account: string;
  readonly type: PostType;
  readonly ids: readonly string[];
}

/** Finds the posts of one type that an account may see; others are absent. */
export async function findVisiblePosts(
  tx: ReadTransaction,
  { environment, account, type, ids }: PostsQuery,
): Promise<PostView[]> {
  const live = { deleted: 'hidden' } as const;
  if (type === 'DRAFT') return (await tx.records.getMany(draftPosts, account, ids, live)).map(draftView);
  if (type === 'SCHEDULED') return (await tx.records.getMany(scheduledPosts, account, ids, live)).map(scheduledView);
  const found = await tx.posts.list(environment, ids);
  const types = new Map<string, string | undefined>();
  for (const { user_id } of found) {
    if (!types.has(user_id)) types.set(user_id, (await findAuthor(tx, account, user_id)).type);
  }
  // Promoted-only posts of other users are not visible.
  const isVisible = (user: string, nullcast: number): boolean =>
    types.get(user) === 'FULL' || (types.get(user) === 'REPOSTS_ONLY' && nullcast === 0);
  return found.filter((post) => isVisible(post.user_id, post.nullcast)).map(publishedView);
}
