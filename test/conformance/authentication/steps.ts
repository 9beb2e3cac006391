import type { Seen } from '../../rig/browser.ts';
import type { Reply } from '../../rig/client.ts';
import type { Api, CallOptions } from '../api.ts';
import { pairsOf } from '../expect.ts';
import type { SigningKeys } from '../keys.ts';

/** A cheap read that a user token and a bearer token may make. */
export const readOf = (api: Api): string => `/1.1/users/show.json?user_id=${api.userId}`;

/** Asks for a request token, with a PIN unless another callback is given. */
export function askRequestToken(api: Api, options: Partial<CallOptions> = {}): Promise<Reply> {
  const oauth = { oauth_callback: 'oob', ...options.oauth };
  return api.call({ method: 'POST', path: '/oauth/request_token', as: api.consumer, ...options, oauth });
}

/** A request token as keys to sign with. */
export async function beginLogin(api: Api, options: Partial<CallOptions> = {}): Promise<SigningKeys> {
  const { oauth_token, oauth_token_secret } = pairsOf(await askRequestToken(api, options));
  return { ...api.consumer, access_token: oauth_token!, access_token_secret: oauth_token_secret! };
}

/** Exchanges a request token. */
export function exchange(
  api: Api,
  request: SigningKeys,
  verifier: string | undefined,
  options: Partial<CallOptions> = {},
): Promise<Reply> {
  const oauth = { oauth_verifier: verifier };
  return api.call({ method: 'POST', path: '/oauth/access_token', as: request, oauth, ...options });
}

/** The page of consent for a request token. */
export function openConsent(api: Api, request: SigningKeys, query = ''): Promise<Seen> {
  return api.browser().get(`/oauth/authorize?oauth_token=${request.access_token}${query}`);
}

/** What a user does on the page of consent: logs in and authorizes, or cancels. */
export async function decide(api: Api, request: SigningKeys, decision: 'authorize' | 'cancel'): Promise<Seen> {
  const login = {
    'session[username_or_email]': api.key('username'),
    'session[password]': api.key('password'),
  };
  const browser = api.browser();
  const page = await browser.get(`/oauth/authorize?oauth_token=${request.access_token}`);
  const filled = decision === 'authorize' ? login : { cancel: 'Cancel' };
  return browser.submit(page, filled, { to: '/oauth/authorize' });
}

/** The PIN on a page. @throws Error when there is none */
export function pinOf({ html, status }: Seen): string {
  const [, pin] = /id="oauth_pin">\s*<kbd[^>]*>\s*<code>(\d+)<\/code>/.exec(html) ?? [];
  if (pin === undefined) throw new Error(`no PIN on the page after the consent, whose status is ${status}`);
  return pin;
}

/** A request token that its user has approved for reading, with its PIN. */
export async function approved(api: Api): Promise<{ readonly request: SigningKeys; readonly pin: string }> {
  api.key('password');
  const request = await beginLogin(api, { path: '/oauth/request_token?ext_auth_access_type=read' });
  return { request, pin: pinOf(await decide(api, request, 'authorize')) };
}

/** The keys of an exchanged token, which is revoked after the check. */
export function takeToken(api: Api, reply: Reply): SigningKeys {
  const { oauth_token, oauth_token_secret } = pairsOf(reply);
  const keys = { ...api.consumer, access_token: oauth_token!, access_token_secret: oauth_token_secret! };
  api.finally(() => revoke(api, keys));
  return keys;
}

/** Another token of the user, for reading, which is revoked after the check. */
export async function readToken(api: Api): Promise<SigningKeys> {
  const { request, pin } = await approved(api);
  return takeToken(api, await exchange(api, request, pin));
}

/** Revokes an access token. */
export function revoke(api: Api, keys: SigningKeys): Promise<Reply> {
  return api.call({ method: 'POST', path: '/1.1/oauth/invalidate_token.json', as: keys });
}
