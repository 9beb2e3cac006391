import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Reply } from './types.ts';

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Sends a request; rejects when no whole reply comes. */
export type Send = (url: string, sent: Sent) => Promise<Reply<unknown>>;

/**
 * Makes a `Send` that trusts a certificate. It uses `node:http`, because `fetch` cannot be told what to trust, and some
 * environments of test runners lack it. Each request has a connection of its own: no other request loses one that a fault
 * closes.
 * @source decision 896
 * @param death says why the server is gone; undefined while it runs.
 */
export function sendWith(ca: string | undefined, death: () => string | undefined): Send {
  return (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const fail = (cause: Error): void => {
        const because = death();
        const what = because === undefined ? cause.message : `${cause.message}; barker ${because}`;
        reject(new Error(`${method} ${url.split('?')[0]}: ${what}`, { cause }));
      };
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, headers: { ...length, ...headers }, agent: false as const };
      const receive = (response: IncomingMessage): void => void received(response).then(resolve, fail);
      const request = url.startsWith('https:')
        ? requestHttps(url, { ...options, ca }, receive)
        : requestHttp(url, options, receive);
      request.on('error', fail);
      request.end(body);
    });
}

async function received(response: IncomingMessage): Promise<Reply<unknown>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode!, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
