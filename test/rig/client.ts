import { randomBytes } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { foreignOf, ownHeaders, ownText } from './foreign-words.ts';
import { recordSecretsOfReply } from './secrets.ts';
import { checkReply } from './validation.ts';

/** The keys that a client signs with. */
export interface Keys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

/** What a call sends beside its path. */
export interface Sent {
  /** Form parameters for POST and PUT; query parameters otherwise. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  readonly json?: unknown;
  /** A body of parts; parameters then stand in the query. */
  readonly parts?: FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Signs and sends calls as a client would, over real HTTP. */
export interface Client {
  call(method: string, path: string, sent?: Sent): Promise<Reply>;
}

/** A client of one origin. Every reply is held against the description, unless something else looks at it. */
export function clientOf(
  origin: string,
  keys: Keys,
  clock: Clock,
  seen: (method: string, reply: Reply, url: string) => void = (method, { status, headers, text }, url) =>
    checkReply(method, url, status, headers, text),
): Client {
  return {
    async call(method, path, { params, json, parts, headers = {} } = {}) {
      const words = foreignOf(origin, method, path);
      const pairs = Object.entries(params ?? {}).map(
        ([name, value]) => [words.parameter(name), words.value(name, String(value))] as const,
      );
      const isForm = pairs.length > 0 && !parts && (method === 'POST' || method === 'PUT');
      const query =
        pairs.length > 0 && !isForm
          ? `${path.includes('?') ? '&' : '?'}${new URLSearchParams(pairs as [string, string][])}`
          : '';
      const ownUrl = origin + path + query;
      const url = origin + words.target(path) + query;
      const inParts = parts && new Response(words.parts(parts));
      const body = inParts
        ? Buffer.from(await inParts.arrayBuffer())
        : json !== undefined
          ? JSON.stringify(words.json(json))
          : isForm
            ? new URLSearchParams(pairs as [string, string][]).toString()
            : undefined;
      const formType = isForm ? 'application/x-www-form-urlencoded' : inParts?.headers.get('content-type');
      const type = json !== undefined ? 'application/json' : formType;
      const { header } = sign({
        method,
        url,
        form: isForm ? pairs : undefined,
        oauth: protocol(keys, clock),
        consumerSecret: keys.consumer_secret,
        tokenSecret: keys.access_token_secret,
      });
      // What lies below fetch: its streams cost a fifth of what tests of many calls take, and nothing here looks at them.
      const response = await request(url, {
        method: method as Dispatcher.HttpMethod,
        headers: { authorization: header, ...(type ? { 'content-type': type } : {}), ...headers },
        ...(body !== undefined && { body }),
      });
      const reply = await readRequested(ownUrl, response);
      seen(method, reply, ownUrl);
      return reply;
    },
  };
}

/** Protocol parameters with a fresh nonce. */
export function protocol(keys: Keys, clock: Clock): Record<string, string> {
  return {
    oauth_consumer_key: keys.consumer_key,
    oauth_nonce: randomBytes(12).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(clock.now() / 1000)),
    oauth_token: keys.access_token,
    oauth_version: '1.0',
  };
}

/** Reads a reply to `request`, which takes less time than `fetch`, in own words. */
export async function readRequested(
  url: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
): Promise<Reply> {
  return replyOf(url, statusCode, ownHeaders(headersOf(headers)), ownText(await body.text()));
}

/** Reads a reply; the body is undefined when it is not JSON. */
export async function read(response: Response): Promise<Reply> {
  return replyOf(response.url, response.status, response.headers, await response.text());
}

function replyOf(url: string, status: number, headers: Headers, text: string): Reply {
  recordSecretsOfReply(url.replace(/^\w+:\/\/[^/]*/, ''), headers, text);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status, headers, text, body };
}

function headersOf(input: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(input)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
}
