import type { RequestToken } from '../../../contract/store/grants.ts';

/** Whether the answer is a PIN that the user reads, instead of an address that the browser is sent to. */
export function usesPin(requestToken: RequestToken): boolean {
  return requestToken.callback === 'oob';
}

/** Whether an address opens another program instead of a page. */
export function isCustomScheme(address: string): boolean {
  return !/^https?:/i.test(address);
}

/**
 * What of an address a user can judge: the host, letters beyond ASCII in punycode; of a scheme of its own the scheme.
 * @source authentication gaps 15.2
 */
export function displayHost(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host } = new URL(address);
  return isCustomScheme(address) ? protocol : host;
}
