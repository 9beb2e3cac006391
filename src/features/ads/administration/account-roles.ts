import type { Role } from '../../../contract/declare/roles.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { promotableUsers } from '../promotable-users.ts';
import { readLiveRows } from './apply-plan.ts';

/** A user's role on an account. */
interface RoleGrant {
  readonly account: string;
  readonly user: string;
  readonly role: Role;
  readonly postComposer: boolean;
}

/** Why a role cannot be granted or revoked. */
export type RoleConflict = 'last administrator' | 'promoted user' | 'no role';

/** Replaces the role of a user on an account. The last administrator keeps theirs. @source decision 171 */
export async function grantRole(
  tx: WriteTransaction,
  { account, user, role, postComposer }: RoleGrant,
): Promise<RoleConflict | undefined> {
  if (role !== 'ACCOUNT_ADMIN' && (await isLastAdministrator(tx, account, user))) return 'last administrator';
  await tx.accountMembers.put({ account_id: account, user_id: user, role, post_composer: postComposer ? 1 : 0 });
  return undefined;
}

/**
 * Revokes the role of a user on an account. The last administrator and the FULL promotable user keep theirs.
 * @source decision 171
 */
export async function revokeRole(
  tx: WriteTransaction,
  { account, user }: Pick<RoleGrant, 'account' | 'user'>,
): Promise<RoleConflict | undefined> {
  if (await isLastAdministrator(tx, account, user)) return 'last administrator';
  const promoted = await readLiveRows(tx, promotableUsers, account);
  if (promoted.some((row) => row.user_id === user && row.promotable_user_type === 'FULL')) return 'promoted user';
  return (await tx.accountMembers.remove(account, user)) ? undefined : 'no role';
}

async function isLastAdministrator(tx: WriteTransaction, account: string, user: string): Promise<boolean> {
  const members = await tx.accountMembers.listMembers(account);
  const administrators = members.filter(({ role }) => role === 'ACCOUNT_ADMIN');
  return administrators.length === 1 && administrators[0]!.user_id === user;
}
