import type { ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import { pause } from '../../base/timers.ts';
import type { PendingReply } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Headers } from '../../http/reply.ts';
import { faultText } from './reply-text.ts';
import type { FaultActions, FaultReply } from './rule.ts';

/** Those that end a request: the first of them in this order is done. */
const ENDING = ['reset', 'reply', 'rate_limited', 'close', 'truncate', 'malformed', 'partial_success'] as const;

/** What is done to the reply of a request, by all rules that touch it. */
export type ReplyFaults = Pick<FaultActions, (typeof ENDING)[number] | 'dribble'>;

/** Of several rules the first that ends the request is used; a slow body goes together with it. */
export function combined(all: readonly FaultActions[]): ReplyFaults {
  const ending = all.flatMap((each) => ENDING.filter((name) => each[name]).map((name) => ({ [name]: each[name] })));
  return { ...ending[0], dribble: all.find(({ dribble }) => dribble)?.dribble };
}

/**
 * Does it.
 * @returns whether the reply has been sent, or none will be.
 */
export async function applyToReply(
  faults: ReplyFaults,
  exchange: Exchange,
  reply: PendingReply,
  response: ServerResponse,
): Promise<boolean> {
  const { reset, reply: other, rate_limited, close, truncate, malformed, partial_success, dribble } = faults;
  if (reset) {
    resetConnection(response);
    return true;
  }
  if (other) replace(reply, exchange, other);
  if (rate_limited) refuseRate(reply, exchange, rate_limited.retry_after_s);
  if (partial_success) reply.text = partlyAccepted(reply.text, exchange, partial_success.n);
  if (truncate) {
    const bytes = Buffer.from(reply.text);
    reply.text = bytes.subarray(0, Math.floor(bytes.length * truncate.fraction)).toString();
  }
  if (malformed) reply.text = `${reply.text.slice(0, -1)},}`;
  if (!close && !dribble) return false;
  const bytes = Buffer.from(reply.text);
  reply.headers.push('content-length', String(bytes.length));
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  const sent = close ? bytes.subarray(0, close.after_bytes) : bytes;
  const { chunks, over_ms } = dribble ?? { chunks: 1, over_ms: 0 };
  const size = Math.max(1, Math.ceil(sent.length / chunks));
  for (let at = 0; at < sent.length && !response.destroyed; at += size) {
    if (at > 0) await pause(over_ms / chunks);
    response.write(sent.subarray(at, at + size));
  }
  if (close) closeAfterwards(response);
  else response.end();
  return true;
}

/** Ends the connection so that the client sees a reset, where the connection is not encrypted. */
export function resetConnection({ socket }: ServerResponse): void {
  if (!socket) return;
  // Encrypted connections can only be closed.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Closes the connection once what was written is on its way. */
export function closeAfterwards({ socket }: ServerResponse): void {
  socket?.destroySoon();
}

function replace(reply: PendingReply, exchange: Exchange, fault: FaultReply): void {
  const { type, text } = faultText(fault, exchange);
  reply.status = fault.status;
  reply.text = text;
  setHeader(reply.headers, 'content-type', type);
  removeHeader(reply.headers, 'retry-after');
  if (fault.retry_after_s !== undefined) setHeader(reply.headers, 'retry-after', String(fault.retry_after_s));
  for (const [name, value] of Object.entries(fault.headers)) setHeader(reply.headers, name.toLowerCase(), value);
}

/** By the clock of the machine, because clients compare the end of the window with their own. */
function refuseRate(reply: PendingReply, exchange: Exchange, retry_after_s: number, clock: Clock = systemClock): void {
  replace(reply, exchange, { status: 429, headers: {}, retry_after_s });
  const reset_s = Math.ceil(clock.now() / 1000) + retry_after_s;
  const named = (own: string): string => exchange.words?.header(own) ?? own;
  setHeader(reply.headers, named('x-rate-limit-remaining'), '0');
  setHeader(reply.headers, named('x-rate-limit-reset'), String(reset_s));
}

/** The counts of an upload, as if only the first records had been accepted. */
function partlyAccepted(text: string, { words }: Exchange, n: number): string {
  const [success, all] = ['success_count', 'total_count'].map((own) =>
    (words?.member(own) ?? own).replaceAll('.', '\\.'),
  );
  const counts = new RegExp(`"(${success})":\\d+,"(${all})":(\\d+)`, 'g');
  return text.replace(counts, (_, accepted: string, sent: string, total: string) => {
    return `"${accepted}":${Math.min(n, Number(total))},"${sent}":${total}`;
  });
}

function setHeader(headers: Headers, name: string, value: string): void {
  removeHeader(headers, name);
  headers.push(name, value);
}

function removeHeader(headers: Headers, name: string): void {
  for (let at = headers.length - 2; at >= 0; at -= 2) if (headers[at] === name) headers.splice(at, 2);
}
