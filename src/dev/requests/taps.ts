import type { ServerResponse } from 'node:http';
import type { Entry } from './entry.ts';

const TAP = Symbol('tap');

/** What a response is recorded with. */
interface Tap extends Pick<ServerResponse, 'writeHead' | 'write' | 'end'> {
  readonly entry: Entry;
  readonly onEnd: (entry: Entry) => void;
}

interface TappedResponse extends ServerResponse {
  [TAP]: Tap;
}

/**
 * Copies a response into an entry, from whatever code. The response itself is unchanged. Members that are added to a
 * response make it expensive, so this is for those that cannot be recorded otherwise.
 * @param onEnd is called when the response has been handed over.
 */
export function tapResponse(response: ServerResponse, entry: Entry, onEnd: (entry: Entry) => void): void {
  const { writeHead, write, end } = response;
  const tapped = response as TappedResponse;
  tapped[TAP] = { entry, onEnd, writeHead, write, end };
  // Functions that all responses share: closures for each would cost more than the rest.
  tapped.writeHead = tappedWriteHead as never;
  tapped.write = tappedWrite as never;
  tapped.end = tappedEnd as never;
}

function tappedWriteHead(this: TappedResponse, status: number, ...rest: [never]): ServerResponse {
  const { entry, writeHead } = this[TAP];
  entry.status = status;
  entry.replyHeaders = flat(rest.at(-1));
  return writeHead.call(this, status, ...rest);
}

type HeadersGiven = readonly string[] | Readonly<Record<string, string | number | readonly string[]>> | undefined;

function flat(headers: HeadersGiven): readonly string[] {
  if (typeof headers !== 'object') return [];
  if (Array.isArray(headers)) return headers as readonly string[];
  return Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
}

function tappedWrite(this: TappedResponse, chunk: string | Uint8Array, ...rest: [never]): boolean {
  const { entry, write } = this[TAP];
  entry.addReply(chunk);
  return write.call(this, chunk, ...rest);
}

function tappedEnd(this: TappedResponse, chunk?: unknown, ...rest: [never]): ServerResponse {
  const { entry, end } = this[TAP];
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) entry.addReply(chunk);
  end.call(this, chunk as never, ...rest);
  handedOver(this);
  return this;
}

function handedOver(response: TappedResponse): void {
  const { entry, onEnd } = response[TAP];
  if (entry.ended !== undefined || response.destroyed) return;
  if (response.headersSent) entry.status ??= response.statusCode;
  // What was set header by header.
  if (entry.replyHeaders.length === 0) entry.replyHeaders = flat(response.getHeaders() as HeadersGiven);
  onEnd(entry);
}
