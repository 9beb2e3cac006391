import { emailAddress } from '../../../contract/declare/email-field.ts';
import { listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, resource } from '../../../contract/declare/resource.ts';
import { ANY_ROLE } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkId } from '../../../rows/keys.ts';
import { singletonOperations } from './singleton-operations.ts';

const fields = {
  notification_email: emailAddress().describe('Email address for notifications about the account.'),
  contact_phone: text({ max: 32 }).describe('Phone number.'),
  contact_phone_extension: text({ max: 16 }).describe('Phone extension.'),
  // The types that published client libraries have. @source decision 167
  subscribed_email_types: listOf(oneOf('ACCOUNT_PERFORMANCE', 'PERFORMANCE_IMPROVEMENT'), { min: 0, max: 2 }).describe(
    'Types of email that the user subscribes to.',
  ),
} satisfies Fields;

const userSettings = resource({
  name: 'user_setting',
  plural: 'user_settings',
  label: 'User settings',
  description: 'Notification settings of a user for an account.',
  scope: 'account',
  operations: [],
  roles: { read: ANY_ROLE, write: ANY_ROLE },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 0 },
  fields,
});

/**
 * Notification settings of a user for an account. Only that user can update them; account administrators
 * can read them.
 * @source campaigns 17; decision 166
 */
export const [getUserSettings, updateUserSettings] = singletonOperations({
  resource: userSettings,
  idMember: 'user_id',
  path: 'user_settings/:user_id',
  get: {
    description: 'Get the notification settings of a user; only for that user and account administrators.',
    problems: ['ID_ILLEGAL', 'NOT_FOUND', 'ACTION_NOT_ALLOWED'],
  },
  update: {
    description: 'Update the notification settings of the calling user.',
    problems: ['ID_ILLEGAL', 'ACTION_NOT_ALLOWED'],
  },
  async key(tx, call, verb) {
    const user = call.path.user_id!;
    const account = call.account.id;
    checkId(user, 'user_id', 'User');
    if (user === call.principal.user) return { account, id: user };
    // Checked before the user is looked up, so that the reply does not reveal who has access to the account.
    const mayRead = verb === 'get' && call.role === 'ACCOUNT_ADMIN';
    if (!mayRead) throw problem('ACTION_NOT_ALLOWED', { words: { account } });
    if (!(await tx.accountMembers.find(user, account))) {
      throw problem('NOT_FOUND', { parameter: 'user_id', value: user, words: { kind: 'User' } });
    }
    return { account, id: user };
  },
});
