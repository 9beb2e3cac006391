import { boolean } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { ownUserSchema, userToJson } from './user-json.ts';

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
