import { textEntities } from '../../../base/entity-shapes.ts';
import { type Schema, Type } from '../../../base/json-schema.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { MediaDetails } from '../media/usable-media.ts';

const closed = (members: Record<string, Schema>): Schema => Type.Object(members, { additionalProperties: false });
const indices = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });
const text = Type.String();

/** JSON Schema of the entities of a post. @source creatives 13.1 */
export const entitiesSchema: Schema = Type.Object(
  {
    hashtags: Type.Array(closed({ text, indices })),
    symbols: Type.Array(closed({ text, indices })),
    user_mentions: Type.Array(closed({ screen_name: text, name: text, id: text, id_str: text, indices })),
    urls: Type.Array(closed({ url: text, expanded_url: text, display_url: text, indices })),
    media: Type.Optional(
      Type.Array(
        closed({
          id: text,
          id_str: text,
          media_key: text,
          type: Type.Union(['photo', 'animated_gif', 'video'].map((word) => Type.Literal(word))),
          media_url_https: text,
        }),
      ),
    ),
  },
  { additionalProperties: false, title: 'Post entities' },
);

const TYPES = { IMAGE: 'photo', GIF: 'animated_gif', VIDEO: 'video' } as const;

/** The entities of a text, and the media of the post. `users` by lower-case screen name. @source decision 232 */
export function entitiesJson(
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
