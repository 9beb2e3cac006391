import { type Dispatcher, request } from 'undici';
import type { Reply } from '../rig/client.ts';
import { recordSecretsOfReply } from '../rig/secrets.ts';

/** A request as it is sent: nothing is added but what HTTP needs. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  /** In order; names may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
}

/** Sends a request, and does not follow redirects. */
export async function send({ method, url, headers, body }: Sent): Promise<Reply> {
  const reply = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: headers.flat(),
    ...(body !== undefined && { body }),
  });
  const received = new Headers();
  for (const [name, values] of Object.entries(reply.headers)) {
    for (const value of [values ?? []].flat()) received.append(name, value);
  }
  const text = await reply.body.text();
  recordSecretsOfReply(new URL(url).pathname, received, text);
  return { status: reply.statusCode, headers: received, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
