import type { Command } from 'commander';
import { COMPOSER_ROLES, type Role } from '../../contract/declare/roles.ts';
import { grantRole, type RoleConflict, revokeRole } from '../../features/ads/administration/account-roles.ts';
import { CommandFailed, failIf } from '../failure.ts';
import { printFields } from '../output.ts';
import { requireUser } from '../required-rows.ts';
import { updateAccount } from './on-account.ts';

/** Gives a user a role on an account, or revokes it. @source decision 171 */
export async function setRole(command: Command, id: string, userName: string): Promise<void> {
  const {
    role,
    postComposer = false,
    none = false,
  } = command.opts<{ role?: Role; postComposer?: true; none?: true }>();
  if (none === (role !== undefined)) failIf('give either --role or --none');
  if (postComposer && !COMPOSER_ROLES.includes(role as Role)) {
    failIf(`POST_COMPOSER applies to ${COMPOSER_ROLES.join(', ')}`);
  }
  const user = await updateAccount(command, id, async ({ tx, addTarget }) => {
    const found = await requireUser(tx, userName);
    addTarget('user', found.id);
    const key = { account: id, user: found.id };
    const conflict =
      role === undefined ? await revokeRole(tx, key) : await grantRole(tx, { ...key, role, postComposer });
    if (conflict) throw new CommandFailed(conflictMessage(conflict, userName, id));
    return found;
  });
  printFields({ account_id: id, user_id: user.id, role: role ?? 'none', post_composer: postComposer ? 'yes' : 'no' });
}

function conflictMessage(conflict: RoleConflict, userName: string, account: string): string {
  if (conflict === 'last administrator') return `${userName} is the last administrator of account ${account}`;
  if (conflict === 'promoted user') return `${userName} is the FULL promotable user of account ${account}`;
  return `${userName} has no role on account ${account}`;
}
