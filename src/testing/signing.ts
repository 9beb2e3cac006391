import { createHmac, randomBytes } from 'node:crypto';
import type { SigningKeys } from './types.ts';

/** Names and values in the order in which they are sent. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request to sign. */
export interface Unsigned {
  readonly method: string;
  /** Without the query. */
  readonly url: string;
  /** The parameters of the query and of a form. */
  readonly parameters: Pairs;
  readonly keys: SigningKeys;
  /** Seconds since 1970. */
  readonly timestamp_s: number;
  readonly nonce?: string;
}

/** The value of the `Authorization` header. @source RFC 5849 3.4.1, 3.5.1 */
export function authorizationOf({ method, url, parameters, keys, timestamp_s, nonce = newNonce() }: Unsigned): string {
  const oauth: [name: string, value: string][] = [
    ['oauth_consumer_key', keys.consumer_key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(timestamp_s)],
    ['oauth_version', '1.0'],
  ];
  if (keys.access_token !== undefined) oauth.push(['oauth_token', keys.access_token]);
  const sorted = [...parameters, ...oauth]
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort((one, other) => compare(one[0], other[0]) || compare(one[1], other[1]))
    .map((pair) => pair.join('='))
    .join('&');
  const base = [method.toUpperCase(), url, sorted].map(encoded).join('&');
  const key = [keys.consumer_secret, keys.access_token_secret ?? ''].map(encoded).join('&');
  oauth.push(['oauth_signature', createHmac('sha1', key).update(base).digest('base64')]);
  return `OAuth ${oauth.map(([name, value]) => `${name}="${encoded(value)}"`).join(', ')}`;
}

/** Percent-encodes everything but letters, digits and `-._~`. @source RFC 5849 3.6 */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Query or form text. */
export function formText(pairs: Pairs): string {
  return pairs.map((pair) => pair.map(encoded).join('=')).join('&');
}

/** By bytes: encoded text is ASCII. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function newNonce(): string {
  return randomBytes(16).toString('hex');
}
