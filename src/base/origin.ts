/**
 * The origin of a base URI: in lower case, without the scheme's default port, IPv6 literals unchanged.
 * @param host host and optional port, as in a `Host` header.
 * @source authentication 2.1; RFC 5849 3.4.1.2
 */
export function origin(scheme: 'http' | 'https', host: string): string {
  const lower = host.trim().toLowerCase();
  return `${scheme}://${lower.replace(scheme === 'http' ? /:(?:80)?$/ : /:(?:443)?$/, '')}`;
}
