import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../contract/problems/problems.ts';
import type { PipelineDependencies } from './exchange.ts';
import { sendError } from './send-error.ts';

/** The number of requests of a connection that may wait for the reply to the one before. */
const WAITING_MAX = 100;
/** Marks a connection that is being closed: its further requests are not answered. */
const ENDING = Number.POSITIVE_INFINITY;

/**
 * Returns whether a request may be answered. The server starts all pipelined requests at once, so a single packet could
 * start thousands. The first one beyond the limit is refused and closes the connection; requests after it are not
 * answered.
 * @source decision 478
 */
export function pipeliningLimit(
  deps: PipelineDependencies,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    // No other reply is pending on the connection, as is nearly always the case.
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
