import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { withTimeout } from '../../../src/base/timers.ts';
import type { Reply } from '../../rig/client.ts';
import type { Api } from '../api.ts';
import { expectStatus } from '../expect.ts';
import { Skipped } from '../rule.ts';

/** A request to the receiver. */
interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on this machine, for the time of a check. */
export interface Receiver {
  readonly url: string;
  readonly arrived: readonly Arrived[];
  /** Whether challenges are answered rightly; at first they are. */
  isRight: boolean;
  /** The requests, once they fit. @throws Error after half a minute */
  when(fits: (arrived: readonly Arrived[]) => boolean): Promise<readonly Arrived[]>;
}

const PATIENCE_MS = 30_000;

/** The signature of a text, as challenges and messages have it. */
export function signatureOf(secret: string, text: string): string {
  return `sha256=${createHmac('sha256', secret).update(text).digest('base64')}`;
}

/**
 * Starts a receiver that knows the consumer secret. `receiver_url` of the keys leads to `receiver_port` of this machine;
 * without them, its own address is used, which only servers in development accept.
 */
export async function openReceiver(api: Api): Promise<Receiver> {
  const arrived: Arrived[] = [];
  let wake = (): void => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      arrived.push({ method, target, headers, body: Buffer.concat(chunks).toString() });
      const token = new URL(target, 'http://receiver').searchParams.get('crc_token') ?? '';
      const secret = receiver.isRight ? api.consumer.consumer_secret : 'wrong';
      const answer = method === 'GET' ? JSON.stringify({ response_token: signatureOf(secret, token) }) : '';
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      wake();
    });
  });
  const publicUrl = optional(api, 'receiver_url');
  server.listen(Number(optional(api, 'receiver_port') ?? 0), publicUrl === undefined ? '127.0.0.1' : undefined);
  await once(server, 'listening');
  api.finally(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    // Each check registers another URL.
    url: `${publicUrl ?? `http://127.0.0.1:${port}`}/in/${Date.now()}`,
    arrived,
    isRight: true,
    when: (fits) => withTimeout(PATIENCE_MS, fitting(fits)),
  };
  const fitting = async (fits: (all: readonly Arrived[]) => boolean): Promise<readonly Arrived[]> => {
    while (!fits(arrived)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return arrived;
  };
  return receiver;
}

function optional(api: Api, name: string): string | undefined {
  try {
    return api.key(name);
  } catch {
    return undefined;
  }
}

/** Registers a webhook. @throws Skipped when the server sends nothing to this machine */
export async function register(api: Api, url: string): Promise<Reply> {
  const reply = await api.call({ method: 'POST', path: '/2/webhooks', as: await api.bearer(), json: { url } });
  if (reply.status === 200) api.finally(async () => remove(api, reply.body.data.id));
  if (reply.text.includes('WebhookLimitExceeded')) throw new Skipped('the application has no room for a webhook');
  if (!reply.text.includes('UrlValidationFailed')) return reply;
  throw new Skipped('the server sends nothing to this machine: no receiver_url in the keys');
}

/** Removes a webhook. */
export async function remove(api: Api, id: string): Promise<Reply> {
  return api.call({ method: 'DELETE', path: `/2/webhooks/${id}`, as: await api.bearer() });
}

/** A registered webhook, with its receiver. */
export async function openWebhook(api: Api): Promise<{ readonly receiver: Receiver; readonly id: string }> {
  const receiver = await openReceiver(api);
  const reply = await register(api, receiver.url);
  expectStatus(reply, 200);
  return { receiver, id: reply.body.data.id };
}
