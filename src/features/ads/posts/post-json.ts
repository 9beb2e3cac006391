import { dayFirst } from '../../../base/instants.ts';
import { type Schema, Type } from '../../../base/json-schema.ts';
import { lengthOf } from '../../../base/text.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { CONVERSATION_SETTINGS } from '../../../contract/store/posts.ts';
import type { MediaDetails } from '../media/usable-media.ts';
import { authorJson, authorSchema } from './author-json.ts';
import { detectLanguage } from './detect-language.ts';
import { entitiesJson, entitiesSchema } from './entities-json.ts';
import { POST_TYPES, type PostView } from './post-view.ts';

const id = Type.String({ pattern: '^\\d+$' });
const orNull = (schema: Schema): Schema => Type.Union([schema, Type.Null()]);
const none = Type.Null();
const zero = Type.Literal(0);
const no = Type.Literal(false);

const TIME = '^[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000 \\d{4}$';

/** Members of a post in every reply. */
const COMMON_MEMBERS = {
  created_at: Type.String({ pattern: TIME }),
  id,
  id_str: id,
  name: orNull(Type.String({ maxLength: 80 })),
  truncated: no,
  entities: entitiesSchema,
  source: Type.String(),
  in_reply_to_status_id: none,
  in_reply_to_status_id_str: none,
  in_reply_to_user_id: none,
  in_reply_to_user_id_str: none,
  in_reply_to_screen_name: none,
  user: authorSchema,
  geo: none,
  coordinates: none,
  place: none,
  contributors: orNull(Type.Array(id, { minItems: 1, maxItems: 1 })),
  repost_count: zero,
  favorite_count: zero,
  favorited: no,
  reposted: no,
  scopes: Type.Object({ followers: no }, { additionalProperties: false }),
  card_uri: Type.Optional(Type.String()),
  lang: Type.String(),
};

const range = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });

/** JSON Schema of a post in the reply to its creation. @source creatives 13.1 */
export const createdPostSchema: Schema = Type.Object(
  {
    ...COMMON_MEMBERS,
    text: Type.Optional(Type.String()),
    full_text: Type.Optional(Type.String()),
    display_text_range: Type.Optional(range),
  },
  { additionalProperties: false, title: 'Created post' },
);

/** JSON Schema of a post in other replies. @source creatives 13.2 */
export const postSchema: Schema = Type.Object(
  {
    ...COMMON_MEMBERS,
    post_id: id,
    post_type: Type.Union(POST_TYPES.map((word) => Type.Literal(word))),
    nullcast: Type.Boolean(),
    full_text: Type.String(),
    display_text_range: range,
    conversation_settings: Type.Enum(CONVERSATION_SETTINGS),
    scheduled_at: orNull(Type.String({ format: 'date-time' })),
    scheduled_status: orNull(Type.Enum(['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED'])),
  },
  { additionalProperties: false, title: 'Post' },
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

function commonMembers(post: PostView, scenery: RenderContext) {
  const { authors, mentioned, media, source, isTrimmed } = scenery;
  const attached = post.media_keys.map((key) => media.get(key)).filter((each) => each !== undefined);
  return {
    created_at: dayFirst(post.created_at),
    ids: { id: post.id, id_str: post.id },
    rest: {
      entities: entitiesJson(post.text, mentioned, attached),
      source,
      in_reply_to_status_id: null,
      in_reply_to_status_id_str: null,
      in_reply_to_user_id: null,
      in_reply_to_user_id_str: null,
      in_reply_to_screen_name: null,
      user: authorJson(authors.get(post.user_id)!, { isTrimmed }),
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
  return { full_text: text, display_text_range: [0, lengthOf(text)] };
}

/** A post in the reply to its creation; extended mode has `full_text` and its range instead of `text`. */
export function createdPostJson(
  post: PostView,
  scenery: RenderContext,
  { isExtended }: { readonly isExtended: boolean },
): string {
  const { created_at, ids, rest } = commonMembers(post, scenery);
  const text = isExtended ? extendedText(post.text) : { text: post.text };
  return JSON.stringify({ created_at, ...ids, ...text, name: post.name, truncated: false, ...rest });
}

/** A post in replies other than to its creation; `post_id` is the id of any post type. @source decision 247 */
export function postJson(post: PostView, scenery: RenderContext): string {
  const { created_at, ids, rest } = commonMembers(post, scenery);
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
