/**
 * A small client for Node.js 20 and later: signs requests with OAuth 1.0a (HMAC-SHA1), without dependencies.
 *
 *     const keys = { consumer: [key, secret], token: [token, tokenSecret] };
 *     const reply = await call(keys, 'GET', 'http://127.0.0.1:8081/12/accounts', { query: { count: '2' } });
 *     console.log(reply.status, reply.json);
 */
import { createHmac, randomBytes } from 'node:crypto';

/** Percent-encodes a text as OAuth wants it: everything but letters, digits, `-`, `.`, `_` and `~`. */
const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/** Name and value pairs as a query or a form. */
const encodePairs = (pairs) => pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');

/**
 * The Authorization header of a signed request.
 * @param keys `consumer` and `token`, each a key and a secret; without a token in the first step of a login
 * @param pairs the parameters of query and form: both are signed, a JSON body is not
 */
export function sign({ consumer, token }, method, url, pairs = [], protocol = {}) {
  const oauth = {
    oauth_consumer_key: consumer[0],
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
    ...(token && { oauth_token: token[0] }),
    oauth_version: '1.0',
    ...protocol,
  };
  // Sorted by encoded name, then by encoded value.
  const parameters = [...pairs, ...Object.entries(oauth)]
    .map(([name, value]) => [encode(name), encode(value)])
    .sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&');
  const { origin, pathname } = new URL(url);
  const base = [method, origin + pathname, parameters].map(encode).join('&');
  const key = `${encode(consumer[1])}&${encode(token?.[1] ?? '')}`;
  const signature = createHmac('sha1', key).update(base).digest('base64');
  const header = Object.entries({ ...oauth, oauth_signature: signature });
  return `OAuth ${header.map(([name, value]) => `${name}="${encode(value)}"`).join(', ')}`;
}

/**
 * Sends a request and reads the reply.
 * @param keys what `sign` takes, or `{ bearer }`, or `{ basic: [key, secret] }`
 * @param sent `query`, `form` and `protocol` are objects of texts; `json` is sent as the body instead of a form
 * @returns status, headers, the body as text, and what it says as JSON if it is JSON
 */
export async function call(keys, method, url, { query = {}, form, json, protocol } = {}) {
  const target = new URL(url);
  const all = [...target.searchParams, ...Object.entries(query)];
  target.search = encodePairs(all);
  const pairs = [...all, ...Object.entries(form ?? {})];
  const authorization = keys.bearer
    ? `Bearer ${keys.bearer}`
    : keys.basic
      ? `Basic ${btoa(keys.basic.join(':'))}`
      : sign(keys, method, target, pairs, protocol);
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const body = json === undefined ? form && encodePairs(Object.entries(form)) : JSON.stringify(json);
  const headers = { authorization, ...(body === undefined ? {} : { 'content-type': type }) };
  const response = await fetch(target, { method, headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

/** What a text says as JSON; undefined when it is something else, such as the lines of a stream. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
