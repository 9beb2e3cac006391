import { Type } from '../../base/json-schema.ts';
import type { AccountOperation } from '../../contract/declare/operation.ts';
import { ANY_ROLE, COMPOSER_ROLES, ROLES } from '../../contract/declare/roles.ts';

/**
 * Returns the permissions of the calling user on an account: a role, and POST_COMPOSER if granted.
 * @source advertising 2; campaigns 5.5
 */
export const authenticatedUserAccess: AccountOperation = {
  id: 'authenticated_user_access.get',
  method: 'GET',
  path: '/12/accounts/:account_id/authenticated_user_access',
  description: 'The permissions of the calling user on the account.',
  group: 'authenticated_user_access',
  family: 'ads',
  roles: ANY_ROLE,
  rate: 'reads',
  parameters: {},
  body: 'form',
  shape: 'one',
  reply: Type.Closed({
    user_id: Type.String({ pattern: '^\\d+$' }),
    permissions: Type.Array(Type.Literals([...ROLES, 'POST_COMPOSER'])),
  }),
  problems: [],
  async perform(call) {
    const role = call.role;
    const canCompose = call.canCompose && COMPOSER_ROLES.includes(role);
    const permissions = canCompose ? [role, 'POST_COMPOSER'] : [role];
    return { data: JSON.stringify({ user_id: call.principal.user, permissions }) };
  },
};
