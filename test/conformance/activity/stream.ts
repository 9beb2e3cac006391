import { type ClientRequest, type IncomingMessage, request as plain } from 'node:http';
import { request as secure } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '../../../src/base/timers.ts';
import type { Reply } from '../../rig/client.ts';
import type { Api } from '../api.ts';

/** An event, or the reason for the end of a stream. */
interface StreamLine {
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  readonly data?: any;
  readonly errors?: readonly { readonly title: string; readonly disconnect_type: string; readonly type: string }[];
}

/** An open stream. */
export interface OpenStream {
  readonly headers: Headers;
  /** Everything that has come. */
  text(): string;
  lines(): StreamLine[];
  /** The lines, once they fit. @throws Error after half a minute, or when the stream ends before */
  when(fits: (lines: StreamLine[], text: string) => boolean): Promise<StreamLine[]>;
  /** Resolves when the stream has ended. */
  readonly ended: Promise<unknown>;
  close(): void;
}

const PATIENCE_MS = 30_000;
/** A server may notice the end of an earlier stream a moment later. */
const TRIES = 20;
const BETWEEN_MS = 250;

/** Opens a stream, or returns the refusal; it is closed after the check. */
export async function askStream(api: Api, authorization: string, query = ''): Promise<OpenStream | Reply> {
  const url = `${api.url}/2/activity/stream${query}`;
  const { outgoing, incoming } = await withTimeout(PATIENCE_MS, opened(url, authorization));
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  if (incoming.statusCode !== 200) {
    const text = Buffer.concat(await incoming.toArray()).toString();
    return { status: incoming.statusCode!, headers, text, body: JSON.parse(text) };
  }
  const stream = reading(outgoing, incoming, headers);
  api.finally(async () => stream.close());
  return stream;
}

/** Opens a stream, waiting for others of the application to end. */
export async function openStream(api: Api, authorization: string, query = ''): Promise<OpenStream> {
  for (let tries = 1; ; tries++) {
    const answer = await askStream(api, authorization, query);
    if (!('status' in answer)) return answer;
    if (answer.status !== 429 || tries === TRIES) throw new Error(`no stream: ${answer.status} ${answer.text}`);
    await wait(BETWEEN_MS);
  }
}

function opened(url: string, authorization: string): Promise<{ outgoing: ClientRequest; incoming: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? secure : plain;
    const outgoing = request(url, { headers: { authorization }, agent: false }, (incoming) =>
      resolve({ outgoing, incoming }),
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function reading(outgoing: ClientRequest, incoming: IncomingMessage, headers: Headers): OpenStream {
  let text = '';
  let isOver = false;
  let wake = (): void => {};
  const come = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  incoming.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  for (const each of [incoming, outgoing]) each.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    incoming.once('close', () => {
      isOver = true;
      wake();
      resolve();
    });
  });
  const lines = (): StreamLine[] =>
    text
      .split('\r\n')
      .slice(0, -1)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const fitting = async (fits: (lines: StreamLine[], text: string) => boolean): Promise<StreamLine[]> => {
    while (!fits(lines(), text)) {
      if (isOver) throw new Error(`the stream ended with ${text.slice(-300)}`);
      await come();
    }
    return lines();
  };
  return {
    headers,
    text: () => text,
    lines,
    when: (fits) => withTimeout(PATIENCE_MS, fitting(fits)),
    ended,
    close: () => void outgoing.destroy(),
  };
}
