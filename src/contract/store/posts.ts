import type { Environment } from '../declare/account-state.ts';

/** Who may reply to a post. @source creatives 13.1 */
export const CONVERSATION_SETTINGS = ['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS'] as const;

/** A published post, which belongs to its author; it may have been created on an account. Times are UTC texts. */
export interface Post {
  /** Decimal text. */
  readonly id: string;
  readonly environment: Environment;
  /** The account that it was created on; null when it was created otherwise. */
  readonly account_id: string | null;
  /** The author. */
  readonly user_id: string;
  /** The user who posted for the author; null when the author did. */
  readonly contributor_id: string | null;
  readonly text: string | null;
  readonly name: string | null;
  /** 1 for a promoted-only post. */
  readonly nullcast: 0 | 1;
  /** 1 when it begins with a mention. */
  readonly starts_with_mention: 0 | 1;
  readonly card_uri: string | null;
  /** JSON text: a list. */
  readonly media_keys: string;
  readonly conversation_settings: string;
  readonly video_title: string | null;
  readonly video_description: string | null;
  readonly video_cta: string | null;
  readonly video_cta_value: string | null;
  /** The reposted post; null when it is no repost. */
  readonly repost_of: string | null;
  readonly lang: string;
  readonly created_at: string;
}

/**
 * The place of a post in the order in which posts were stored. `stored_in` is the transaction on PostgreSQL, where
 * transactions do not end in the order in which they begin, and a number on SQLite.
 * @source decision 790
 */
export interface PostPosition {
  readonly stored_in: number;
  readonly id: string;
}

/** A notification to a user. */
export interface Notification {
  /** Decimal text. */
  readonly id: string;
  readonly environment: Environment;
  readonly user_id: string;
  readonly kind: 'draft_preview';
  readonly account_id: string;
  /** Id of the object it is about. */
  readonly subject_id: string;
  readonly created_at: string;
}
