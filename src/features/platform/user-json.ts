import { formatLegacyDate } from '../../base/instants.ts';
import { type Schema, Type } from '../../base/json-schema.ts';
import { isObject } from '../../base/objects.ts';
import type { User } from '../../contract/store/credentials.ts';

/**
 * The members of a user in the order of the reference: a schema, or a constant for data that the server does not have.
 * @source decision 84
 */
const MEMBERS: Readonly<Record<string, Schema | string | number | boolean | null>> = {
  id: Type.Integer({ minimum: 1 }),
  id_str: Type.String({ pattern: '^\\d+$' }),
  name: Type.String(),
  screen_name: Type.String({ pattern: '^\\w{1,15}$' }),
  location: Type.String(),
  description: Type.String(),
  url: Type.Union([Type.String(), Type.Null()]),
  entities: Type.Optional(
    Type.Closed({ description: Type.Closed({ urls: Type.Array(Type.Never(), { maxItems: 0 }) }) }),
  ),
  protected: false,
  followers_count: 0,
  friends_count: 0,
  listed_count: 0,
  created_at: Type.String({ pattern: '^[A-Z][a-z]{2} [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d \\+0000 \\d{4}$' }),
  favourites_count: 0,
  utc_offset: null,
  time_zone: null,
  geo_enabled: false,
  verified: Type.Boolean(),
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

const SCHEMAS = Object.fromEntries(
  Object.entries(MEMBERS).map(([name, value]) => {
    if (isObject(value)) return [name, value];
    return [name, value === null ? Type.Null() : Type.Literal(value)];
  }),
);

/** The constant members; the others are placeholders that keep the order. */
const TEMPLATE = Object.fromEntries(
  Object.entries(MEMBERS).map(([name, value]) => [name, isObject(value) ? undefined : value]),
);

/** JSON Schema of a user as others see them. @source authentication 11.1 and 11.2 */
export const userSchema: Schema = Type.Closed(SCHEMAS);

/** JSON Schema of a user as they see themselves. @source authentication 11.1 */
export const ownUserSchema: Schema = Type.Closed({
  ...SCHEMAS,
  suspended: Type.Literal(false),
  needs_phone_verification: Type.Literal(false),
  email: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

/**
 * A user in the format of version 1.1.
 * @source authentication 11.1
 */
export function userToJson(user: User, { entities }: { readonly entities: boolean }): Record<string, unknown> {
  return {
    ...TEMPLATE,
    id: Number(user.id),
    id_str: user.id,
    name: user.name,
    screen_name: user.screen_name,
    location: user.location,
    description: user.description,
    url: user.url,
    // Always empty, because links are not extracted.
    entities: entities ? { description: { urls: [] } } : undefined,
    created_at: formatLegacyDate(user.created_at),
    verified: user.verified_type !== 'none',
  };
}
