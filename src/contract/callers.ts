import type { Principal } from './operation.ts';
import type { AccountState } from './resource.ts';
import type { Role } from './roles.ts';

/**
 * What of a request enters the signature, all raw, as received.
 * @source authentication gaps 2.1; RFC 5849 3.4.1
 */
export interface SignedParts {
  /** As received; upper-cased when it is signed. */
  readonly method: string;
  /** Raw request target, one character per byte as the HTTP parser gives it: path and query, never re-serialised. */
  readonly target: string;
  /** Raw header value, one character per byte. */
  readonly authorization: string | undefined;
  /** `application/x-www-form-urlencoded` body read as UTF-8, when the request has one. */
  readonly form: string | undefined;
}

/** Who signed a request, and the hash of its body when the signature speaks of one. */
export interface Authenticated {
  readonly principal: Principal;
  readonly bodyHash: string | undefined;
}

/** Checks requests signed with an access token. */
export interface Authenticator {
  /**
   * Throws, or rejects with, the problem of the first check that fails. Answers at once when the credential is known.
   * Base URI origins: the likeliest first.
   */
  authenticate(parts: SignedParts, origins: readonly string[]): Authenticated | Promise<Authenticated>;
  /** Resolves when no request that was authenticated so far can be sent again, whatever ends the process. */
  settled(): Promise<void>;
}

/** What a user may do on an account, and the account as decisions need it. */
export interface Access {
  readonly role: Role;
  readonly composer: boolean;
  readonly account: AccountState;
}

/**
 * Accesses in use. Every request that names an account needs one, so they are remembered; a write that touches an
 * account makes them forgotten before it is acknowledged. What does not exist is not remembered.
 */
export interface AccountAccesses {
  /** The access if it is remembered: the common case, answered at once. */
  remembered(user: string, account: string): Access | undefined;
  find(user: string, account: string): Promise<Access | undefined>;
}

/** Where used nonces outlive the process. */
export interface NonceLog {
  append(entry: UsedNonce): void;
  /** Resolves when all that was appended so far is written. */
  written(): Promise<void>;
  /** What was appended in recent runs, at least everything whose window has not passed. */
  read(): Iterable<UsedNonce>;
}

/** One used nonce. */
export interface UsedNonce {
  readonly tokenId: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
}
