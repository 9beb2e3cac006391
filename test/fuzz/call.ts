import { randomBytes } from 'node:crypto';
import { encode } from '../../src/base/percent.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import type { Keys } from '../rig/client.ts';

/** Names and values of a query or a form, as they are before they are encoded. */
export type Pairs = (readonly [name: string, value: string])[];

/** A request that can still be changed: it is signed and written out last. */
export interface Call {
  readonly origin: string;
  method: string;
  /** Without its query. */
  path: string;
  query: Pairs;
  /** What is signed with the rest; a body beside it is sent in its place. */
  form: Pairs | undefined;
  body: Buffer | string | undefined;
  headers: (readonly [name: string, value: string])[];
  /** Undefined for a call that presents something else, or nothing. */
  keys: Keys | undefined;
}

const textOf = (pairs: Pairs): string => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');

/** The request target of a call. */
export function targetOf({ path, query }: Call): string {
  return query.length > 0 ? `${path}?${textOf(query)}` : path;
}

/** A call as it goes over the wire, signed now. */
export function bytesOf(call: Call): Buffer {
  const { origin, method, form, keys, headers } = call;
  const target = targetOf(call);
  const content = call.body ?? (form ? textOf(form) : undefined);
  const lines = [`${method} ${target} HTTP/1.1`];
  const has = (wanted: string): boolean => headers.some(([name]) => name.toLowerCase() === wanted);
  if (!has('host')) lines.push(`host: ${origin.slice(origin.indexOf('//') + 2)}`);
  if (keys && !has('authorization')) lines.push(`authorization: ${authorization(call, keys)}`);
  if (form && !has('content-type')) lines.push('content-type: application/x-www-form-urlencoded');
  const body = content === undefined ? Buffer.alloc(0) : Buffer.from(content as string);
  if (content !== undefined && !has('content-length')) lines.push(`content-length: ${body.length}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

function authorization(call: Call, keys: Keys): string {
  const form = call.body === undefined || isForm(call) ? call.form : undefined;
  try {
    return sign({
      method: call.method,
      url: call.origin + targetOf(call),
      form,
      oauth: {
        oauth_consumer_key: keys.consumer_key,
        oauth_nonce: randomBytes(12).toString('hex'),
        oauth_signature_method: 'HMAC-SHA1',
        oauth_timestamp: String(Math.floor(Date.now() / 1000)),
        oauth_token: keys.access_token,
        oauth_version: '1.0',
      },
      consumerSecret: keys.consumer_secret,
      tokenSecret: keys.access_token_secret,
    }).header;
  } catch {
    // Whatever stands in a path that was written by hand may not be signable.
    return 'OAuth oauth_version="1.0"';
  }
}

function isForm({ headers }: Call): boolean {
  return headers.every(([name, value]) => name !== 'content-type' || value.startsWith('application/x-www-form'));
}

/** A request as a line of a shell, for whoever looks into what it did. Signatures in it are good for five minutes. */
export function curlOf(origin: string, bytes: Buffer): string {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...headers] = bytes.toString('latin1', 0, end).split('\r\n');
  const [method, target] = first.split(' ');
  const body = bytes.subarray(end + 4);
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const all = headers.filter((line) => !/^(host|content-length):/i.test(line)).map((line) => `-H ${quote(line)}`);
  const sent = body.length === 0 ? [] : ['--data-binary @-'];
  const input = body.length === 0 ? '' : `printf %s ${body.toString('base64')} | base64 -d | `;
  return `${input}${['curl -sSi --path-as-is', `-X ${method}`, ...all, ...sent, quote(origin + target)].join(' ')}`;
}
