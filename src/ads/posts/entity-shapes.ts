import Type, { type TSchema } from 'typebox';
import type { User } from '../../contract/credentials.ts';
import type { KnownMedia } from '../media/known-media.ts';
import { type Entity, entitiesOf } from './entities.ts';

const closed = (members: Record<string, TSchema>): TSchema => Type.Object(members, { additionalProperties: false });
const indices = Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 });
const text = Type.String();

/** JSON Schema of the entities of a post. @source creatives 13.1 */
export const entitiesSchema: TSchema = Type.Object(
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

/** What a text leads to. `users` by name in small letters: who does not exist is mentioned by nobody. */
export function shownEntities(
  said: string,
  users: ReadonlyMap<string, User>,
  media: readonly KnownMedia[],
): Record<string, unknown> {
  const found = entitiesOf(said);
  const of = (kind: Entity['kind']): Entity[] => found.filter((entity) => entity.kind === kind);
  return {
    hashtags: of('hashtag').map(tagged),
    symbols: of('symbol').map(tagged),
    user_mentions: of('mention').flatMap((entity) => {
      const user = users.get(entity.text.toLowerCase());
      if (!user) return [];
      const { id, name, screen_name } = user;
      return [{ screen_name, name, id, id_str: id, indices: placeOf(entity) }];
    }),
    urls: of('url').map((entity) => {
      const url = entity.text;
      return { url, expanded_url: url, display_url: displayed(url), indices: placeOf(entity) };
    }),
    ...(media.length > 0 ? { media: media.map(attached) } : {}),
  };
}

function placeOf({ start, end }: Entity): [number, number] {
  return [start, end];
}

function tagged(entity: Entity): Record<string, unknown> {
  return { text: entity.text, indices: placeOf(entity) };
}

const DISPLAYED_MAX = 27;

/** An address as people read it: without its scheme, and cut short. */
export function displayed(url: string): string {
  const bare = url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
  return bare.length > DISPLAYED_MAX ? `${bare.slice(0, DISPLAYED_MAX - 1)}\u2026` : bare;
}

function attached({ key, type, url, poster_url }: KnownMedia): Record<string, unknown> {
  const number = key.slice(key.indexOf('_') + 1);
  return { id: number, id_str: number, media_key: key, type: TYPES[type], media_url_https: poster_url ?? url };
}
