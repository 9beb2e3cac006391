import { isId, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, resource } from '../../../contract/declare/resource.ts';
import { ANY_ROLE } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { singleRecordOperations } from './single-record-operations.ts';

const fields = {
  notification_email: text({ max: 254 }).describe('Where notices about the account are sent to.'),
  contact_phone: text({ max: 32 }).describe('Telephone number.'),
  contact_phone_extension: text({ max: 16 }).describe('Extension of the telephone number.'),
  subscribed_email_types: listOf(oneOf('ACCOUNT_PERFORMANCE', 'PERFORMANCE_IMPROVEMENT'), { min: 0, max: 2 }).describe(
    'Mails that the user wants.',
  ),
} satisfies Fields;

const userSettings = resource({
  name: 'user_setting',
  plural: 'user_settings',
  label: 'User settings',
  description: 'How a user of an account wants to be told of it.',
  scope: 'account',
  operations: [],
  roles: { read: ANY_ROLE, write: ANY_ROLE },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  idsFrom: 0,
  fields,
});

/**
 * How a user of an account wants to be told of it. Only that user changes it; administrators, who manage users, may
 * read it too.
 * @source campaigns 17
 */
export const [getUserSettings, updateUserSettings] = singleRecordOperations({
  resource: userSettings,
  idMember: 'user_id',
  shared: {
    path: '/12/accounts/:account_id/user_settings/:user_id',
    group: 'user_settings',
    groupDescription: userSettings.description,
  },
  get: {
    description: 'How a user wants to be told of the account: for that user and for administrators.',
    roles: userSettings.roles.read,
    problems: ['ID_ILLEGAL', 'NOT_FOUND', 'ACTION_NOT_ALLOWED'],
  },
  update: {
    description: 'Change how the calling user wants to be told of the account.',
    roles: userSettings.roles.write,
    problems: ['ID_ILLEGAL', 'ACTION_NOT_ALLOWED'],
  },
  async key(tx, call, verb) {
    const user = call.path.user_id!;
    const account = call.account!.id;
    const about = { parameter: 'user_id', value: user, words: { kind: 'User' } };
    if (!isId(user)) throw problem('ID_ILLEGAL', about);
    if (user === call.principal.user) return { account, id: user };
    const mayLook = verb === 'get' && call.role === 'ACCOUNT_ADMIN';
    // Whoever may not look is not told who else works with the account.
    if (!mayLook) throw problem('ACTION_NOT_ALLOWED', { words: { account } });
    if (!(await tx.accountMembers.find(user, account))) throw problem('NOT_FOUND', about);
    return { account, id: user };
  },
});
