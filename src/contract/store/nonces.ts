import { hash } from 'node:crypto';

/** One used nonce. */
export interface UsedNonce {
  /** The Unix second that was signed. */
  readonly timestamp: number;
  /** From `nonceDigest`. */
  readonly digest: string;
}

/** Where used nonces outlive the process. */
export interface NonceLog {
  /** Writes a nonce soon, together with others; resolves once it outlives the process. @throws StoreUnavailable */
  append(entry: UsedNonce): Promise<void>;
  /** What recent runs wrote: at least everything signed later than `forgottenUntil`. */
  read(): Iterable<UsedNonce>;
  /** The newest second of which a nonce may have been removed; 0 when none was. */
  forgottenUntil(): number;
}

/** SHA-256 as base64url: what is kept of a nonce takes the same little room, however long the nonce is. */
export function nonceDigest(tokenId: string, timestamp: number | string, nonce: string): string {
  // None of the three can hold a blank.
  return hash('sha256', `${timestamp} ${tokenId} ${nonce}`, 'base64url');
}
