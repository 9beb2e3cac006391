import { hash } from 'node:crypto';
import type { NonceUse } from '../declare/callers.ts';

/** A used nonce. */
export interface UsedNonce {
  /** The signed timestamp, in Unix seconds. */
  readonly timestamp: number;
  /** From `nonceDigest`. */
  readonly digest: string;
}

/** A durable log of used nonces. */
export interface NonceLog {
  /**
   * Writes a nonce soon, together with others; resolves once it is durable.
   * @returns false when it is in the log already: another process has used it.
   * @throws StoreUnavailable
   */
  append(entry: UsedNonce, use: NonceUse): Promise<boolean>;
  /** What recent runs wrote: at least everything with a timestamp after `forgottenUntil`. */
  read(): Iterable<UsedNonce>;
  /** The newest timestamp of which a nonce may have been removed; 0 when none was. */
  forgottenUntil(): number;
}

/** SHA-256 as base64url, so that a stored nonce has the same small size whatever its length. */
export function nonceDigest(tokenId: string, timestamp: number | string, nonce: string): string {
  // None of the three can contain a space.
  return hash('sha256', `${timestamp} ${tokenId} ${nonce}`, 'base64url');
}
