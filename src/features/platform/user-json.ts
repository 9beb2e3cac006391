import { dayFirst } from '../../base/instants.ts';
import { type Schema, Type } from '../../base/json-schema.ts';
import type { User } from '../../contract/store/credentials.ts';

const shown = (value: string | boolean): Schema => Type.Literal(value);
const none = Type.Null();
const zero = Type.Literal(0);
const no = shown(false);

/** The entities of a user: always empty, because links are not extracted. */
const ENTITIES = Type.Object(
  { description: Type.Object({ urls: Type.Array(Type.Never(), { maxItems: 0 }) }, { additionalProperties: false }) },
  { additionalProperties: false },
);

/**
 * The members of a user in the order of the reference. Data that the server does not have is empty, null or zero.
 * @source decision 84
 */
const MEMBERS = {
  id: Type.Integer({ minimum: 1 }),
  id_str: Type.String({ pattern: '^\\d+$' }),
  name: Type.String(),
  screen_name: Type.String({ pattern: '^\\w{1,15}$' }),
  location: Type.String(),
  description: Type.String(),
  url: Type.Union([Type.String(), none]),
  entities: Type.Optional(ENTITIES),
  protected: no,
  followers_count: zero,
  friends_count: zero,
  listed_count: zero,
  created_at: Type.String({ pattern: '^[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000 \\d{4}$' }),
  favourites_count: zero,
  utc_offset: none,
  time_zone: none,
  geo_enabled: no,
  verified: Type.Boolean(),
  statuses_count: zero,
  lang: none,
  contributors_enabled: no,
  is_translator: no,
  profile_background_color: shown('F5F8FA'),
  profile_image_url: none,
  profile_image_url_https: none,
  profile_link_color: shown('1DA1F2'),
  default_profile: shown(true),
  default_profile_image: shown(true),
  following: no,
  follow_request_sent: no,
  notifications: no,
};

/** JSON Schema of a user as others see them. @source authentication gaps 11.1 and 11.2 */
export const userSchema: Schema = Type.Object(MEMBERS, { additionalProperties: false });

/** JSON Schema of a user as they see themselves. @source authentication gaps 11.1 */
export const ownUserSchema: Schema = Type.Object(
  {
    ...MEMBERS,
    suspended: no,
    needs_phone_verification: no,
    email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
);

/**
 * A user in the format of version 1.1.
 * @source authentication gaps 11.1
 */
export function userToJson(user: User, { entities }: { readonly entities: boolean }): Record<string, unknown> {
  return {
    id: Number(user.id),
    id_str: user.id,
    name: user.name,
    screen_name: user.screen_name,
    location: user.location,
    description: user.description,
    url: user.url,
    ...(entities ? { entities: { description: { urls: [] } } } : {}),
    protected: false,
    followers_count: 0,
    friends_count: 0,
    listed_count: 0,
    created_at: dayFirst(user.created_at),
    favourites_count: 0,
    utc_offset: null,
    time_zone: null,
    geo_enabled: false,
    verified: user.verified_type !== 'none',
    statuses_count: 0,
    lang: null,
    contributors_enabled: false,
    is_translator: false,
    profile_background_color: 'F5F8FA',
    profile_image_url: null,
    profile_image_url_https: null,
    profile_link_color: '1DA1F2',
    default_profile: true,
    default_profile_image: true,
    following: false,
    follow_request_sent: false,
    notifications: false,
  };
}
