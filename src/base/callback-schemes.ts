/** Schemes that browsers handle themselves or that no application can own. @source authentication 4.1 */
const REFUSED_SCHEMES = new Set(
  `javascript vbscript vbs data mocha keyword livescript ftp file gopher acrobat callto daap itpc itms firefoxurl hcp
  ldap mailto mmst mmsu msbd rtsp mso-offdap snews news nntp outlook stssync rlogin telnet tn3270 shell sip about blob
  chrome view-source ws wss intent`.split(/\s+/),
);

/** Wildcard in the operator's list of allowed schemes: every custom scheme that is not refused. */
export const ANY_SCHEME = '*';

/** A reverse domain name in lower case, with two labels or more. @source RFC 8252 7.1 */
const REVERSE_DOMAIN = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/;

/** Whether a scheme is refused for every application, even if an operator allows it. @param scheme in lower case. */
export function isRefused(scheme: string): boolean {
  return REFUSED_SCHEMES.has(scheme);
}

/** Parses an operator's list of schemes to lower case; undefined if one is invalid or always refused. */
export function parseSchemes(list: readonly string[]): readonly string[] | undefined {
  const schemes = list.map((each) => each.toLowerCase());
  const isScheme = (each: string): boolean => /^[a-z][a-z0-9+.-]*$/.test(each) && !isRefused(each);
  return schemes.every((each) => each === ANY_SCHEME || isScheme(each)) ? schemes : undefined;
}

/** Returns the scheme of a valid URL if any application could claim it; undefined if registration accepts it. */
export function unclaimedScheme(address: string, schemes: readonly string[]): string | undefined {
  const scheme = address.slice(0, address.indexOf(':')).toLowerCase();
  const isKnown = scheme === 'https' || scheme === 'http' || REVERSE_DOMAIN.test(scheme);
  return isKnown || schemes.includes(scheme) || schemes.includes(ANY_SCHEME) ? undefined : scheme;
}
