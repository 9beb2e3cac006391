import type { Application } from '../contract/credentials.ts';

/** What of an application decides where it may send users. */
export type CallbackRules = Pick<Application, 'callbacks' | 'native' | 'extra_query'>;

/** What is wrong with a callback. */
export type CallbackFault = 'not approved' | 'not oob';

/** Schemes that browsers act on by themselves, or that no application can own. @source authentication gaps 4.1 */
const REFUSED_SCHEMES = new Set(
  `javascript vbscript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp
  ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip about blob
  chrome view-source ws wss intent`.split(/\s+/),
);

const LENGTH_MAX = 2048;

/**
 * Whether an application may send users to an address. A native application may only use `oob`; the others `oob` and
 * what they registered, character by character, but for the case of the scheme and the port of a loopback address.
 * @param callback percent-decoded once.
 * @returns what is wrong; undefined when nothing is.
 * @source authentication gaps 4.1
 */
export function callbackFault(rules: CallbackRules, callback: string): CallbackFault | undefined {
  if (callback === 'oob') return undefined;
  if (rules.native === 1) return 'not oob';
  const asked = comparable(callback);
  if (asked === undefined) return 'not approved';
  const isApproved = registered(rules).some((each) => {
    const known = comparable(each);
    return known !== undefined && (known === asked || (rules.extra_query === 1 && isWithQuery(asked, known)));
  });
  return isApproved ? undefined : 'not approved';
}

/** Whether an address can be registered at all, and be sent to. @source authentication gaps 4.1 */
export function isCallbackAddress(address: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined || REFUSED_SCHEMES.has(scheme) || address.length > LENGTH_MAX) return false;
  // Letters beyond ASCII are allowed nowhere in an address, and a header could not carry them.
  if (!/^[\x21-\x7e]+$/.test(address) || /[\\#]/.test(address) || !URL.canParse(address)) return false;
  const { host, username, password } = new URL(address);
  const isWeb = scheme === 'http' || scheme === 'https';
  const authority = /^[^:]+:\/\/([^/?]*)/.exec(address)?.[1] ?? '';
  return (
    username === '' && password === '' && !authority.includes('@') && (!isWeb || (host !== '' && authority !== ''))
  );
}

/** The registered addresses of an application. */
export function registered({ callbacks }: Pick<Application, 'callbacks'>): string[] {
  return JSON.parse(callbacks) as string[];
}

/** The registered address that has most in common with another at beginning and end. */
export function nearestRegistered(rules: CallbackRules, callback: string): string | undefined {
  const scored = registered(rules).map((address) => ({ address, score: inCommon(address, callback) }));
  return scored.sort((a, b) => b.score - a.score)[0]?.address;
}

/** How an address is compared: scheme in lower case, the port of a loopback address left out. */
function comparable(address: string): string | undefined {
  if (!isCallbackAddress(address)) return undefined;
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
