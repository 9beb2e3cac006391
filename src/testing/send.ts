import { createHmac, randomBytes } from 'node:crypto';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Reply, SigningKeys } from './types.ts';

/** A request without its URL. */
interface OutgoingRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Sends a request; rejects without a complete reply. */
export type Send = (url: string, request: OutgoingRequest) => Promise<Reply<unknown>>;

/**
 * Creates a `Send` that trusts a certificate. It uses `node:http`, because `fetch` has no option for a certificate, and some
 * test environments lack it. Each request has its own connection, so that a fault that closes it affects no other.
 * @source decision 896
 * @param death returns how the server ended; undefined while it runs
 */
export function createSend(ca: string | undefined, death: () => string | undefined): Send {
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const fail = (cause: Error): void => {
        const because = death();
        const what = because === undefined ? cause.message : `${cause.message}; barker ${because}`;
        reject(new Error(`${method} ${url.split('?')[0]}: ${what}`, { cause }));
      };
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...length, ...headers }, agent: false as const };
      const receive = (response: IncomingMessage): void => void readReply(response).then(resolve, fail);
      const request = url.startsWith('https:')
        ? requestHttps(url, { ...options, ca }, receive)
        : requestHttp(url, options, receive);
      request.on('error', fail);
      request.end(body);
    });
}

async function readReply(response: IncomingMessage): Promise<Reply<unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode!, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names and values in their order in the request. */
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

/** Returns the value of the `Authorization` header. @source RFC 5849 3.4.1, 3.5.1 */
export function signRequest({ method, url, parameters, keys, timestamp_s, nonce = newNonce() }: Unsigned): string {
  const oauth: [name: string, value: string][] = [
    ['oauth_consumer_key', keys.consumer_key],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', String(timestamp_s)],
    ['oauth_version', '1.0'],
  ];
  if (keys.access_token !== undefined) oauth.push(['oauth_token', keys.access_token]);
  const sorted = [...parameters, ...oauth]
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort((one, other) => compare(one[0], other[0]) || compare(one[1], other[1]))
    .map((pair) => pair.join('='))
    .join('&');
  const base = [method.toUpperCase(), url, sorted].map(encode).join('&');
  const key = [keys.consumer_secret, keys.access_token_secret ?? ''].map(encode).join('&');
  oauth.push(['oauth_signature', createHmac('sha1', key).update(base).digest('base64')]);
  return `OAuth ${oauth.map(([name, value]) => `${name}="${encode(value)}"`).join(', ')}`;
}

/** Percent-encodes everything but letters, digits and `-._~`. @source RFC 5849 3.6 */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Encodes a query or form. */
export function encodeForm(pairs: Pairs): string {
  return pairs.map((pair) => pair.map(encode).join('=')).join('&');
}

/** Compares bytes: encoded text is ASCII. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function newNonce(): string {
  return randomBytes(16).toString('hex');
}
