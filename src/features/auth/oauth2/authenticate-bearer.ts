import type { Authenticate, Authenticated, SignedParts, UserAuthenticator } from '../../../contract/declare/callers.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { ReadTransaction, Store } from '../../../storage/unit-of-work.ts';
import { StoreCache } from '../store-cache.ts';
import { bearerHash, headerSpellings } from './bearer-value.ts';

const BEARER = /^[ \t]*bearer(?:[ \t]+|$)/i;
/**
 * The characters of RFC 6750, and `%`, because the values of this server contain escapes.
 * @source authentication 10.2
 */
const VALUE = /^[A-Za-z0-9\-._~+/%]{1,1024}=*[ \t]*$/;

interface KnownBearer {
  readonly id: string;
  readonly application: Application;
  readonly isRevoked: boolean;
}

/** Authenticates the application of a bearer token; undefined for other credentials. */
export type AuthenticateBearer = (parts: SignedParts) => Promise<Authenticated> | undefined;

/** Authenticates applications by their bearer tokens, which it caches by hash. */
export function bearerAuthenticator(store: Store): AuthenticateBearer {
  const known = new StoreCache<KnownBearer>(store, ['bearer', 'application', 'user']);

  async function admit(value: string): Promise<Authenticated> {
    if (!VALUE.test(value)) throw problem('CREDENTIAL_UNUSABLE', {}, 'a bearer value of other characters');
    const key = bearerHash(value);
    const bearer = known.get(key) ?? (await known.load(key, () => store.read((tx) => readBearer(tx, value))));
    if (!bearer) throw problem('BEARER_INVALID', {}, 'unknown bearer token');
    const { id: tokenId, application, isRevoked } = bearer;
    if (isRevoked) throw problem('BEARER_INVALID', {}, 'revoked bearer token');
    if (application.suspended) throw problem('APPLICATION_SUSPENDED', {}, 'suspended application');
    return { caller: { kind: 'application', application, tokenId }, bodyHash: undefined };
  }

  return ({ authorization = '' }) => {
    const scheme = BEARER.exec(authorization);
    return scheme ? admit(authorization.slice(scheme[0].length).trimEnd()) : undefined;
  };
}

/** Looks up every spelling, even after a match: an unknown token takes as long as a known one. @source decision 93 */
async function readBearer(tx: ReadTransaction, value: string): Promise<KnownBearer | undefined> {
  const rows = [];
  for (const form of headerSpellings(value)) rows.push(await tx.bearerTokens.findByHash(bearerHash(form)));
  const row = rows.find((each) => each !== undefined);
  const application = row && (await tx.credentials.findApplication(row.application_id));
  return application && { id: row!.id, application, isRevoked: row!.outstanding === null };
}

/**
 * Authenticates requests with a bearer token, and all others by their signature.
 * @source authentication 10.2
 */
export function bearerOrUser(bearer: AuthenticateBearer, user: UserAuthenticator): Authenticate {
  return async (parts, origins) => bearer(parts) ?? user.authenticate(parts, origins);
}

/**
 * Authenticates requests with a bearer token. A request that is correctly signed as a user gets the error of a wrong
 * kind of credential.
 * @source activity 21.2
 */
export function bearerOnly(bearer: AuthenticateBearer, user: UserAuthenticator): Authenticate {
  const either = bearerOrUser(bearer, user);
  return async (parts, origins) => {
    const authenticated = await either(parts, origins);
    if (authenticated.caller.kind === 'user') throw problem('USER_NOT_ALLOWED', {}, 'signed as a user');
    return authenticated;
  };
}

/**
 * Authenticates requests that are signed as a user. A bearer token is refused: as unknown or revoked, or as a credential
 * of the wrong kind.
 * @source authentication 10.2
 */
export function userOnly(bearer: AuthenticateBearer, user: UserAuthenticator): UserAuthenticator {
  return {
    ...user,
    authenticate(parts, origins) {
      const application = bearer(parts);
      return application
        ? application.then(() => user.authenticate(parts, origins))
        : user.authenticate(parts, origins);
    },
  };
}

/**
 * Authenticates requests that are signed as a user, and applications by key and secret where the settings allow that.
 * @source authentication 10.3
 */
export function userOrBasic(user: UserAuthenticator, basic: Authenticate, allowsBasic: boolean): Authenticate {
  return async (parts, origins) => {
    const isBasic = /^[ \t]*basic([ \t]|$)/i.test(parts.authorization ?? '');
    return isBasic && allowsBasic ? basic(parts, origins) : user.authenticate(parts, origins);
  };
}
