/** Schemes that browsers act on by themselves, or that no application can own. @source authentication gaps 4.1 */
const REFUSED_SCHEMES = new Set(
  `javascript vbscript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp
  ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip about blob
  chrome view-source ws wss intent`.split(/\s+/),
);

/** In the list of schemes that an operator allows: every custom scheme that is not refused. */
export const ANY_SCHEME = '*';

/** A domain name, reversed, in lower case: two labels or more. @source RFC 8252 7.1 */
const REVERSE_DOMAIN = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/;

/** Whether no application may have a scheme, whatever an operator allows. @param scheme in lower case. */
export function isRefused(scheme: string): boolean {
  return REFUSED_SCHEMES.has(scheme);
}

/**
 * The schemes of a list that an operator may allow, in lower case; undefined when one is no scheme, or is refused whatever
 * an operator says.
 */
export function schemesOf(list: readonly string[]): readonly string[] | undefined {
  const schemes = list.map((each) => each.toLowerCase());
  const isScheme = (each: string): boolean => /^[a-z][a-z0-9+.-]*$/.test(each) && !isRefused(each);
  return schemes.every((each) => each === ANY_SCHEME || isScheme(each)) ? schemes : undefined;
}

/** The scheme of a correct address when any application could claim it; undefined when the rules of registration let it in. */
export function unclaimedScheme(address: string, schemes: readonly string[]): string | undefined {
  const scheme = address.slice(0, address.indexOf(':')).toLowerCase();
  const isKnown = scheme === 'https' || scheme === 'http' || REVERSE_DOMAIN.test(scheme);
  return isKnown || schemes.includes(scheme) || schemes.includes(ANY_SCHEME) ? undefined : scheme;
}
