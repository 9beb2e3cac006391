import type { IncomingMessage } from 'node:http';

/** A name or an address in brackets, and optionally a port; nothing ambiguous. @source RFC 9110 7.2; RFC 3986 3.2.2 */
const AUTHORITY = /^(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

/** Whether a text is a host with or without a port. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

/** A target with its scheme and host. @source RFC 9112 3.2.2 */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is;

/**
 * Whether a request names exactly one host, or none where its version allows that. If there are two, a proxy in front
 * may have used the other one. The host of an absolute target takes the place of the header.
 * @source RFC 9112 3.2; decision 482
 */
export function hasValidHost(request: IncomingMessage): boolean {
  const { headers, httpVersion, rawHeaders } = request;
  if (!request.url!.startsWith('/')) {
    const [, authority, rest = ''] = ABSOLUTE_FORM.exec(request.url!) ?? [];
    if (authority !== undefined) {
      headers.host = authority;
      request.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
  }
  const { host } = headers;
  const count = countHeader(rawHeaders, 'host');
  if (count === 0 && httpVersion === '1.0') return host === undefined || isAuthority(host);
  return count === 1 && isAuthority(host!);
}

/** Counts the occurrences of a header; `name` is in lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const each = rawHeaders[index]!;
    if (each.length === name.length && each.toLowerCase() === name) count += 1;
  }
  return count;
}
