import { Type } from '../../base/json-schema.ts';
import { itemsOf, listOf, oneOf } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { type User, VERIFIED_TYPES } from '../../contract/store/credentials.ts';

const nobody = Type.Literal(0);

/** The schemas of the optional members. */
const OPTIONAL = {
  created_at: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$' }),
  description: Type.String(),
  location: Type.String(),
  profile_image_url: Type.Null(),
  protected: Type.Literal(false),
  public_metrics: Type.Closed({
    followers_count: nobody,
    following_count: nobody,
    post_count: nobody,
    listed_count: nobody,
  }),
  url: Type.Union([Type.String(), Type.Null()]),
  verified: Type.Boolean(),
  verified_type: Type.Union(VERIFIED_TYPES.map((type) => Type.Literal(type))),
};
const FIELDS = Object.keys(OPTIONAL);

/**
 * The user of the access token, in the format of version 2: id, name and username, and the requested fields.
 * @source authentication 11.3
 */
export const authenticatedUser: Operation = {
  id: 'users.me',
  method: 'GET',
  path: '/2/users/me',
  description: 'Get the user that the token belongs to, with the requested fields.',
  group: 'users',
  family: 'problem',
  rate: 'own_profile',
  parameters: {
    'user.fields': listOf(oneOf(...FIELDS), { max: FIELDS.length }).describe(
      'Fields to return besides id, name and username.',
    ),
  },
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({
    data: Type.Closed({
      id: Type.String({ pattern: '^\\d+$' }),
      name: Type.String(),
      username: Type.String({ pattern: '^\\w{1,15}$' }),
      ...Object.fromEntries(Object.entries(OPTIONAL).map(([name, schema]) => [name, Type.Optional(schema)])),
    }),
  }),
  problems: [],
  async perform({ principal, services, input }) {
    const user = (await services.store.read((tx) => tx.credentials.findUser(principal.user)))!;
    const requestedFields = new Set(input['user.fields'] ? itemsOf(input['user.fields'] as string) : []);
    const requestedMembers = Object.entries(membersOf(user)).filter(([name]) => requestedFields.has(name));
    const { id, name, screen_name: username } = user;
    return { data: JSON.stringify({ data: { id, name, username, ...Object.fromEntries(requestedMembers) } }) };
  },
};

/** The optional members. Data that the server does not have is empty, null or zero. @source decision 84 */
function membersOf(user: User): Record<keyof typeof OPTIONAL, unknown> {
  return {
    created_at: user.created_at.replace('Z', '.000Z'),
    description: user.description,
    location: user.location,
    profile_image_url: null,
    protected: false,
    public_metrics: { followers_count: 0, following_count: 0, post_count: 0, listed_count: 0 },
    url: user.url,
    verified: user.verified_type !== 'none',
    verified_type: user.verified_type,
  };
}
