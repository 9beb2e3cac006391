import type { ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import { STATUS_CODES } from '../../base/node-http.ts';
import { pause } from '../../base/timers.ts';
import { type Family, type ProblemName, wordingOf } from '../../contract/problems/problems.ts';
import type { PendingReply } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Headers, JSON_TYPES, PROBLEM_TYPE } from '../../http/reply.ts';
import type { FaultActions, FaultReply } from './rules.ts';

/** Actions that end a request: the first in this order is done. */
const ENDING = ['reset', 'reply', 'rate_limited', 'close', 'truncate', 'malformed', 'partial_success'] as const;

/** The faults of a reply, by all rules that apply to the request. */
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
function resetConnection({ socket }: ServerResponse): void {
  if (!socket) return;
  // Encrypted connections can only be closed.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Closes the connection once what was written is on its way. */
function closeAfterwards({ socket }: ServerResponse): void {
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

/** Errors of the service that a fault without a code looks like. */
const USUAL: Readonly<Record<number, ProblemName>> = {
  401: 'SIGNATURE_REFUSED',
  404: 'ROUTE_UNKNOWN',
  429: 'RATE_LIMITED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The type and the text of an error in the form and in the words that callers of an operation expect. */
function faultText(
  { status, code, message }: Pick<FaultReply, 'status' | 'code' | 'message'>,
  { operation, echoedParams, request, words }: Pick<Exchange, 'operation' | 'echoedParams' | 'request' | 'words'>,
): { readonly type: string; readonly text: string } {
  const { family } = operation;
  const usual = USUAL[status] && wordingOf({ problem: USUAL[status] }, family, words?.template);
  const phrased = (json: string): string => (words ? words.replyOut(json) : json);
  const title = STATUS_CODES[status] ?? 'Fault';
  const text = message ?? usual?.message ?? title;
  if (family === 'problem') {
    const problem = { title, detail: text, type: 'about:blank', status, ...(code !== undefined && { code }) };
    return { type: PROBLEM_TYPE, text: phrased(JSON.stringify(problem)) };
  }
  if (family === 'flat') {
    const path = request.url!.split('?', 1)[0]!;
    return { type: JSON_TYPES.others, text: phrased(JSON.stringify({ request: path, error: text })) };
  }
  const errors = JSON.stringify([{ code: code ?? usual?.code ?? codeOf(family, title, status), message: text }]);
  if (family !== 'ads') return { type: JSON_TYPES.others, text: phrased(`{"errors":${errors}}`) };
  const echo = echoedParams.startsWith('[') ? echoedParams : `{"params":${echoedParams}}`;
  return { type: JSON_TYPES.ads, text: phrased(`{"errors":${errors},"request":${echo}}`) };
}

/** A code for a status that the service itself does not use: its name, or the number where codes are numbers. */
function codeOf(family: Family, title: string, status: number): string | number {
  return family === 'ads' ? title.toUpperCase().replace(/\W+/g, '_') : status;
}

/** The faults of a stream. */
type StreamFaults = Pick<FaultActions, 'stall' | 'drop_mid_object' | 'no_heartbeat' | 'reset' | 'close'>;

/** Events end with these bytes; a heartbeat is nothing else. */
const LINE_END = Buffer.from('\r\n');

/** Puts the faults of a stream between those who write it and the connection. Nothing has been sent yet. */
export function applyToStream(faults: StreamFaults, response: ServerResponse): void {
  const { stall, drop_mid_object, no_heartbeat, reset, close } = faults;
  if (reset) {
    resetConnection(response);
    return;
  }
  const write = response.write.bind(response);
  let events = 0;
  let bytes = 0;
  let isSilent = false;
  let hasBegun = false;
  const sendLine = (line: Buffer): void => {
    if (isSilent) return;
    const isHeartbeat = line.length === LINE_END.length;
    // The first one carries the head.
    if (isHeartbeat && no_heartbeat && hasBegun) return;
    hasBegun = true;
    if (close && bytes + line.length > close.after_bytes) {
      write(line.subarray(0, close.after_bytes - bytes));
      end();
      return;
    }
    if (!isHeartbeat && drop_mid_object && events >= drop_mid_object.after_events) {
      write(line.subarray(0, Math.ceil(line.length / 2)));
      end();
      return;
    }
    if (!isHeartbeat) events += 1;
    bytes += line.length;
    write(line);
    if (stall && events >= stall.after_events) isSilent = true;
  };
  const end = (): void => {
    isSilent = true;
    closeAfterwards(response);
  };
  response.write = ((chunk: Uint8Array): boolean => {
    for (const line of linesOf(Buffer.from(chunk))) sendLine(line);
    return true;
  }) as typeof response.write;
}

/** The lines of a chunk, each with its end. */
function linesOf(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  while (from < chunk.length) {
    const found = chunk.indexOf(LINE_END, from);
    const to = found < 0 ? chunk.length : found + LINE_END.length;
    lines.push(chunk.subarray(from, to));
    from = to;
  }
  return lines;
}
