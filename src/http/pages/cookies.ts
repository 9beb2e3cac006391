import type { IncomingMessage } from 'node:http';
import { LANGUAGES } from '../../base/language.ts';

/** A cookie of the pages: its name and the shape of its values. */
interface CookieKind {
  readonly name: string;
  readonly shape: RegExp;
  /** The lifetime of the cookie; by default until the browser is closed. */
  readonly keeps_s?: number;
}

/** The session cookie. */
export const SESSION_COOKIE: CookieKind = { name: 'sess', shape: /^[A-Za-z0-9_-]{43}$/ };
/** The session cookie of operators, whose listener has a port of its own: browsers send cookies to all ports of a host. */
export const OPERATOR_COOKIE: CookieKind = { name: 'operator', shape: /^[A-Za-z0-9_-]{43}$/ };
/** The device cookie, which recognizes a browser in which a user has logged in before. @source decision 504 */
export const DEVICE_COOKIE: CookieKind = {
  name: 'known',
  shape: /^[A-Za-z0-9_.-]{1,1000}$/,
  keeps_s: 180 * 86_400,
};
/** The cookie with the language that a visitor has chosen. @source decision 1268 */
export const LANGUAGE_COOKIE: CookieKind = {
  name: 'language',
  shape: new RegExp(`^(${Object.keys(LANGUAGES).join('|')})$`),
  keeps_s: 365 * 86_400,
};

/** The name of a cookie. Browsers enforce secure attributes for the prefix `__Host-`. */
function nameOf({ name }: CookieKind, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** The value of a cookie; undefined if the request has none of its shape. */
export function readCookie(request: IncomingMessage, kind: CookieKind, isSecure: boolean): string | undefined {
  const start = `${nameOf(kind, isSecure)}=`;
  const found = (request.headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(start));
  const value = found?.trim().slice(start.length) ?? '';
  return kind.shape.test(value) ? value : undefined;
}

/** The value of a Set-Cookie header that sets a cookie, or removes it. @source authentication 15.2 */
export function setCookieHeader(kind: CookieKind, value: string | undefined, isSecure: boolean): string {
  const life_s = value === undefined ? 0 : kind.keeps_s;
  const ends = life_s === undefined ? '' : `; Max-Age=${life_s}`;
  return `${nameOf(kind, isSecure)}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}${ends}`;
}
