import type { IncomingMessage } from 'node:http';

/** A cookie of the pages: its name, and what its values look like. */
interface CookieKind {
  readonly name: string;
  readonly shape: RegExp;
  /** How long the browser keeps it; until it is closed when nothing is said. */
  readonly keeps_s?: number;
}

/** The session. */
export const SESSION_COOKIE: CookieKind = { name: 'sess', shape: /^[A-Za-z0-9_-]{43}$/ };
/** By which a browser is known in which somebody logged in before. */
export const DEVICE_COOKIE: CookieKind = {
  name: 'known',
  shape: /^[A-Za-z0-9_.-]{1,1000}$/,
  keeps_s: 180 * 86_400,
};

/** The prefix makes browsers take a cookie only as it is written here. */
function nameOf({ name }: CookieKind, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a cookie, when the browser sent one of its shape. */
export function readCookie(request: IncomingMessage, kind: CookieKind, isSecure: boolean): string | undefined {
  const start = `${nameOf(kind, isSecure)}=`;
  const found = (request.headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(start));
  const value = found?.trim().slice(start.length) ?? '';
  return kind.shape.test(value) ? value : undefined;
}

/** The header that gives the browser a cookie, or takes it away. @source authentication gaps 15.2 */
export function setCookieHeader(kind: CookieKind, value: string | undefined, isSecure: boolean): string {
  const life_s = value === undefined ? 0 : kind.keeps_s;
  const ends = life_s === undefined ? '' : `; Max-Age=${life_s}`;
  return `${nameOf(kind, isSecure)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${ends}`;
}
