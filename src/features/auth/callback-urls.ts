import { isRefused, unclaimedScheme } from '../../base/callback-schemes.ts';
import type { Application } from '../../contract/store/credentials.ts';

/** The members of an application that decide which callbacks it may use. */
export type CallbackRules = Pick<Application, 'callbacks' | 'native' | 'extra_query'>;

/** Why a callback is refused. */
export type CallbackRefusal = 'not approved' | 'not oob';

const LENGTH_MAX = 2048;

/**
 * Checks whether an application may redirect users to an address. A native application may only use `oob`; others may
 * use `oob` and their registered callbacks, compared character by character except for the case of the scheme and the
 * port of a loopback address.
 * @param callback percent-decoded once.
 * @returns the reason for a refusal; undefined when the callback is allowed.
 * @source authentication 4.1
 */
export function refuseCallback(rules: CallbackRules, callback: string): CallbackRefusal | undefined {
  if (callback === 'oob') return undefined;
  if (rules.native === 1) return 'not oob';
  const requested = comparable(callback);
  if (requested === undefined) return 'not approved';
  const isApproved = registeredCallbacks(rules).some((each) => {
    const known = comparable(each);
    return known !== undefined && (known === requested || (rules.extra_query === 1 && isWithQuery(requested, known)));
  });
  return isApproved ? undefined : 'not approved';
}

/**
 * Why an address cannot be registered, phrased to follow the address in a sentence; undefined when it can. A custom
 * scheme must be one that its owner can claim (a reversed domain name) or one that the operator allows.
 * @param schemes the schemes that the operator allows; `*` allows all.
 * @source authentication 4.1; decision 600
 */
export function registrationError(address: string, schemes: readonly string[]): string | undefined {
  const wrong = callbackUrlError(address);
  if (wrong !== undefined) return wrong;
  const scheme = unclaimedScheme(address, schemes);
  if (scheme === undefined) return undefined;
  return `has the scheme ${scheme}; a custom scheme needs a dot, such as com.example.app, unless the operator allows it (callback_schemes)`;
}

/**
 * Why users cannot be redirected to an address, phrased to follow the address; undefined when they can.
 * @source authentication 4.1
 */
export function callbackUrlError(address: string): string | undefined {
  if (address === 'oob') return 'is always allowed and need not be registered';
  if (address.length > LENGTH_MAX) return `has more than ${LENGTH_MAX} characters`;
  // A URL consists of ASCII characters, and a header could not carry others.
  if (/[^\x21-\x7e]/.test(address)) return 'contains a space or a character that must be percent-encoded';
  if (address.includes('\\')) return 'contains a backslash';
  if (address.includes('#')) return 'contains a fragment (#), which is never sent to a server';
  const scheme = /^([a-z][a-z0-9+.-]*):./i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'is not an absolute URL, such as https://client.example/callback';
  if (isRefused(scheme)) return `has the scheme ${scheme}, which is refused`;
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(address)?.[1] ?? '';
  const isWeb = scheme === 'http' || scheme === 'https';
  if (!URL.canParse(address) || (isWeb && authority === '')) return 'is not a valid URL';
  const { username, password } = new URL(address);
  if (`${username}${password}` !== '' || authority.includes('@')) return 'names a user';
  return undefined;
}

/**
 * A warning for the owner about a valid address, registered or not; undefined when there is none.
 * @source authentication 4.1; decision 97; decision 601
 */
export function callbackUrlWarning(address: string, schemes: readonly string[]): string | undefined {
  if (unclaimedScheme(address, schemes) !== undefined) {
    return 'uses a scheme without a dot, which any app can claim; it still works, but new ones cannot be added';
  }
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'http:') return undefined;
  if (hostname === 'localhost') {
    return 'uses localhost, which matches with this port only; http://127.0.0.1 matches with any port';
  }
  const isLoopback = hostname === '127.0.0.1' || hostname === '[::1]';
  return isLoopback ? undefined : 'does not use https, so the verifier can be intercepted on the way';
}

/** The registered callbacks of an application. */
export function registeredCallbacks({ callbacks }: Pick<Application, 'callbacks'>): string[] {
  return JSON.parse(callbacks) as string[];
}

/** The registered callback that shares the longest prefix and suffix with another address. */
export function nearestCallback(rules: CallbackRules, callback: string): string | undefined {
  const scored = registeredCallbacks(rules).map((address) => ({ address, score: inCommon(address, callback) }));
  return scored.sort((a, b) => b.score - a.score)[0]?.address;
}

/**
 * An address as it is compared: scheme in lower case, without the port of a loopback IP address.
 * @source decision 73
 */
function comparable(address: string): string | undefined {
  if (callbackUrlError(address) !== undefined) return undefined;
  const colon = address.indexOf(':');
  const lowered = address.slice(0, colon).toLowerCase() + address.slice(colon);
  return lowered.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/, '$1');
}

function isWithQuery(requested: string, known: string): boolean {
  return !known.includes('?') && requested.startsWith(`${known}?`);
}

function inCommon(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return start + end;
}
