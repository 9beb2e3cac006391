import { entitiesOf } from '../../../base/entities.ts';
import { textEntities } from '../../../base/entity-shapes.ts';
import { formatLegacyDate } from '../../../base/instants.ts';
import { type Schema, Type } from '../../../base/json-schema.ts';
import { codePointLength } from '../../../base/text.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { CONVERSATION_SETTINGS } from '../../../contract/store/posts.ts';
import { findMediaDetails, type MediaContext, type MediaDetails } from '../media/usable-media.ts';
import { detectLanguage } from './detect-language.ts';
import { POST_TYPES, type PostView } from './post-view.ts';

const zero = Type.Literal(0);
const text = Type.String();
const id = Type.String({ pattern: '^\\d+$' });

/** JSON Schema of an author; `trim_user` leaves the id only. @source creatives 13.1 */
const authorSchema: Schema = Type.Closed(
  {
    id,
    id_str: id,
    ...optional({
      name: text,
      screen_name: text,
      location: text,
      description: text,
      url: Type.Nullable(text),
      protected: Type.Boolean(),
      verified: Type.Boolean(),
      followers_count: zero,
      friends_count: zero,
      listed_count: zero,
      favourites_count: zero,
      statuses_count: zero,
      created_at: text,
      lang: Type.Null(),
      profile_image_url_https: Type.Null(),
      default_profile: Type.Boolean(),
    }),
  },
  { title: 'Author' },
);

function optional(members: Readonly<Record<string, Schema>>): Record<string, Schema> {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]));
}

/** Builds the author of a post: data that is not stored is empty, null or zero. */
function authorJson(user: User, isTrimmed: boolean): Record<string, unknown> {
  const ids = { id: user.id, id_str: user.id };
  if (isTrimmed) return ids;
  return {
    ...ids,
    name: user.name,
    screen_name: user.screen_name,
    location: user.location,
    description: user.description,
    url: user.url,
    protected: false,
    verified: user.verified_type !== 'none',
    followers_count: 0,
    friends_count: 0,
    listed_count: 0,
    favourites_count: 0,
    statuses_count: 0,
    created_at: formatLegacyDate(user.created_at),
    lang: null,
    profile_image_url_https: null,
    default_profile: true,
  };
}

const indices = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });

/** JSON Schema of the entities of a post. @source creatives 13.1 */
const entitiesSchema: Schema = Type.Closed(
  {
    hashtags: Type.Array(Type.Closed({ text, indices })),
    symbols: Type.Array(Type.Closed({ text, indices })),
    user_mentions: Type.Array(Type.Closed({ screen_name: text, name: text, id: text, id_str: text, indices })),
    urls: Type.Array(Type.Closed({ url: text, expanded_url: text, display_url: text, indices })),
    media: Type.Optional(
      Type.Array(
        Type.Closed({
          id: text,
          id_str: text,
          media_key: text,
          type: Type.Literals(['photo', 'animated_gif', 'video']),
          media_url_https: text,
        }),
      ),
    ),
  },
  { title: 'Post entities' },
);

const TYPES = { IMAGE: 'photo', GIF: 'animated_gif', VIDEO: 'video' } as const;

/** Builds the entities of a text, and the media of the post. `users` by lower-case screen name. @source decision 232 */
function entitiesJson(
  text: string,
  users: ReadonlyMap<string, User>,
  media: readonly MediaDetails[],
): Record<string, unknown> {
  return { ...textEntities(text, users), ...(media.length > 0 ? { media: media.map(mediaJson) } : {}) };
}

function mediaJson({ key, type, url, poster_url }: MediaDetails): Record<string, unknown> {
  const number = key.slice(key.indexOf('_') + 1);
  return { id: number, id_str: number, media_key: key, type: TYPES[type], media_url_https: poster_url ?? url };
}

const none = Type.Null();
const no = Type.Literal(false);

const TIME = '^[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000 \\d{4}$';

/** Members of a post in every reply. */
const COMMON_MEMBERS = {
  created_at: Type.String({ pattern: TIME }),
  id,
  id_str: id,
  name: Type.Nullable(Type.String({ maxLength: 80 })),
  truncated: no,
  entities: entitiesSchema,
  source: text,
  in_reply_to_status_id: none,
  in_reply_to_status_id_str: none,
  in_reply_to_user_id: none,
  in_reply_to_user_id_str: none,
  in_reply_to_screen_name: none,
  user: authorSchema,
  geo: none,
  coordinates: none,
  place: none,
  contributors: Type.Nullable(Type.Array(id, { minItems: 1, maxItems: 1 })),
  repost_count: zero,
  favorite_count: zero,
  favorited: no,
  reposted: no,
  scopes: Type.Closed({ followers: no }),
  card_uri: Type.Optional(text),
  lang: text,
};

/** JSON Schema of a post in the reply to its creation. @source creatives 13.1 */
export const createdPostSchema: Schema = Type.Closed(
  {
    ...COMMON_MEMBERS,
    text: Type.Optional(text),
    full_text: Type.Optional(text),
    display_text_range: Type.Optional(indices),
  },
  { title: 'Created post' },
);

/** JSON Schema of a post in other replies. @source creatives 13.2 */
export const postSchema: Schema = Type.Closed(
  {
    ...COMMON_MEMBERS,
    post_id: id,
    post_type: Type.Literals(POST_TYPES),
    nullcast: Type.Boolean(),
    full_text: text,
    display_text_range: indices,
    conversation_settings: Type.Enum(CONVERSATION_SETTINGS),
    scheduled_at: Type.Nullable(Type.String({ format: 'date-time' })),
    scheduled_status: Type.Nullable(Type.Enum(['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED'])),
  },
  { title: 'Post' },
);

/** The data for rendering posts, read once for all of them. */
export interface RenderContext {
  /** By id. */
  readonly authors: ReadonlyMap<string, User>;
  /** By lower-case screen name. */
  readonly mentioned: ReadonlyMap<string, User>;
  readonly media: ReadonlyMap<string, MediaDetails>;
  /** The configured source of all posts, as HTML: a link, or a name without a URL. @source decision 234 */
  readonly source: string;
  readonly isTrimmed: boolean;
}

/** Reads the data for rendering posts: authors, mentioned users and media. */
export async function readRenderContext(
  mediaContext: MediaContext,
  posts: readonly PostView[],
  options: Pick<RenderContext, 'source' | 'isTrimmed'>,
): Promise<RenderContext> {
  const { credentials } = mediaContext.tx;
  const authors = await Promise.all(
    [...new Set(posts.map((post) => post.user_id))].map((id) => credentials.findUser(id)),
  );
  const names = new Set(
    posts.flatMap((post) => entitiesOf(post.text).filter(({ kind }) => kind === 'mention')).map(({ text }) => text),
  );
  const mentioned = await credentials.findUsersByNames([...names]);
  const keys = [...new Set(posts.flatMap((post) => post.media_keys))];
  return {
    ...options,
    authors: new Map(authors.filter((user) => user !== undefined).map((user) => [user.id, user])),
    mentioned: new Map(mentioned.map((user) => [user.screen_name.toLowerCase(), user])),
    media: await findMediaDetails(mediaContext, keys),
  };
}

function commonMembers(post: PostView, context: RenderContext) {
  const { authors, mentioned, media, source, isTrimmed } = context;
  const attached = post.media_keys.map((key) => media.get(key)).filter((each) => each !== undefined);
  return {
    created_at: formatLegacyDate(post.created_at),
    ids: { id: post.id, id_str: post.id },
    rest: {
      entities: entitiesJson(post.text, mentioned, attached),
      source,
      in_reply_to_status_id: null,
      in_reply_to_status_id_str: null,
      in_reply_to_user_id: null,
      in_reply_to_user_id_str: null,
      in_reply_to_screen_name: null,
      user: authorJson(authors.get(post.user_id)!, isTrimmed),
      geo: null,
      coordinates: null,
      place: null,
      contributors: post.contributor_id === null ? null : [post.contributor_id],
      repost_count: 0,
      favorite_count: 0,
      favorited: false,
      reposted: false,
      scopes: { followers: false },
      ...(post.card_uri === null ? {} : { card_uri: post.card_uri }),
      lang: post.lang ?? detectLanguage(post.text),
    },
  };
}

function extendedText(text: string): { full_text: string; display_text_range: [number, number] } {
  return { full_text: text, display_text_range: [0, codePointLength(text)] };
}

/** Serializes a post in the reply to its creation; extended mode has `full_text` and its range instead of `text`. */
export function createdPostJson(
  post: PostView,
  context: RenderContext,
  { isExtended }: { readonly isExtended: boolean },
): string {
  const { created_at, ids, rest } = commonMembers(post, context);
  const text = isExtended ? extendedText(post.text) : { text: post.text };
  return JSON.stringify({ created_at, ...ids, ...text, name: post.name, truncated: false, ...rest });
}

/** Serializes a post in other replies; `post_id` is the id of any post type. @source decision 247 */
export function postJson(post: PostView, context: RenderContext): string {
  const { created_at, ids, rest } = commonMembers(post, context);
  return JSON.stringify({
    ...ids,
    post_id: post.id,
    post_type: post.type,
    nullcast: post.nullcast,
    name: post.name,
    ...extendedText(post.text),
    conversation_settings: post.conversation_settings,
    scheduled_at: post.scheduled_at,
    scheduled_status: post.scheduled_status,
    created_at,
    truncated: false,
    ...rest,
  });
}
