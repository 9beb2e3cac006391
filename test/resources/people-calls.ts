import { hash } from 'node:crypto';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Client, protocol, type Reply } from '../rig/client.ts';
import type { World } from '../rig/world.ts';

/** The hash of a person that only tests know. */
export function hashOf(person: number | string): string {
  return hash('sha256', `person ${person}`);
}

/** Persons with one hashed e-mail each. */
export function persons(from: number, to: number): { readonly email: readonly string[] }[] {
  return Array.from({ length: to - from }, (_, index) => ({ email: [hashOf(from + index)] }));
}

/** An operation of an upload. */
export function update(users: unknown, params: Record<string, unknown> = {}): unknown {
  return { operation_type: 'Update', params: { ...params, users } };
}

/** One that takes people out. */
export function remove(users: unknown, params: Record<string, unknown> = {}): unknown {
  return { operation_type: 'Delete', params: { ...params, users } };
}

/** An audience on an account. */
export interface Kept {
  readonly id: string;
  readonly path: string;
  upload(json: unknown): Promise<Reply>;
  /** The audience as it is told. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  show(): Promise<any>;
}

let count = 0;

/** Makes an audience on an account, given by its path. */
export async function audienceOn(client: Client, account: string): Promise<Kept> {
  const made = await client.call('POST', `${account}/custom_audiences`, { params: { name: `Readers ${++count}` } });
  const id = made.body.data.id as string;
  const path = `${account}/custom_audiences/${id}`;
  return {
    id,
    path,
    upload: (json) => client.call('POST', `${path}/users`, { json }),
    show: async () => (await client.call('GET', path)).body.data,
  };
}

/** Begins a signed upload in the sandbox, of which nothing is sent yet; the answer settles with the reply. */
export function beginUpload(
  world: World,
  path: string,
  headers: Readonly<Record<string, string | number>> = {},
): { readonly outgoing: ClientRequest; readonly reply: Promise<IncomingMessage & { readonly text: string }> } {
  const url = new URL(path, world.service.sandboxUrl);
  const { header: authorization } = sign({
    method: 'POST',
    url: url.href,
    form: undefined,
    oauth: protocol(world.keys, world.clock),
    consumerSecret: world.keys.consumer_secret,
    tokenSecret: world.keys.access_token_secret,
  });
  const all = { authorization, 'content-type': 'application/json', ...headers };
  const outgoing = request(url, { method: 'POST', headers: all, agent: false });
  const reply = new Promise<IncomingMessage & { text: string }>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (piece: string) => {
        text += piece;
      });
      incoming.on('end', () => resolve(Object.assign(incoming, { text })));
    });
  });
  return { outgoing, reply };
}
