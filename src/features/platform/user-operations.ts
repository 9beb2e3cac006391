import { Type } from '../../base/json-schema.ts';
import {
  boolean,
  type Field,
  field,
  itemsOf,
  listOf,
  oneOf,
  type RawValue,
  text,
} from '../../contract/declare/fields.ts';
import type { Input, Operation } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { type User, VERIFIED_TYPES } from '../../contract/store/credentials.ts';
import {
  changeProfile,
  descriptionError,
  displayNameError,
  locationError,
  PROFILE_MAX,
  type ProfileChanges,
  profileUrlError,
} from './profile.ts';
import { ownUserSchema, userSchema, userToJson } from './user-json.ts';

/**
 * The user of the access token, as they see themselves. Login libraries call this after the exchange. The reply has the
 * e-mail address for applications that request it from users.
 * @source authentication 11.1; decision 105
 */
export const verifyCredentials: Operation = {
  id: 'account.verify_credentials',
  method: 'GET',
  path: '/1.1/account/verify_credentials',
  aliases: ['/1.1/account/verify_credentials.json'],
  description: 'Get the user that the token belongs to.',
  group: 'users',
  groupDescription: 'Users: the owner of a token, and others.',
  family: 'numeric',
  rate: 'own_profile',
  parameters: {
    include_entities: boolean().defaults(1).describe('Whether the response has `entities`.'),
    skip_status: boolean().describe('Accepted without effect: responses have no post.'),
    include_email: boolean().describe('Whether the response has `email`, if the application may see it.'),
  },
  body: 'form',
  shape: 'bare',
  reply: ownUserSchema,
  problems: [],
  async perform({ principal, services, input }) {
    const { user, application } = await services.store.read(async (tx) => ({
      user: (await tx.credentials.findUser(principal.user))!,
      application: input.include_email ? await tx.credentials.findApplication(principal.application) : undefined,
    }));
    const shown = userToJson(user, { entities: input.include_entities !== 0 });
    const email = application?.email_access === 1 ? { email: user.email } : {};
    return { data: JSON.stringify({ ...shown, suspended: false, needs_phone_verification: false, ...email }) };
  },
};

/**
 * A user by id or by name; the id wins if both are present.
 * @source authentication 11.2; decision 85
 */
export const showUser: Operation = {
  id: 'users.show',
  method: 'GET',
  path: '/1.1/users/show',
  aliases: ['/1.1/users/show.json'],
  description: 'Get a user by id or user name.',
  group: 'users',
  family: 'numeric',
  credential: 'user-or-bearer',
  rate: 'profiles',
  parameters: {
    user_id: text({ max: 20 }).describe('User id. One of the two is required; the id wins if both are sent.'),
    screen_name: text({ max: 50 }).describe('User name; case-insensitive.'),
  },
  body: 'form',
  shape: 'bare',
  reply: userSchema,
  problems: ['MISSING_PARAMETER', 'USER_NOT_FOUND', 'USER_SHOWN_SUSPENDED'],
  async perform({ services, input }) {
    const { user_id: id, screen_name: name } = input as Readonly<Record<string, string | undefined>>;
    if (id === undefined && name === undefined) throw problem('MISSING_PARAMETER', { parameter: 'user_id' });
    const user = await services.store.read(({ credentials }) =>
      id === undefined ? credentials.findUserByName(name!) : credentials.findUser(id),
    );
    if (!user) throw problem('USER_NOT_FOUND');
    if (user.suspended) throw problem('USER_SHOWN_SUSPENDED');
    return { data: JSON.stringify(userToJson(user, { entities: true })) };
  },
};

/** A text parameter of a profile; `wrong` returns the error of a text. */
function profileText(max: number, wrong: (text: string) => string | undefined): Field<string> {
  return field<string>({
    name: 'profile text',
    column: 'text',
    schema: Type.String({ maxLength: max }),
    problems: ['PROFILE_UNFIT'],
    toJson: (stored) => JSON.stringify(stored),
    read(raw: RawValue, parameter) {
      const why = typeof raw === 'string' ? wrong(raw) : 'a text is expected';
      return why === undefined ? (raw as string) : { problem: 'PROFILE_UNFIT', parameter, words: { why } };
    },
  });
}

/**
 * Changes the profile of the user of the access token. Absent parameters change nothing, empty ones clear the member.
 * @source authentication 11.5; decision 350; decision 351
 */
export const updateProfile: Operation = {
  id: 'account.update_profile',
  method: 'POST',
  path: '/1.1/account/update_profile',
  aliases: ['/1.1/account/update_profile.json'],
  description: 'Update the profile of the user that the token belongs to.',
  group: 'users',
  family: 'numeric',
  rate: 'profile_updates',
  parameters: {
    name: profileText(PROFILE_MAX.name, displayNameError).describe('1 to 50 characters.'),
    description: profileText(PROFILE_MAX.description, descriptionError).describe(
      'Up to 160 characters; empty for none.',
    ),
    url: profileText(PROFILE_MAX.url, profileUrlError).describe('URL of up to 100 characters; empty for none.'),
    location: profileText(PROFILE_MAX.location, locationError).describe('Up to 30 characters; empty for none.'),
    include_entities: boolean().defaults(1).describe('Whether the response has `entities`.'),
    skip_status: boolean().describe('Accepted without effect: responses have no post.'),
  },
  body: 'form',
  shape: 'bare',
  reply: userSchema,
  validate: ({ name }) =>
    name === null ? [{ problem: 'PROFILE_UNFIT', parameter: 'name', words: { why: displayNameError('')! } }] : [],
  problems: [],
  async perform({ principal, services, input, now, audit, recordAudit }) {
    const changes = changesOf(input);
    const event = {
      event: 'profile_changed',
      user_id: principal.user,
      application_id: principal.application,
    } as const;
    const { user, isRenamed } = await services.store.write(async (tx) => {
      const changed = (await changeProfile(tx, principal.user, changes, now))!;
      if (changed.isRenamed) await recordAudit(tx, event);
      return changed;
    });
    if (isRenamed) audit(event);
    return { data: JSON.stringify(userToJson(user, { entities: input.include_entities !== 0 })) };
  },
};

function changesOf({ name, description, location, url }: Input): ProfileChanges {
  return {
    ...(typeof name === 'string' && { name }),
    ...(description !== undefined && { description: String(description ?? '') }),
    ...(location !== undefined && { location: String(location ?? '') }),
    ...(url !== undefined && { url: url === null ? null : String(url) }),
  };
}

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
