import { dayFirst } from '../../../base/instants.ts';
import { type Schema, Type } from '../../../base/json-schema.ts';
import type { User } from '../../../contract/store/credentials.ts';

const zero = Type.Literal(0);
const id = Type.String({ pattern: '^\\d+$' });

/** JSON Schema of an author; `trim_user` leaves the id only. @source creatives 13.1 */
export const authorSchema: Schema = Type.Object(
  {
    id,
    id_str: id,
    name: Type.Optional(Type.String()),
    screen_name: Type.Optional(Type.String()),
    location: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    url: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    protected: Type.Optional(Type.Boolean()),
    verified: Type.Optional(Type.Boolean()),
    followers_count: Type.Optional(zero),
    friends_count: Type.Optional(zero),
    listed_count: Type.Optional(zero),
    favourites_count: Type.Optional(zero),
    statuses_count: Type.Optional(zero),
    created_at: Type.Optional(Type.String()),
    lang: Type.Optional(Type.Null()),
    profile_image_url_https: Type.Optional(Type.Null()),
    default_profile: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false, title: 'Author' },
);

/** An author in the JSON of a post: data that is not stored is empty, null or zero. */
export function authorJson(user: User, { isTrimmed }: { readonly isTrimmed: boolean }): Record<string, unknown> {
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
    created_at: dayFirst(user.created_at),
    lang: null,
    profile_image_url_https: null,
    default_profile: true,
  };
}
