import type { Post } from '../../../contract/store/posts.ts';
import type { DraftPost } from '../draft-posts.ts';
import type { ScheduledPost } from '../scheduled-posts.ts';

/** Post types. @source creatives 13.2 */
export const POST_TYPES = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const;
/** A post type: draft, published, or scheduled for publication. */
export type PostType = (typeof POST_TYPES)[number];

/** A post of any type, for rendering. */
export interface PostView {
  readonly type: PostType;
  readonly id: string;
  readonly account_id: string | null;
  readonly user_id: string;
  readonly contributor_id: string | null;
  readonly text: string;
  readonly name: string | null;
  readonly nullcast: boolean;
  readonly card_uri: string | null;
  readonly media_keys: readonly string[];
  readonly conversation_settings: string;
  readonly video_title: string | null;
  readonly video_description: string | null;
  readonly video_cta: string | null;
  readonly video_cta_value: string | null;
  readonly scheduled_at: string | null;
  readonly scheduled_status: string | null;
  readonly lang: string | undefined;
  readonly created_at: string;
}

/** The view of a published post. */
export function publishedView(post: Post): PostView {
  return {
    ...post,
    type: 'PUBLISHED',
    text: post.text ?? '',
    nullcast: post.nullcast === 1,
    media_keys: JSON.parse(post.media_keys) as string[],
    scheduled_at: null,
    scheduled_status: null,
  };
}

/** Values of fields that only published posts have. */
const UNPUBLISHED_DEFAULTS = {
  conversation_settings: 'EVERYONE',
  video_title: null,
  video_description: null,
  video_cta: null,
  video_cta_value: null,
  lang: undefined,
} as const;

function unpublishedView(
  row: DraftPost | ScheduledPost,
): Omit<PostView, 'type' | 'contributor_id' | `scheduled_${string}`> {
  return {
    ...UNPUBLISHED_DEFAULTS,
    id: row.id,
    account_id: row.account_id,
    user_id: String(row.user_id),
    text: row.text ?? '',
    name: row.name,
    nullcast: row.nullcast === 1,
    card_uri: row.card_uri,
    media_keys: JSON.parse(row.media_keys ?? '[]') as string[],
    created_at: row.created_at,
  };
}

/** The view of a draft post. */
export function draftView(row: DraftPost): PostView {
  return { ...unpublishedView(row), type: 'DRAFT', contributor_id: null, scheduled_at: null, scheduled_status: null };
}

/** The view of a scheduled post. */
export function scheduledView(row: ScheduledPost): PostView {
  const { scheduled_at, scheduled_status, scheduled_by, user_id } = row;
  const contributor_id = scheduled_by === user_id ? null : scheduled_by;
  return { ...unpublishedView(row), type: 'SCHEDULED', contributor_id, scheduled_at, scheduled_status };
}
