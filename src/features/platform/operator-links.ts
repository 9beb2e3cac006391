import { addSeconds } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { linkHash } from './user-status.ts';

/** How long a link that signs an operator in is valid. @source decision 1005 */
export const OPERATOR_LINK_S = 600;

const NAME = /^[\w.@-]{1,64}$/;

/** Why a text cannot be the name of an operator; undefined if it can. */
export function operatorNameError(name: string): string | undefined {
  return NAME.test(name) ? undefined : 'the name of an operator has 1 to 64 letters, digits and any of . _ - @';
}

/**
 * Creates a single-use link to the operator console, and returns its secret. `wallNow` is UTC text by the wall clock.
 * @source decision 1060
 */
export async function addOperatorLink(
  tx: Pick<WriteTransaction, 'operatorLinks'>,
  operator: string,
  { random, wallNow }: { readonly random: Random; readonly wallNow: string },
): Promise<string> {
  const secret = random.bytes(32).toString('base64url');
  const expires_at = addSeconds(wallNow, OPERATOR_LINK_S);
  await tx.operatorLinks.add({ id_hash: linkHash(secret), operator, expires_at });
  return secret;
}

/** Redeems a link. @returns the name of the operator; undefined for an unknown, used or expired link. */
export async function redeemOperatorLink(
  tx: Pick<WriteTransaction, 'operatorLinks'>,
  secret: string,
  wallNow: string,
): Promise<string | undefined> {
  const link = await tx.operatorLinks.take(linkHash(secret));
  return link && link.expires_at >= wallNow ? link.operator : undefined;
}
