import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { maxHeaderSize, STATUS_CODES } from '../base/node-http.ts';
import { Problem, type ProblemName, problem } from '../contract/problems/problems.ts';
import type { ConnectionRefusal } from './connection-limiter.ts';
import type { PipelineDependencies } from './exchange.ts';
import { canLinger, lingeringClose } from './read-body.ts';
import { NOSNIFF_HEADERS } from './request-origin.ts';
import { type ErrorResponse, errorResponse } from './send-error.ts';

/** An error of the HTTP parser about bytes that it cannot read. */
interface HttpParseError extends Error {
  readonly code?: string;
  /** The bytes that it was reading. */
  readonly rawPacket?: Buffer;
}

/**
 * The problem for an error code; undefined when the client disconnected or the handshake failed, which get no reply.
 * @source decision 114
 */
function problemOf(code = ''): ProblemName | undefined {
  if (code === TOO_LATE) return 'REQUEST_TOO_SLOW';
  if (code === 'HPE_HEADER_OVERFLOW') return 'HEAD_TOO_LARGE';
  if (code === PLAIN) return 'TLS_REQUIRED';
  return code.startsWith('HPE_') ? 'REQUEST_UNREADABLE' : undefined;
}

/** Plain HTTP on a TLS port. @source decision 115 */
const PLAIN = 'ERR_SSL_HTTP_REQUEST';
/** The client closed its side in the middle of a request: the reader of the body counts that. */
const ENDED = 'HPE_INVALID_EOF_STATE';

const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

const ending = new WeakSet<Socket>();
/** Connections whose request was late at the last look. */
const late = new WeakSet<Socket>();
/** The reply to the request whose chunked body a connection carries. */
const replies = new WeakMap<Socket, ServerResponse>();

/**
 * Remembers the reply to a request with a chunked body: the chunks can break after the reply was sent.
 * @source decision 116
 */
export function trackChunkedRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['transfer-encoding'] !== undefined) replies.set(request.socket, response);
}

/**
 * Answers bytes that never became a request, and closes the connection. The error format is that of the path, if one
 * can be read, else that of the advertising API.
 * @param carrier the TCP connection below a TLS one.
 * @source decision 114
 */
export function answerParseError(
  deps: PipelineDependencies,
  error: HttpParseError,
  carrier: Socket | undefined,
  failed: Socket,
): void {
  const socket = error.code === PLAIN && carrier ? carrier : failed;
  if (ending.has(socket)) return;
  // A process that stood still has not yet read what arrived meanwhile; Node.js looks again within a second.
  if (error.code === TOO_LATE && !late.has(socket)) return void late.add(socket);
  const name = problemOf(error.code);
  if (name === undefined || !socket.writable) return void socket.destroy();
  ending.add(socket);
  if (replies.get(socket)?.writableEnded) return void socket.destroySoon();
  const secure = error.code === PLAIN ? NOSNIFF_HEADERS : deps.secureHeaders({ socket, headers: {} });
  const failure = problem(name, { words: { max: maxHeaderSize } });
  const refusal = errorResponse(deps, failure, { path: pathOf(error.rawPacket), secure });
  lingeringClose(socket, written(refusal, deps.services.clock.now()));
  if (error.code !== ENDED)
    deps.observer.unparsed(addressFromBytes(deps, socket, error.rawPacket), refusal.status, refusal.transactionId);
}

/**
 * Closes a connection whose first request did not arrive completely; the client gets an error unless many connections
 * are lingering.
 * @source decision 474
 */
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
 * Closes a connection beyond the limits. The client gets an error unless TLS comes first or many connections are
 * lingering.
 * @param isSecure the connection would have begun with a TLS handshake.
 * @source decision 477
 */
export function refuseConnection(
  deps: PipelineDependencies,
  why: ConnectionRefusal,
  socket: Socket,
  isSecure: boolean,
): void {
  // A client that disconnects is not an error of ours.
  socket.on('error', () => {});
  if (isSecure || !canLinger()) return void socket.destroy();
  const failure = new Problem([{ problem: why === 'address' ? 'RATE_LIMITED' : 'UNAVAILABLE' }], { retryAfter_s: 1 });
  const secure = deps.secureHeaders({ socket, headers: {} });
  const refusal = errorResponse(deps, failure, { path: '/', secure });
  // Discard what the client sends: unread data would reset the connection and lose the reply.
  socket.resume();
  lingeringClose(socket, written(refusal, deps.services.clock.now()));
}

/** The path of a request, as far as it can be read; the beginning of a long one is enough. */
function pathOf(bytes: Buffer | undefined): string {
  const [, path = '/'] = /^[A-Za-z]+ (\/[^ ]*)/.exec(bytes?.toString('latin1', 0, 200) ?? '') ?? [];
  return path;
}

/** The sender of an incomplete request: the client that a trusted proxy names, if its header has arrived. */
export function addressFromBytes(
  { addressOf }: Pick<PipelineDependencies, 'addressOf'>,
  socket: Socket,
  bytes: Buffer | undefined,
): string {
  const [head = ''] = (bytes?.toString('latin1', 0, 16_384) ?? '').split('\r\n\r\n', 1);
  const forwarded = [...head.matchAll(/^x-forwarded-for:[ \t]*([^\r\n]*)/gim)].map(([, value]) => value).join(',');
  return addressOf({ socket, headers: { 'x-forwarded-for': forwarded } });
}

/** A reply as bytes; only this function writes replies to a bare socket. */
function written({ status, headers, body }: ErrorResponse, now_ms: number): string {
  const all = [...headers, 'date', new Date(now_ms).toUTCString(), 'content-length', String(Buffer.byteLength(body))];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'connection: close'];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
