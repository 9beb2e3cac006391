import { isRefused, unclaimedScheme } from '../../base/callback-schemes.ts';
import type { Application } from '../../contract/store/credentials.ts';

/** What of an application decides where it may send users. */
export type CallbackRules = Pick<Application, 'callbacks' | 'native' | 'extra_query'>;

/** What is wrong with a callback. */
export type CallbackRefusal = 'not approved' | 'not oob';

const LENGTH_MAX = 2048;

/**
 * Whether an application may send users to an address. A native application may only use `oob`; the others `oob` and
 * what they registered, character by character, but for the case of the scheme and the port of a loopback address.
 * @param callback percent-decoded once.
 * @returns what is wrong; undefined when nothing is.
 * @source authentication gaps 4.1
 */
export function refuseCallback(rules: CallbackRules, callback: string): CallbackRefusal | undefined {
  if (callback === 'oob') return undefined;
  if (rules.native === 1) return 'not oob';
  const asked = comparable(callback);
  if (asked === undefined) return 'not approved';
  const isApproved = registeredCallbacks(rules).some((each) => {
    const known = comparable(each);
    return known !== undefined && (known === asked || (rules.extra_query === 1 && isWithQuery(asked, known)));
  });
  return isApproved ? undefined : 'not approved';
}

/**
 * Why an address cannot be registered, in words that follow it; undefined when it can. A custom scheme must be one that
 * its owner can claim: a reversed domain name, or a scheme that the operator allows.
 * @param schemes those that the operator allows; `*` stands for all.
 * @source authentication gaps 4.1; decision 600
 */
export function registrationError(address: string, schemes: readonly string[]): string | undefined {
  const wrong = callbackUrlError(address);
  if (wrong !== undefined) return wrong;
  const scheme = unclaimedScheme(address, schemes);
  if (scheme === undefined) return undefined;
  return `has the scheme ${scheme}; a custom scheme needs a dot, such as com.example.app, unless the operator allows it (callback_schemes)`;
}

/**
 * Why no user can be sent to an address, in words that follow it; undefined when they can.
 * @source authentication gaps 4.1
 */
export function callbackUrlError(address: string): string | undefined {
  if (address === 'oob') return 'is always allowed and need not be registered';
  if (address.length > LENGTH_MAX) return `has more than ${LENGTH_MAX} characters`;
  // Letters beyond ASCII are allowed nowhere in an address, and a header could not carry them.
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

/** What an owner should know of a correct address, registered or not; undefined when nothing. @source authentication gaps 4.1 */
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

/** The registered addresses of an application. */
export function registeredCallbacks({ callbacks }: Pick<Application, 'callbacks'>): string[] {
  return JSON.parse(callbacks) as string[];
}

/** The registered address that has most in common with another at beginning and end. */
export function nearestCallback(rules: CallbackRules, callback: string): string | undefined {
  const scored = registeredCallbacks(rules).map((address) => ({ address, score: inCommon(address, callback) }));
  return scored.sort((a, b) => b.score - a.score)[0]?.address;
}

/** How an address is compared: scheme in lower case, the port of a loopback address left out. */
function comparable(address: string): string | undefined {
  if (callbackUrlError(address) !== undefined) return undefined;
  const colon = address.indexOf(':');
  const lowered = address.slice(0, colon).toLowerCase() + address.slice(colon);
  return lowered.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/, '$1');
}

function isWithQuery(asked: string, known: string): boolean {
  return !known.includes('?') && asked.startsWith(`${known}?`);
}

function inCommon(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return start + end;
}
