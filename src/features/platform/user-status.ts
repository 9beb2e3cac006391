import { hash } from 'node:crypto';
import { addSeconds } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { User } from '../../contract/store/credentials.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';

/** How long a link that sets a password is valid, in seconds. @source decision 501 */
export const PASSWORD_LINK_S = 3600;

/** Suspends, locks or reinstates a user. Suspended and locked users lose all sessions and password links. */
export async function changeUserStatus(
  tx: WriteTransaction,
  id: string,
  changes: Partial<Pick<User, 'suspended' | 'locked'>>,
): Promise<void> {
  await tx.credentials.changeUser(id, changes);
  if (changes.suspended || changes.locked) {
    await tx.sessions.removeOf(id);
    await tx.passwordLinks.removeOf(id);
  }
  tx.invalidate(`user:${id}`);
}

/**
 * Sets the password of a user from its hash. Their password links end, and all their sessions but `keeps`.
 * @source decision 502
 */
export async function setPassword(
  tx: WriteTransaction,
  id: string,
  {
    hash: password_hash,
    now,
    keeps,
  }: { readonly hash: string; readonly now: string; readonly keeps?: string | undefined },
): Promise<void> {
  await tx.credentials.changeUser(id, { password_hash, password_changed_at: now });
  await tx.sessions.removeOf(id, keeps);
  await tx.passwordLinks.removeOf(id);
  tx.invalidate(`user:${id}`);
}

/**
 * Creates a link that sets the password of a user, replaces any earlier one, and returns its secret.
 * @source decision 501
 */
export async function addPasswordLink(
  tx: WriteTransaction,
  user: string,
  { random, now }: { readonly random: Random; readonly now: string },
): Promise<string> {
  const secret = random.bytes(32).toString('base64url');
  await tx.passwordLinks.removeOf(user);
  const expires_at = addSeconds(now, PASSWORD_LINK_S);
  await tx.passwordLinks.add({ id_hash: linkHash(secret), user_id: user, expires_at });
  return secret;
}

/** The hash under which the secret of a link is stored. */
export function linkHash(secret: string): string {
  return hash('sha256', secret);
}
