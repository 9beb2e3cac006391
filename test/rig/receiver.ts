import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { foreignName } from './foreign-words.ts';
import { until } from './patience.ts';

/** A request that a receiver was sent. */
export interface Arrived {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** How a receiver answers a message; it must end the answer itself, if ever. */
export type Answering = (arrived: Arrived, response: ServerResponse) => void;

/** A receiver of webhooks on this machine, which answers challenges rightly unless it is told otherwise. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** Messages, challenges excepted, in the order in which they came. */
  readonly messages: Arrived[];
  readonly challenges: Arrived[];
  /** How messages are answered: 200 when nothing else is said. */
  answer: Answering;
  /** How challenges are answered. */
  answerChallenge: Answering;
  /** How many requests to it are open at this moment, and how many were at most. */
  readonly open: { now: number; most: number };
  /** Resolves when so many messages have come; rejects after a minute. */
  came(count: number): Promise<Arrived[]>;
  close(): Promise<void>;
}

/** The right answer to a challenge. */
export function responseToken(secret: string, arrived: Arrived): string {
  const { searchParams } = new URL(arrived.target, 'http://receiver');
  const token = (searchParams.get(foreignName('crc_token')) ?? searchParams.get('crc_token'))!;
  return `sha256=${createHmac('sha256', secret).update(token).digest('base64')}`;
}

/** What the service calls the answer to its challenge. */
function answerName({ target }: Arrived): string {
  return target.includes('?crc_token=') ? 'response_token' : foreignName('response_token');
}

/** Ends an answer with a status. */
export function status(code: number, headers: Record<string, string> = {}): Answering {
  return (_, response) => void response.writeHead(code, headers).end();
}

/** Ends an answer with a body. */
export function said(body: string, code = 200): Answering {
  return (_, response) => void response.writeHead(code, { 'content-type': 'application/json' }).end(body);
}

/** Starts a receiver that knows a secret; over https with a certificate and its key. */
export async function openReceiver(
  secret: string,
  tls?: { readonly cert: string | Buffer; readonly key: string | Buffer },
): Promise<Receiver> {
  const listen: RequestListener = (request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.on('close', () => {
      open.now -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const arrived = { method, target: url, headers, body: Buffer.concat(chunks).toString() };
      if (method === 'GET') {
        receiver.challenges.push(arrived);
        receiver.answerChallenge(arrived, response);
        return;
      }
      receiver.messages.push(arrived);
      receiver.answer(arrived, response);
    });
  };
  const open = { now: 0, most: 0 };
  const server: Server = tls ? createSecureServer(tls, listen) : createServer(listen);
  // After a stall of the process, Node.js would close idle connections just as the next messages are written to them. Those
  // messages fail, and their retries wait for the clock of the test, which stands still.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Who forgets to close it is not kept going by it.
  server.unref();
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/in`,
    messages: [],
    challenges: [],
    open,
    answer: status(200),
    answerChallenge: (arrived, response) =>
      said(JSON.stringify({ [answerName(arrived)]: responseToken(secret, arrived) }))(arrived, response),
    async came(count) {
      await until(`${count} messages came`, () => receiver.messages.length >= count);
      return receiver.messages.slice(0, count);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
