import type { Command } from 'commander';
import { COMPOSER_ROLES, type Role } from '../../contract/declare/roles.ts';
import { promotableUsers } from '../../features/ads/promotable-users.ts';
import { CommandFailed } from '../failure.ts';
import { insist, tell } from '../registering.ts';
import { onAccount, userNamed } from './found.ts';
import { allOf } from './put-account.ts';

/** Gives a user a role on an account, or takes it away. The last administrator stays. */
export async function setRole(command: Command, id: string, userName: string): Promise<void> {
  const {
    role,
    postComposer = false,
    none = false,
  } = command.opts<{ role?: Role; postComposer?: true; none?: true }>();
  if (none === (role !== undefined)) insist('give either --role or --none');
  if (postComposer && !COMPOSER_ROLES.includes(role as Role)) {
    insist(`POST_COMPOSER applies to ${COMPOSER_ROLES.join(', ')}`);
  }
  const user = await onAccount(command, id, async ({ tx, touched }) => {
    const found = await userNamed(tx, userName);
    touched('user', found.id);
    const members = await tx.accountMembers.listMembers(id);
    const others = members.filter(({ user_id }) => user_id !== found.id);
    const isLast = members.length > others.length && !others.some((each) => each.role === 'ACCOUNT_ADMIN');
    if (role !== 'ACCOUNT_ADMIN' && isLast && members.some((each) => each.role === 'ACCOUNT_ADMIN')) {
      throw new CommandFailed(`${userName} is the last administrator of account ${id}`);
    }
    if (role !== undefined) {
      await tx.accountMembers.put({ account_id: id, user_id: found.id, role, post_composer: postComposer ? 1 : 0 });
      return found;
    }
    const promoted = await allOf(tx, promotableUsers, id);
    if (promoted.some((row) => row.user_id === found.id && row.promotable_user_type === 'FULL')) {
      throw new CommandFailed(`${userName} is the user that account ${id} advertises`);
    }
    if (!(await tx.accountMembers.remove(id, found.id))) {
      throw new CommandFailed(`${userName} has no role on account ${id}`);
    }
    return found;
  });
  tell({ account_id: id, user_id: user.id, role: role ?? 'none', post_composer: postComposer ? 'yes' : 'no' });
}
