import type { Beacon } from './beacon.ts';

/**
 * Where a browser is sent after a click: the target that was sealed into the token, which no part of the request can
 * change. Whatever a landing page should know about the click is added here.
 */
export function landingUrl(target: string, _beacon: Beacon): string {
  return target;
}

/** Whether a browser may be sent to an address. */
export function isLandingUrl(url: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}
