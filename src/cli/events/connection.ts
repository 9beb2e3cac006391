import type { IncomingMessage } from 'node:http';
import { request as secure } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../base/clock.ts';
import { request as plain } from '../../base/node-http.ts';
import { after, elapsed_ms } from '../../base/timers.ts';
import {
  SIGNATURE_HEADER,
  signatureOf,
  standardHeaders,
  webhookKey,
} from '../../features/activity/webhooks/signing.ts';
import { buildRequest, type ConnectionProfile } from '../connection-profile.ts';
import { CommandFailed, errorMessage } from '../failure.ts';
import { send, sendStreaming } from '../send.ts';

/** The result of an attempt to connect. */
export type ConnectAttempt =
  | { readonly stream: IncomingMessage }
  /** The server refused, with this status and body. */
  | { readonly status: number; readonly body: string };

/** The parameters that make a stream begin with past events. */
export type Past = readonly (readonly [name: 'backfill_minutes' | 'start_time', value: string])[];

/** A stream without any bytes for this long is broken. @source activity 18 */
const SILENCE_MS = 20_000;

/** The number of subscriptions of the application. */
export async function countSubscriptions(caller: ConnectionProfile, bearer: string): Promise<number> {
  const request = buildRequest('GET', '/2/activity/subscriptions', caller, { data: [['max_results', '1']] });
  const { status, body } = await send(request, `Bearer ${bearer}`, caller.tlsCa);
  if (status !== 200) throw new CommandFailed(`could not list subscriptions: ${status} ${body}`);
  return (JSON.parse(body) as { meta: { total_subscriptions: number } }).meta.total_subscriptions;
}

/** Opens the stream. @throws CommandFailed when the server cannot be reached, or does not answer for `silence_ms` */
export async function connect(
  caller: ConnectionProfile,
  bearer: string,
  past: Past,
  silence_ms = SILENCE_MS,
): Promise<ConnectAttempt> {
  const request = buildRequest('GET', '/2/activity/stream', caller, { data: past });
  const abort = new AbortController();
  // A server that stands still accepts connections all the same.
  const callOff = after(silence_ms, () => abort.abort());
  try {
    const stream = await sendStreaming(request, `Bearer ${bearer}`, caller.tlsCa, abort.signal);
    if (stream.statusCode === 200) return { stream };
    return { status: stream.statusCode!, body: await text(stream) };
  } catch (error) {
    if (abort.signal.aborted) throw new CommandFailed(`no answer within ${silence_ms / 1000} s`);
    throw error;
  } finally {
    callOff();
  }
}

/** The non-empty lines of a stream until it ends, breaks, or is silent for too long. */
export async function* streamLines(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  stream.setEncoding('utf8');
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<string>;
  try {
    for (;;) {
      // The timer runs only while waiting for data, not while an event is processed.
      const callOff = after(SILENCE_MS, () => stream.destroy());
      const { value, done } = await chunks.next().finally(callOff);
      if (done) return;
      const parts = (rest + value).split('\r\n');
      rest = parts.pop()!;
      for (const part of parts) if (part !== '') yield part;
    }
  } catch {
    // A broken connection counts as ended.
  } finally {
    stream.destroy();
  }
}

/** Where events are forwarded to, and the secrets that sign them. */
export interface ForwardOptions {
  readonly url: string;
  readonly consumerSecret: string;
  /** `whsec_` and base64; without it, no Standard Webhooks headers are sent. */
  readonly webhookSecret: string | undefined;
}

/** Timeout of a receiver. @source activity 19.4 */
const TOTAL_MS = 10_000;

/**
 * Posts an event as a webhook delivery; resolves with a description of the outcome.
 * @source activity 19.4 and 21.5
 */
export async function forwardEvent(
  line: string,
  { url, consumerSecret, webhookSecret }: ForwardOptions,
): Promise<string> {
  const body = Buffer.from(line);
  const { data } = JSON.parse(line) as { data: { event_uuid: string; subscription_id?: string } };
  const id = `msg_${data.event_uuid}_${data.subscription_id ?? 'listen'}`;
  const stamp = { id, timestamp_s: Math.floor(systemClock.now() / 1000) };
  const startedAt_ms = elapsed_ms();
  const begin = url.startsWith('https:') ? secure : plain;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'user-agent': 'barker-webhooks/1',
    [SIGNATURE_HEADER]: signatureOf(consumerSecret, body),
    ...(webhookSecret !== undefined && standardHeaders([webhookKey(webhookSecret)], stamp, body)),
  };
  const outcome = await new Promise<string>((resolve) => {
    const outgoing = begin(url, { method: 'POST', headers, agent: false, timeout: TOTAL_MS }, (reply) => {
      resolve(`${reply.statusCode}`);
      // The body is not needed.
      reply.destroy();
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TOTAL_MS / 1000} s`)));
    outgoing.on('error', (error) => resolve(errorMessage(error)));
    outgoing.end(body);
  });
  return `${outcome} after ${Math.round(elapsed_ms() - startedAt_ms)} ms`;
}
