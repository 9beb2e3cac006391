import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../contract/problems/problems.ts';
import type { PipelineDependencies } from './exchange.ts';
import { sendError } from './send-error.ts';

/** So many requests may wait on a connection for the reply to the one before. */
const WAITING_MAX = 100;
/** Marks a connection that ends: nothing more is begun on it. */
const ENDING = Number.POSITIVE_INFINITY;

/**
 * Tells whether a request may be answered. Requests that were sent without waiting for replies are all begun at once; one
 * connection could begin thousands with a packet. The one that is too many is refused, and ends the connection; what
 * comes behind it is not answered.
 */
export function pipeliningLimit(
  deps: PipelineDependencies,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // It has the connection to itself: nearly all have.
    if (response.socket !== null) return true;
    const { socket } = request;
    const count = waiting.get(socket) ?? 0;
    if (count < WAITING_MAX) {
      waiting.set(socket, count + 1);
      response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1));
      return true;
    }
    if (count === ENDING) return false;
    waiting.set(socket, ENDING);
    response.shouldKeepAlive = false;
    sendError(deps, request, response, new Problem([{ problem: 'RATE_LIMITED' }], { retryAfter_s: 1 }));
    return false;
  };
}
