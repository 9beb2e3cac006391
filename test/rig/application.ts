import type { Keys, Reply } from './client.ts';
import { rawCall } from './raw.ts';
import type { World } from './world.ts';

/** What an application presents as key and secret. */
export type Pair = Pick<Keys, 'consumer_key' | 'consumer_secret'>;

/** The header of key and secret, as they stand. */
export function basic({ consumer_key, consumer_secret }: Pair): string {
  return `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`;
}

/** Sends a form with an `Authorization` header, or without. */
export function postForm(
  world: World,
  target: string,
  authorization: string | undefined,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const own: Record<string, string> = authorization === undefined ? {} : { authorization };
  const type = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };
  return rawCall(world.service.sandboxUrl, world.clock, {
    method: 'POST',
    target,
    body,
    headers: { ...type, ...own, ...headers },
  });
}

/** Asks for the bearer token of an application. */
export function askToken(world: World, pair: Pair, body = 'grant_type=client_credentials'): Promise<Reply> {
  return postForm(world, '/oauth2/token', basic(pair), body);
}

/** The bearer token of an application. Throws when it is refused. */
export async function bearerOf(world: World, pair: Pair): Promise<string> {
  const reply = await askToken(world, pair);
  if (reply.status !== 200) throw new Error(reply.text);
  return reply.body.access_token;
}

/** Reads something with a bearer token. */
export function withBearer(world: World, value: string, target: string): Promise<Reply> {
  const headers = { authorization: `Bearer ${value}` };
  return rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target, headers });
}
