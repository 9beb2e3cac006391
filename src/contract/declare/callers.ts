import type { AccessLevel, Application } from '../store/credentials.ts';
import type { RequestToken } from '../store/grants.ts';
import type { Publisher } from '../store/publishers.ts';
import type { AccountState } from './account-state.ts';
import type { CredentialKind } from './operation.ts';
import type { Role } from './roles.ts';

/**
 * The parts of a request that its signature covers, raw, as received.
 * @source authentication 2.1; RFC 5849 3.4.1
 */
export interface SignedParts {
  /** As received; upper-cased for signing. */
  readonly method: string;
  /** Raw request target, one character per byte as the HTTP parser returns it: path and query, never re-serialized. */
  readonly target: string;
  /** Raw header value, one character per byte. */
  readonly authorization: string | undefined;
  /** `application/x-www-form-urlencoded` body decoded as UTF-8, if the request has one. */
  readonly form: string | undefined;
}

/** The user and application behind a signed request. */
export interface Principal {
  readonly kind: 'user';
  readonly user: string;
  readonly application: string;
  readonly tokenId: string;
  readonly token: string;
  /** Level of the token. */
  readonly level: AccessLevel;
  readonly applicationLevel: AccessLevel;
}

/** An application calling for itself: a request signed without a token, key and secret, or a bearer token. */
interface ApplicationCaller {
  readonly kind: 'application';
  readonly application: Application;
  /** Id of the bearer token, if one was presented. */
  readonly tokenId?: string;
  /** The `oauth_callback` of a signed request. */
  readonly callback?: string;
}

/** An application that signs with one of its request tokens, in any state that is not final. */
export interface RequestTokenCaller {
  readonly kind: 'request-token';
  readonly application: Application;
  readonly requestToken: RequestToken;
  /** The secret of the request token, unsealed. */
  readonly tokenSecret: string;
  /** The `oauth_verifier` of the request. */
  readonly verifier: string | undefined;
}

/** A publisher that requests ads. */
interface PublisherCaller {
  readonly kind: 'publisher';
  readonly publisher: Publisher;
}

/**
 * The application that API calls of pages are attributed to. It has no keys, so it cannot sign requests.
 * @source decision 999
 */
export const CONSOLE_APPLICATION = 'console';

/** The caller of API calls made by pages: the session stands in for a token. */
export function consoleCaller(user: string): Principal {
  return {
    ...{ kind: 'user', user, application: CONSOLE_APPLICATION, tokenId: CONSOLE_APPLICATION, token: '' },
    ...{ level: 'read-write', applicationLevel: 'read-write' },
  };
}

/** The caller, by the kind of credential presented. */
export type Caller = Principal | ApplicationCaller | RequestTokenCaller | PublisherCaller;

/**
 * Narrows the caller of an operation whose credential allows one kind only. Throws when operation and credential
 * disagree.
 */
export function callerOf<K extends Caller['kind']>(caller: Caller, kind: K): Extract<Caller, { kind: K }> {
  if (caller.kind !== kind) throw new Error(`an operation for ${kind} was called by ${caller.kind}`);
  return caller as Extract<Caller, { kind: K }>;
}

/** Id of the application that the caller is or acts through. Throws for publishers, which have none. */
export function applicationOf(caller: Caller): string {
  const id = findApplicationOf(caller);
  if (id === undefined) throw new Error(`an operation for applications was called by ${caller.kind}`);
  return id;
}

/** Like `applicationOf`, but undefined for publishers. */
export function findApplicationOf(caller: Caller): string | undefined {
  if (caller.kind === 'publisher') return undefined;
  return caller.kind === 'user' ? caller.application : caller.application.id;
}

/** The key of the caller for rate windows and caches: a user, an application or a publisher. */
export function callerKey(caller: Caller): string {
  if (caller.kind === 'publisher') return `p${caller.publisher.id}`;
  return caller.kind === 'user' ? `u${caller.user}` : `a${caller.application.id}`;
}

/** An authenticated caller, and the body hash if the signature contains one. */
export interface Authenticated {
  readonly caller: Caller;
  readonly bodyHash: string | undefined;
  /** Non-protocol parameters of the Authorization header. */
  readonly headerParameters?: readonly (readonly [name: string, value: string])[];
  /** The nonce of a signed request. */
  readonly nonce?: NonceReservation | undefined;
}

/**
 * What a nonce is used for: a request that only reads, one that ends in a commit of the database, or one that may change
 * files without one.
 * @source decision 747
 */
export type NonceUse = 'read' | 'change' | 'change-of-files';

/** A nonce reserved for one request until it is committed or released. */
export interface NonceReservation {
  /**
   * Uses the nonce up; resolves once the request cannot be replayed, even after a crash.
   * @throws SIGNATURE_REFUSED when another process has used it; StoreUnavailable
   */
  commit(use: NonceUse): Promise<void>;
  /** Makes the nonce usable again: the request was refused only for its rate. */
  release(): void;
}

/** Input of an authenticator: the signed parts, and the caller's address. */
export interface PresentedCredential extends SignedParts {
  readonly address: string;
}

/**
 * Authenticates credentials of one kind; `app/authentication.ts` lists the implementations.
 * @throws the problem of the first check that fails.
 */
export type Authenticate = (parts: PresentedCredential, origins: readonly string[]) => Promise<Authenticated>;

/** The authenticators of all credential kinds except `user`. */
export type OtherAuthenticators = Readonly<Partial<Record<Exclude<CredentialKind, 'user'>, Authenticate>>>;

/** Authenticates requests signed with an access token; `features/auth/oauth1/authenticate-user.ts` implements it. */
export interface UserAuthenticator {
  /**
   * Throws, or rejects with, the problem of the first check that fails. Synchronous when the credential is cached.
   * `origins` are base URI origins, the likeliest first.
   */
  authenticate(parts: SignedParts, origins: readonly string[]): Authenticated | Promise<Authenticated>;
  /**
   * Whether a request names a token in use and a timestamp within bounds. Does not verify the signature, which needs
   * the form. Never rejects because of the request's content.
   */
  isTokenInUse(parts: SignedParts): Promise<boolean>;
}

/** A user's permissions on an account, and the account as authorization needs it. */
export interface Access {
  readonly role: Role;
  readonly canCompose: boolean;
  readonly account: AccountState;
}

/**
 * A cache of account access, which every request that names an account needs. A write that affects an account evicts it
 * before it is acknowledged. Missing access is not cached. `features/ads/account-access-cache.ts` implements it.
 */
export interface AccountAccesses {
  /** The cached access: the common case, synchronous. */
  cached(user: string, account: string): Access | undefined;
  find(user: string, account: string): Promise<Access | undefined>;
}
