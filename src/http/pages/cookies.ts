import type { IncomingMessage } from 'node:http';

/** The name of the cookie with the value of a session. The prefix makes browsers take it only as it is written here. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-sess' : 'sess';
}

/** The value of the session's cookie, when the browser sent one of its shape. */
export function sessionValue(request: IncomingMessage, isSecure: boolean): string | undefined {
  const start = `${nameOf(isSecure)}=`;
  const found = (request.headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(start));
  const value = found?.trim().slice(start.length) ?? '';
  return /^[A-Za-z0-9_-]{43}$/.test(value) ? value : undefined;
}

/** The header that gives the browser a session, or takes it away. @source authentication gaps 15.2 */
export function sessionCookie(value: string | undefined, isSecure: boolean): string {
  const ends = value === undefined ? '; Max-Age=0' : '';
  return `${nameOf(isSecure)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${ends}`;
}
