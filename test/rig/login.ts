import { randomBytes } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Keys, type Reply, read } from './client.ts';
import { recordSecret } from './secrets.ts';
import type { World } from './world.ts';

/** What a step of the token protocol sends. */
export interface Step {
  readonly method?: 'POST' | 'GET';
  readonly path: '/oauth/request_token' | '/oauth/access_token';
  readonly consumer: Pick<Keys, 'consumer_key' | 'consumer_secret'>;
  /** The request token, or whatever token is presented. */
  readonly token?: { readonly token: string; readonly secret: string };
  /** Further parameters of the header; undefined ones are left out. */
  readonly oauth?: Readonly<Record<string, string | undefined>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Protocol parameters travel in the query instead of the header. */
  readonly isAllInQuery?: boolean;
  readonly skew_s?: number;
}

/** A step ready to be sent, once or more often. */
export interface Prepared {
  readonly url: string;
  readonly init: RequestInit;
}

/** Signs a step as a client would. */
export function prepare(origin: string, clock: Clock, step: Step): Prepared {
  const { method = 'POST', path, consumer, token, query = {}, form, isAllInQuery, skew_s = 0 } = step;
  const input = Object.entries(step.oauth ?? {}).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const oauth = {
    oauth_consumer_key: consumer.consumer_key,
    oauth_nonce: randomBytes(12).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(clock.now() / 1000) + skew_s),
    oauth_version: '1.0',
    ...(token && { oauth_token: token.token }),
    ...Object.fromEntries(input),
  };
  const url = origin + path + mark(new URLSearchParams(query));
  const { header, signature } = sign({
    method,
    url,
    form: form && Object.entries(form),
    oauth,
    consumerSecret: consumer.consumer_secret,
    tokenSecret: token?.secret ?? '',
  });
  const body = form && new URLSearchParams(form).toString();
  const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
  if (!isAllInQuery) return { url, init: { method, headers: { authorization: header, ...type }, body: body ?? null } };
  const all = new URLSearchParams({ ...query, ...oauth, oauth_signature: signature });
  return { url: origin + path + mark(all), init: { method, headers: { ...type }, body: body ?? null } };
}

function mark(query: URLSearchParams): string {
  return query.size > 0 ? `?${query}` : '';
}

/** Sends a step. */
export async function send({ url, init }: Prepared): Promise<Reply> {
  return read(await fetch(url, init));
}

/** Signs and sends a step in production. */
export function take(world: World, step: Step): Promise<Reply> {
  return send(prepare(world.service.url, world.clock, step));
}

/** The pairs of a reply. */
export function pairs(reply: Reply): Record<string, string> {
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  return Object.fromEntries(new URLSearchParams(reply.text));
}

/** Begins a login; the answer is the request token. */
export async function begin(
  world: World,
  consumer: Step['consumer'],
  { callback = 'oob', query }: { readonly callback?: string; readonly query?: Step['query'] } = {},
): Promise<{ token: string; secret: string }> {
  const oauth = { oauth_callback: callback };
  const said = pairs(await take(world, { path: '/oauth/request_token', consumer, oauth, ...(query && { query }) }));
  return { token: said.oauth_token!, secret: said.oauth_token_secret! };
}

/** Approves a request token as the pages do; the answer is the verifier. */
export async function approve(world: World, token: string, user: string): Promise<string> {
  const found = await world.service.grants.find(token);
  const approved = found && (await world.service.grants.approve(found.requestToken, user));
  if (!approved) throw new Error('the request token can no longer be approved');
  recordSecret('verifier', approved.verifier);
  return approved.verifier;
}

/** Ends a login with a verifier. */
export function end(
  world: World,
  consumer: Step['consumer'],
  token: { readonly token: string; readonly secret: string },
  verifier: string | undefined,
): Promise<Reply> {
  return take(world, { path: '/oauth/access_token', consumer, token, oauth: { oauth_verifier: verifier } });
}
