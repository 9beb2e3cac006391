import { request as secure } from 'node:https';
import { systemClock } from '../../base/clock.ts';
import { request as plain } from '../../base/node-http.ts';
import { elapsed_ms } from '../../base/timers.ts';
import {
  SIGNATURE_HEADER,
  signatureOf,
  standardHeaders,
  webhookKey,
} from '../../features/activity/webhooks/signing.ts';
import { errorMessage } from '../failure.ts';

/** Where events are forwarded to, and the secrets that sign them. */
export interface ForwardOptions {
  readonly url: string;
  readonly consumerSecret: string;
  /** `whsec_` and base64; without it, no Standard Webhooks headers are sent. */
  readonly webhookSecret: string | undefined;
}

/** Timeout of a receiver. @source activity gaps 19.4 */
const TOTAL_MS = 10_000;

/**
 * Posts an event as a webhook delivery; resolves with a description of the outcome.
 * @source activity gaps 19.4 and 21.5
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
