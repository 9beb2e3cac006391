import type { IncomingMessage } from 'node:http';

/** A name or an address in brackets, and a port; nothing that could be read in two ways. @source RFC 9110 7.2; RFC 3986 3.2.2 */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Whether a text is a host with or without a port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/**
 * Whether a request names one host, or none where its version lets it. With two, whatever stands in front may have gone by
 * the other one.
 * @source RFC 9112 3.2
 */
export function hasValidHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.0';
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 && isAuthority(host);
}
