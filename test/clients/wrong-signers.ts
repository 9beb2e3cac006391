import { createHash, createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { hmacsign } from 'oauth-sign';
import type { Keys } from '../rig/client.ts';
import { strictly } from './foreign.ts';

/** A request that is signed with one mistake. */
export interface WrongRequest {
  /** The name that the server should give it. */
  readonly mistake: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** It is right, and wrong only when it is sent once more. */
  readonly isSentTwice?: boolean;
}

/** What signers are told. */
export interface ToldSigners {
  readonly keys: Keys;
  readonly origin: string;
}

const FORM = 'application/x-www-form-urlencoded';
const QUERY = { q: "it's (a) *test*!", count: '10' };
const hmac = (base: string, key: string, hash = 'sha1'): Buffer => createHmac(hash, key).update(base).digest();

/** How the package `oauth-1.0a` is used wrongly. */
interface Use {
  readonly options?: Partial<OAuth.Options>;
  readonly consumer?: Partial<OAuth.Consumer>;
  readonly token?: Partial<OAuth.Token>;
  /** What is signed in place of what is sent. */
  readonly signs?: { readonly url?: string; readonly method?: string; readonly data?: unknown };
  readonly method?: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: string;
  readonly change?: (oauth: OAuth) => void;
  readonly isSentTwice?: boolean;
}

/** Requests that are signed by the package `oauth-1.0a`. */
function withOauth1a({ keys, origin }: ToldSigners): WrongRequest[] {
  const url = `${origin}/12/accounts?${strictly(QUERY)}`;
  const use = (mistake: string, { method = 'GET', form, json, signs, isSentTwice, ...how }: Use): WrongRequest => {
    const oauth = new OAuth({
      consumer: { key: keys.consumer_key, secret: keys.consumer_secret, ...how.consumer },
      signature_method: 'HMAC-SHA1',
      hash_function: (base, key) => hmac(base, key).toString('base64'),
      ...how.options,
    });
    how.change?.(oauth);
    const token = { key: keys.access_token, secret: keys.access_token_secret, ...how.token };
    const signed = oauth.authorize({ url, method, data: form, ...signs }, token);
    const type = form ? FORM : json === undefined ? undefined : 'application/json';
    const headers = { ...oauth.toHeader(signed), ...(type && { 'content-type': type }) };
    const body = form ? strictly(form) : (json ?? null);
    return { mistake, method, url, headers, body, ...(isSentTwice && { isSentTwice }) };
  };
  const time = (seconds: number) => (oauth: OAuth) => {
    oauth.getTimeStamp = () => seconds;
  };
  const now_s = Math.floor(Date.now() / 1000);
  const json = { name: 'Spring sale', budget: 5 };
  return [
    use('token-secret-left-out', { token: { secret: '' } }),
    use('ampersand-left-out', { token: { secret: '' }, options: { last_ampersand: false } }),
    use('secrets-swapped', {
      consumer: { secret: keys.access_token_secret },
      token: { secret: keys.consumer_secret },
    }),
    use('other-hash', { options: { hash_function: (base, key) => hmac(base, key, 'sha256').toString('base64') } }),
    use('digest-not-base64', { options: { hash_function: (base, key) => hmac(base, key).toString('hex') } }),
    use('other-signature-method', {
      options: {
        signature_method: 'HMAC-SHA256',
        hash_function: (base, key) => hmac(base, key, 'sha256').toString('base64'),
      },
    }),
    use('query-left-out', { signs: { url: `${origin}/12/accounts` } }),
    use('wrong-scheme', { signs: { url: url.replace('http:', 'https:') } }),
    use('port-left-out', { signs: { url: url.replace(/:\d+\//, '/') } }),
    use('body-signed', { method: 'POST', json: JSON.stringify(json), signs: { data: json } }),
    use('form-left-out', { method: 'POST', form: { name: 'Spring sale' }, signs: { data: undefined } }),
    use('body-hash-wrong', {
      method: 'POST',
      json: JSON.stringify(json),
      options: { body_hash_function: () => createHash('sha1').update('').digest('base64') },
      signs: { data: json, ...{ includeBodyHash: true } },
    }),
    use('timestamp-in-milliseconds', { change: time(Date.now()) }),
    use('timestamp-out-of-bounds', { change: time(now_s - 600) }),
    use('nonce-used-twice', { isSentTwice: true }),
    use('reserved-characters-not-encoded', {
      change(oauth) {
        oauth.percentEncode = encodeURIComponent;
      },
    }),
    use('parameters-not-sorted', {
      change(oauth) {
        oauth.sortObject = (data) => Object.keys(data).map((key) => ({ key, value: data[key] }));
      },
    }),
  ];
}

/** Requests that are signed by the package `oauth-sign`, which takes every part by itself. */
function withOauthSign({ keys, origin }: ToldSigners): WrongRequest[] {
  const sign = (mistake: string, baseUri: string, left: readonly string[] = []): WrongRequest => {
    const oauth: Record<string, string> = {
      oauth_consumer_key: keys.consumer_key,
      oauth_nonce: createHash('sha1').update(`${mistake}${Date.now()}`).digest('hex'),
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(Math.floor(Date.now() / 1000)),
      oauth_token: keys.access_token,
      oauth_version: '1.0',
    };
    const signed = Object.entries({ ...QUERY, ...oauth }).filter(([name]) => !left.includes(name));
    const { consumer_secret, access_token_secret } = keys;
    oauth.oauth_signature = hmacsign('GET', baseUri, Object.fromEntries(signed), consumer_secret, access_token_secret);
    const pairs = Object.entries(oauth).map(([name, value]) => `${name}="${encodeURIComponent(value)}"`);
    const url = `${origin}/12/accounts?${strictly(QUERY)}`;
    return { mistake, method: 'GET', url, headers: { authorization: `OAuth ${pairs.join(', ')}` }, body: null };
  };
  const path = '/12/accounts';
  return [
    sign('trailing-slash', `${origin}${path}/`),
    sign('version-left-out', `${origin}/accounts`),
    sign('origin-left-out', path),
    sign('query-in-url', `${origin}${path}?${strictly(QUERY)}`, Object.keys(QUERY)),
    sign('protocol-parameter-left-out', `${origin}${path}`, ['oauth_token']),
    sign('host-in-upper-case', origin.replace('localhost', 'LOCALHOST') + path),
  ];
}

/** Requests that packages of npm sign, each with one mistake. */
export function wrongByNpm(told: ToldSigners): WrongRequest[] {
  return [...withOauth1a(told), ...withOauthSign(told)];
}
