import type { Authenticate, Authenticated, SignedParts, UserAuthenticator } from '../../../contract/declare/callers.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { BearerCache } from './bearer-cache.ts';

const BEARER = /^[ \t]*bearer(?:[ \t]+|$)/i;
/**
 * The characters of RFC 6750, and `%`, because the values of this server contain escapes.
 * @source authentication gaps 10.2
 */
const VALUE = /^[A-Za-z0-9\-._~+/%]{1,1024}=*[ \t]*$/;

/**
 * Authenticates requests with a bearer token, and passes all others to the check of signatures.
 * @source authentication gaps 10.2
 */
export function bearerOrUser(bearers: BearerCache, user: UserAuthenticator): Authenticate {
  return async (parts, origins) => callerOf(bearers, parts) ?? user.authenticate(parts, origins);
}

/** Who calls with a bearer token; undefined for other credentials. */
function callerOf(bearers: BearerCache, { authorization = '' }: SignedParts): Promise<Authenticated> | undefined {
  const scheme = BEARER.exec(authorization);
  return scheme ? admit(bearers, authorization.slice(scheme[0].length).trimEnd()) : undefined;
}

async function admit(bearers: BearerCache, value: string): Promise<Authenticated> {
  if (!VALUE.test(value)) throw problem('CREDENTIAL_UNUSABLE', {}, 'a bearer value of other characters');
  const bearer = bearers.cached(value) ?? (await bearers.find(value));
  if (!bearer) throw problem('BEARER_INVALID', {}, 'unknown bearer token');
  if (bearer.isRevoked) throw problem('BEARER_INVALID', {}, 'revoked bearer token');
  if (bearer.application.suspended) throw problem('APPLICATION_SUSPENDED', {}, 'suspended application');
  return { caller: { kind: 'application', application: bearer.application, tokenId: bearer.id }, bodyHash: undefined };
}

/**
 * Authenticates requests with a bearer token. A request that is correctly signed as a user gets the error of a wrong
 * kind of credential.
 * @source activity gaps 21.2
 */
export function bearerOnly(bearers: BearerCache, user: UserAuthenticator): Authenticate {
  const either = bearerOrUser(bearers, user);
  return async (parts, origins) => {
    const authenticated = await either(parts, origins);
    if (authenticated.caller.kind === 'user') throw problem('USER_NOT_ALLOWED', {}, 'signed as a user');
    return authenticated;
  };
}

/**
 * Authenticates requests that are signed as a user. A bearer token is refused: as unknown or revoked, or as a credential
 * of the wrong kind.
 * @source authentication gaps 10.2
 */
export function userOnly(bearers: BearerCache, user: UserAuthenticator): UserAuthenticator {
  return {
    ...user,
    authenticate(parts, origins) {
      const bearer = callerOf(bearers, parts);
      return bearer ? bearer.then(() => user.authenticate(parts, origins)) : user.authenticate(parts, origins);
    },
  };
}

/**
 * Authenticates requests that are signed as a user, and applications by key and secret where the settings allow that.
 * @source authentication gaps 10.3
 */
export function userOrBasic(user: UserAuthenticator, basic: Authenticate, allowsBasic: boolean): Authenticate {
  return async (parts, origins) => {
    const isBasic = /^[ \t]*basic([ \t]|$)/i.test(parts.authorization ?? '');
    return isBasic && allowsBasic ? basic(parts, origins) : user.authenticate(parts, origins);
  };
}
