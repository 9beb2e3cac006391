import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from './process.ts';
import type { Barker } from './types.ts';

/** Receives events as an application. */
export interface Events {
  /**
   * Opens a webhook in this process, subscribes it, and collects deliveries. Those with a wrong signature get status 401 and
   * are not collected. An earlier snapshot does not have the webhook: open another one after a restore.
   * @throws Error with the reply of the server
   */
  receive(...subscriptions: readonly [Subscription, ...Subscription[]]): Promise<Receiver>;
}

/** A subscription, as in the body of `POST /2/activity/subscriptions`. */
export interface Subscription {
  /** Such as `profile.update.bio`. */
  readonly event_type: string;
  /** Such as `{ user_id: barker.keys.user_id }`. */
  readonly filter: Readonly<Record<string, string>>;
  /** Included in each event. */
  readonly tag?: string;
}

/** A webhook of a test. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly webhookId: string;
  /** The events received so far, oldest first. */
  readonly received: readonly ReceivedEvent[];
  /** Returns all received events once there are `count` (1). Rejects after `timeout_ms` (10,000), naming those that arrived. */
  waitFor(count?: number, timeout_ms?: number): Promise<readonly ReceivedEvent[]>;
  /** Removes the webhook and its subscriptions. */
  close(): Promise<void>;
}

/** A delivered event: the member `data` of the body. */
export interface ReceivedEvent {
  readonly event_uuid: string;
  readonly event_type: string;
  readonly filter: Readonly<Record<string, string>>;
  readonly tag?: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own, and tests look into it
  readonly payload: any;
}

const WAIT_MS = 10_000;

/** Creates the event client of a server. */
export function createEvents({ call, keys }: Pick<Barker, 'call' | 'keys'>): Events {
  const secret = keys.consumer_secret;

  /** Calls the API as the application. */
  async function perform(method: string, path: string, json?: unknown) {
    const { status, body, text } = await call(method, path, { bearer: true, json });
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return body;
  }

  return {
    async receive(...subscriptions) {
      const inbox = openInbox(secret);
      const { server } = inbox;
      server.listen(0, '127.0.0.1').unref();
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      const end = () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
      const undo: (() => Promise<unknown>)[] = [];
      const removeAll = async () => {
        // The server may have ended, and a restore may have removed them.
        for (const remove of undo.splice(0).reverse()) await remove().catch(() => {});
        await end();
      };
      try {
        const webhookId: string = (await perform('POST', '/2/webhooks', { url })).data.id;
        undo.push(() => call('DELETE', `/2/webhooks/${webhookId}`, { bearer: true }));
        for (const each of subscriptions) {
          const path = '/2/activity/subscriptions';
          const { data } = await perform('POST', path, { ...each, webhook_id: webhookId });
          const id: string = data.subscription.subscription_id;
          undo.push(() => call('DELETE', `${path}/${id}`, { bearer: true }));
        }
        return {
          ...{ url, webhookId, received: inbox.received, waitFor: inbox.waitFor },
          ...{ close: removeAll, [Symbol.asyncDispose]: removeAll },
        };
      } catch (error) {
        await removeAll();
        throw error;
      }
    },
  };
}

/** A server that answers challenges and collects deliveries. */
function openInbox(secret: string) {
  const received: ReceivedEvent[] = [];
  const waiting = new Set<() => void>();
  let refused = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = new URL(request.url!, 'http://localhost').searchParams.get('crc_token');
    if (request.method === 'GET' && token !== null) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ response_token: signatureOf(secret, token) }));
      return;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isSigned = request.headers['x-ext-webhooks-signature'] === signatureOf(secret, body);
    response.writeHead(isSigned ? 200 : 401).end();
    if (!isSigned) {
      refused += 1;
      return;
    }
    const { data } = JSON.parse(body.toString());
    // The message at the end of a replay has none.
    if (data !== undefined) received.push(data);
    for (const look of waiting) look();
  }

  return {
    received,
    // A caller that disconnects does not fail the test.
    server: createServer((request, response) => void answer(request, response).catch(() => response.destroy())),
    waitFor(count = 1, timeout_ms = WAIT_MS): Promise<readonly ReceivedEvent[]> {
      return new Promise((resolve, reject) => {
        const settle = (complete: () => void): void => {
          waiting.delete(look);
          callOff();
          complete();
        };
        const look = (): void => {
          if (received.length >= count) settle(() => resolve([...received]));
        };
        const callOff = after(timeout_ms, () => {
          const arrived = received.map(({ event_type, filter }) => `${event_type} ${JSON.stringify(filter)}`);
          const wrong = refused > 0 ? [`${refused} with a wrong signature`] : [];
          const seen = [...arrived, ...wrong].join(', ') || 'none';
          settle(() => reject(new Error(`${count} events were expected within ${timeout_ms} ms; there came ${seen}`)));
        });
        waiting.add(look);
        look();
      });
    },
  };
}

/** The signature of a delivery, or the response token of a challenge. @source activity 19.3 and 19.4 */
function signatureOf(consumerSecret: string, signed: string | Uint8Array): string {
  return `sha256=${createHmac('sha256', consumerSecret).update(signed).digest('base64')}`;
}
