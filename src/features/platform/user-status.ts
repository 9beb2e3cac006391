import { createHash } from 'node:crypto';
import { formatInstant, instantMs } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { User } from '../../contract/store/credentials.ts';
import type { WriteTransaction } from '../../contract/store/store.ts';

/** How long a link that sets a password is valid. */
export const PASSWORD_LINK_S = 3600;

/** Suspends or locks a user, or lets them go on. Whoever may not go on loses every session. */
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

/** Gives a user a password, which comes hashed. Their sessions end, but for the one that sets it, and so do links. */
export async function setPassword(
  tx: WriteTransaction,
  id: string,
  { hash, now, keeps }: { readonly hash: string; readonly now: string; readonly keeps?: string | undefined },
): Promise<void> {
  await tx.credentials.changeUser(id, { password_hash: hash, password_changed_at: now });
  await tx.sessions.removeOf(id, keeps);
  await tx.passwordLinks.removeOf(id);
  tx.invalidate(`user:${id}`);
}

/** Makes the link with which a user sets a password, in place of any former one. The answer is its secret. */
export async function addPasswordLink(
  tx: WriteTransaction,
  user: string,
  { random, now }: { readonly random: Random; readonly now: string },
): Promise<string> {
  const secret = random.bytes(32).toString('base64url');
  await tx.passwordLinks.removeOf(user);
  const expires_at = formatInstant(instantMs(now) + PASSWORD_LINK_S * 1000);
  await tx.passwordLinks.add({ id_hash: linkHash(secret), user_id: user, expires_at });
  return secret;
}

/** How the secret of a link is stored. */
export function linkHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
