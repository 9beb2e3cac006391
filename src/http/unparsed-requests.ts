import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, type ProblemName, problem } from '../contract/problems/problems.ts';
import type { ConnectionRefusal } from './connection-limiter.ts';
import type { PipelineDependencies } from './exchange.ts';
import { canLinger, lingeringClose } from './lingering-close.ts';
import { NOSNIFF_HEADERS } from './request-origin.ts';
import { type ErrorResponse, errorResponse } from './send-error.ts';

/** What the parser of HTTP says of bytes that it cannot read. */
export interface HttpParseError extends Error {
  readonly code?: string;
  /** What it was reading. */
  readonly rawPacket?: Buffer;
}

/** What a code means; nothing is said to a caller who went away, or whose handshake failed. */
function problemOf(code = ''): ProblemName | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TOO_SLOW';
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEADER_TOO_LARGE';
  if (code === PLAIN) return 'TLS_REQUIRED';
  return code.startsWith('HPE_') ? 'REQUEST_UNREADABLE' : undefined;
}

/** Plain HTTP where TLS is spoken. */
const PLAIN = 'ERR_SSL_HTTP_REQUEST';
/** The caller has said that no more will come, in the middle of a request: who reads it is counted there. */
const ENDED = 'HPE_INVALID_EOF_STATE';

const ending = new WeakSet<Socket>();
/** The reply to the request whose chunks a connection carries. */
const replies = new WeakMap<Socket, ServerResponse>();

/** Remembers which reply a body in chunks belongs to: chunks can break when it has been given. */
export function trackChunkedRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] !== undefined) replies.set(request.socket, response);
}

/**
 * Answers what never became a request, and ends the connection. The words are those of the path, where what was read
 * begins with one, and else those of the advertising interface.
 * @param carrier the plain connection below a secure one.
 */
export function answerParseError(
  deps: PipelineDependencies,
  error: HttpParseError,
  carrier: Socket | undefined,
  failed: Socket,
): void {
  const socket = error.code === PLAIN && carrier ? carrier : failed;
  if (ending.has(socket)) return;
  const name = problemOf(error.code);
  if (name === undefined || !socket.writable) return void socket.destroy();
  ending.add(socket);
  if (replies.get(socket)?.writableEnded) return void socket.destroySoon();
  const secure = error.code === PLAIN ? NOSNIFF_HEADERS : deps.secureHeaders({ socket, headers: {} });
  const refusal = errorResponse(deps, problem(name), { path: pathOf(error.rawPacket), secure });
  lingeringClose(socket, written(refusal, deps.services.clock.now()));
  if (error.code !== ENDED)
    deps.observer.unparsed(addressFromBytes(deps, socket, error.rawPacket), refusal.status, refusal.transactionId);
}

/** Ends a connection whose first request did not arrive completely; it is told why, unless there are many at a time. */
export function endIncompleteRequest(
  deps: PipelineDependencies,
  failure: Problem,
  socket: Socket,
  bytes: Buffer,
): void {
  if (!socket.writable || !canLinger()) return void socket.destroy();
  const secure = deps.secureHeaders({ socket, headers: {} });
  const refusal = errorResponse(deps, failure, { path: pathOf(bytes), secure });
  lingeringClose(socket, written(refusal, deps.services.clock.now()));
  deps.observer.unparsed(addressFromBytes(deps, socket, bytes), refusal.status, refusal.transactionId);
}

/**
 * Ends a connection that is one too many. Where no handshake comes first it is told why; many at a time are not waited for.
 * @param isSecure the connection would have begun with a handshake of TLS.
 */
export function refuseConnection(
  deps: PipelineDependencies,
  why: ConnectionRefusal,
  socket: Socket,
  isSecure: boolean,
): void {
  // Whoever goes away is none of our errors.
  socket.on('error', () => {});
  if (isSecure || !canLinger()) return void socket.destroy();
  const failure = new Problem([{ problem: why === 'address' ? 'RATE_LIMITED' : 'UNAVAILABLE' }], { retryAfter_s: 1 });
  const secure = deps.secureHeaders({ socket, headers: {} });
  const refusal = errorResponse(deps, failure, { path: '/', secure });
  // What it sends is not wanted, but unread it would take the reply away.
  socket.resume();
  lingeringClose(socket, written(refusal, deps.services.clock.now()));
}

/** The path of the request, as far as it can be known; a long one need not be known to its end. */
function pathOf(bytes: Buffer | undefined): string {
  const [, path = '/'] = /^[A-Za-z]+ (\/[^ ]*)/.exec(bytes?.toString('latin1', 0, 200) ?? '') ?? [];
  return path;
}

/** Who sends the beginning of a request: whom a trusted proxy names, as far as its header was read. */
export function addressFromBytes(
  { addressOf }: Pick<PipelineDependencies, 'addressOf'>,
  socket: Socket,
  bytes: Buffer | undefined,
): string {
  const [head = ''] = (bytes?.toString('latin1', 0, 16_384) ?? '').split('\r\n\r\n', 1);
  const forwarded = [...head.matchAll(/^x-forwarded-for:[ \t]*([^\r\n]*)/gim)].map(([, said]) => said).join(',');
  return addressOf({ socket, headers: { 'x-forwarded-for': forwarded } });
}

/** A reply as bytes; nothing else writes it. */
function written({ status, headers, body }: ErrorResponse, now_ms: number): string {
  const all = [...headers, 'date', new Date(now_ms).toUTCString(), 'content-length', String(Buffer.byteLength(body))];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close'];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
