import { text } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { problem } from '../../contract/problems/problems.ts';
import { userSchema, userToJson } from './user-json.ts';

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
