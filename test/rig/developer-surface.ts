import { request as httpRequest } from 'node:http';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Client, clientOf, protocol } from './client.ts';
import type { World } from './world.ts';

/** What a call of the surface for developers sends. */
export interface DevSent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The reply to such a call. */
export interface DevAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

/** Calls the surface for developers of a world. The body of the reply is undefined when it is not JSON. */
export async function dev(
  world: Pick<World, 'service'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { headers, body }: DevSent = {},
): Promise<DevAnswer> {
  const reply = await request(world.service.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.body.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  return { status: reply.statusCode, headers: reply.headers, text, body: parsed };
}

/** A client of a world whose replies may be faults: nothing holds them against the description. */
export function faultyClient(world: World, environment: 'production' | 'sandbox' = 'production'): Client {
  const { url, sandboxUrl } = world.service;
  return clientOf(environment === 'sandbox' ? sandboxUrl : url, world.keys, world.clock, () => {});
}

/** What came of a request whose reply may be cut. */
export interface CutReply {
  /** Undefined when no head came. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** How the connection failed; undefined when the reply came to its end. */
  readonly error: string | undefined;
  /** How many pieces the body came in. */
  readonly pieces: number;
  readonly duration_ms: number;
}

/** Sends a signed GET, or a POST of a form, and takes whatever comes. */
export function cutCall(
  world: World,
  url: string,
  { form, headers = {} }: { readonly form?: Record<string, string>; readonly headers?: Record<string, string> } = {},
): Promise<CutReply> {
  const method = form ? 'POST' : 'GET';
  const { header: authorization } = sign({
    ...{ method, url, form: form && Object.entries(form), oauth: protocol(world.keys, world.clock) },
    consumerSecret: world.keys.consumer_secret,
    tokenSecret: world.keys.access_token_secret,
  });
  const startedAt_ms = performance.now();
  return new Promise((resolve) => {
    const came = { status: undefined as number | undefined, headers: {}, text: '', pieces: 0 };
    const end = (error?: Error & { code?: string }): void =>
      resolve({
        ...came,
        error: error && (error.code ?? error.message),
        duration_ms: performance.now() - startedAt_ms,
      });
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
    const sent = httpRequest(url, { method, agent: false, headers: { authorization, ...type, ...headers } });
    sent.on('error', end);
    sent.on('response', (response) => {
      came.status = response.statusCode;
      came.headers = response.headers;
      response.on('data', (chunk) => {
        came.text += chunk;
        came.pieces += 1;
      });
      response.on('error', end);
      response.on('end', () => end());
    });
    sent.end(form && new URLSearchParams(form).toString());
  });
}
