import type { Authenticate, Authenticated, UserAuthenticator } from '../../../contract/declare/callers.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { BearerCache, CachedBearer } from './bearer-cache.ts';

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
  return async (parts, origins) => {
    const scheme = BEARER.exec(parts.authorization ?? '');
    if (!scheme) return user.authenticate(parts, origins);
    const value = parts.authorization!.slice(scheme[0].length).trimEnd();
    if (!VALUE.test(value)) throw problem('CREDENTIAL_UNUSABLE', {}, 'a bearer value of other characters');
    return admitted(bearers.cached(value) ?? (await bearers.find(value)));
  };
}

function admitted(bearer: CachedBearer | undefined): Authenticated {
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
 * Authenticates requests that are signed as a user, and applications by key and secret where the settings allow that.
 * @source authentication gaps 10.3
 */
export function userOrBasic(user: UserAuthenticator, basic: Authenticate, allowsBasic: boolean): Authenticate {
  return async (parts, origins) => {
    const isBasic = /^[ \t]*basic([ \t]|$)/i.test(parts.authorization ?? '');
    return isBasic && allowsBasic ? basic(parts, origins) : user.authenticate(parts, origins);
  };
}
