import type { Application } from '../store/credentials.ts';
import type { RequestToken } from '../store/grants.ts';
import type { CredentialKind, Principal } from './operation.ts';
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

/** An application that speaks for itself: signed without a token, with key and secret, or with a bearer token. */
export interface ApplicationCaller {
  readonly kind: 'application';
  readonly application: Application;
  /** Id of the bearer token, when one was presented. */
  readonly tokenId?: string;
  /** The `oauth_callback` of a signed request. */
  readonly callback?: string;
}

/** An application that signs with a request token of its own, which may be in any state that is not final. */
export interface RequestTokenCaller {
  readonly kind: 'request-token';
  readonly application: Application;
  readonly requestToken: RequestToken;
  /** The secret of the request token, unsealed. */
  readonly tokenSecret: string;
  /** The `oauth_verifier` of the request. */
  readonly verifier: string | undefined;
}

/** Who calls, by the credential that was presented. */
export type Caller = Principal | ApplicationCaller | RequestTokenCaller;

/** The caller of an operation whose credential admits one kind only. Throws when operation and credential disagree. */
export function callerOf<K extends Caller['kind']>(caller: Caller, kind: K): Extract<Caller, { kind: K }> {
  if (caller.kind !== kind) throw new Error(`an operation for ${kind} was called by ${caller.kind}`);
  return caller as Extract<Caller, { kind: K }>;
}

/** Id of the application that a caller is or speaks through. */
export function applicationOf(caller: Caller): string {
  return caller.kind === 'user' ? caller.application : caller.application.id;
}

/** Who presented a credential, and the hash of the body when the signature speaks of one. */
export interface Authenticated {
  readonly caller: Caller;
  readonly bodyHash: string | undefined;
  /** Parameters beside the protocol's that stood in the header. */
  readonly headerParameters?: readonly (readonly [name: string, value: string])[];
  /** The nonce of a signed request. */
  readonly nonce?: NonceReservation;
}

/** A nonce that nobody else can use, until it is decided what becomes of it. */
export interface NonceReservation {
  /** Uses it up; resolves once the request cannot be sent again, whatever ends the process. @throws StoreUnavailable */
  commit(): Promise<void>;
  /** Makes it good again: the request was refused only for coming too soon. */
  release(): void;
}

/** What an authenticator judges: the signed parts, and the address of the caller. */
export interface PresentedCredential extends SignedParts {
  readonly address: string;
}

/**
 * Tells who presented a credential of one kind.
 * @throws the problem of the first check that fails.
 */
export type Authenticate = (parts: PresentedCredential, origins: readonly string[]) => Promise<Authenticated>;

/** How credentials of each kind but the user's are judged. */
export type Authenticators = Readonly<Partial<Record<Exclude<CredentialKind, 'user'>, Authenticate>>>;

/** Checks requests signed with an access token. */
export interface Authenticator {
  /**
   * Throws, or rejects with, the problem of the first check that fails. Answers at once when the credential is known.
   * Base URI origins: the likeliest first.
   */
  authenticate(parts: SignedParts, origins: readonly string[]): Authenticated | Promise<Authenticated>;
  /**
   * Whether a request names a token in use, and a time that is not over. Says nothing of the signature: that cannot be
   * checked before the form is there. Never rejects because of what the request says.
   */
  isTokenInUse(parts: SignedParts): Promise<boolean>;
}

/** What a user may do on an account, and the account as decisions need it. */
export interface Access {
  readonly role: Role;
  readonly canCompose: boolean;
  readonly account: AccountState;
}

/**
 * Accesses in use. Every request that names an account needs one, so they are remembered; a write that touches an
 * account makes them forgotten before it is acknowledged. What does not exist is not remembered.
 */
export interface AccountAccesses {
  /** The access if it is remembered: the common case, answered at once. */
  cached(user: string, account: string): Access | undefined;
  find(user: string, account: string): Promise<Access | undefined>;
}
