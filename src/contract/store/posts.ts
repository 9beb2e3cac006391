import type { Environment } from '../declare/resource.ts';

/** Who may answer a post. @source creatives 13.1 */
export const CONVERSATION_SETTINGS = ['EVERYONE', 'FOLLOWING', 'MENTIONED_USERS'] as const;

/** A published post. It belongs to its author; an account may have made it. Times are UTC texts. */
export interface Post {
  /** Decimal text. */
  readonly id: string;
  readonly environment: Environment;
  /** The account that it was made on; null when it came another way. */
  readonly account_id: string | null;
  /** The author. */
  readonly user_id: string;
  /** Whoever posted for the author; null when the author did. */
  readonly contributor_id: string | null;
  readonly text: string | null;
  readonly name: string | null;
  /** 1 when it is shown only where it is promoted. */
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
  /** The post that it repeats; null when it repeats none. */
  readonly repost_of: string | null;
  readonly lang: string;
  readonly created_at: string;
}

/** Which posts of an author are meant. */
export interface PostConditions {
  readonly environment: Environment;
  readonly user: string;
  readonly nullcast: 0 | 1 | undefined;
  /** Those that begin with a mention too. */
  readonly withMentions: boolean;
  readonly ids: readonly string[] | undefined;
  /** Folded text that the folded name starts with. */
  readonly namePrefix: string | undefined;
}

/** A page of posts, newest first. */
export interface PostQuery extends PostConditions {
  /** Time and id of the post after which the page starts. */
  readonly after: readonly [created_at: string, id: string] | undefined;
  readonly limit: number;
}

/** What a post says, and when. */
export type PostText = Pick<Post, 'id' | 'user_id' | 'lang' | 'created_at'> & { readonly text: string };

/** Published posts, as they are kept. */
export interface Posts {
  find(environment: Environment, id: string): Promise<Post | undefined>;
  /** Those of these ids that there are, in no order. */
  list(environment: Environment, ids: readonly string[]): Promise<Post[]>;
  /** The promoted-only repost that a user made of a post. */
  findRepost(environment: Environment, user: string, of: string): Promise<Post | undefined>;
  page(query: PostQuery): Promise<Post[]>;
  /** Posts that everybody may see, by id, with what they say. */
  listTexts(environment: Environment, after: string, limit: number): Promise<PostText[]>;
  add(post: Post): Promise<void>;
  rename(id: string, name: string | null): Promise<void>;
}

/** Something that a user is told of. */
export interface Notification {
  /** Decimal text. */
  readonly id: string;
  readonly environment: Environment;
  readonly user_id: string;
  readonly kind: 'draft_preview';
  readonly account_id: string;
  /** The id of what it is about. */
  readonly subject_id: string;
  readonly created_at: string;
}

/** What users are told of. */
export interface Notifications {
  add(notification: Notification): Promise<void>;
  /** The newest of a user. */
  list(user: string, limit: number): Promise<Notification[]>;
}
