import type { RequestToken } from '../../../contract/store/grants.ts';

/** Whether the verifier is shown as a PIN, instead of being sent to a callback. */
export function usesPin(requestToken: RequestToken): boolean {
  return requestToken.callback === 'oob';
}

/** Whether a URL opens another program instead of a web page. */
export function isCustomScheme(address: string): boolean {
  return !/^https?:/i.test(address);
}

/**
 * The part of a URL that a user can recognize: the host, non-ASCII letters in Punycode; of a custom scheme the scheme.
 * @source authentication 15.2
 */
export function displayHost(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host } = new URL(address);
  return isCustomScheme(address) ? protocol : host;
}
