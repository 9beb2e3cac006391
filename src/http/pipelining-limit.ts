import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../contract/problems/problems.ts';
import type { PipelineDependencies } from './exchange.ts';
import { sendError } from './send-error.ts';

/** The number of requests of a connection that may wait for the reply to the one before. */
const WAITING_MAX = 100;
/** Marks a connection that is being closed: its further requests are not answered. */
const ENDING = Number.POSITIVE_INFINITY;
/** The methods whose requests may run beside others. @source RFC 9110 9.2.1 */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** The method of the request that a connection is answering. */
const ANSWERING = Symbol('answering');

type AnsweringSocket = Socket & { [ANSWERING]?: string };

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The requests of a connection that have arrived before the reply to the one before. */
interface Waiting {
  count: number;
  /** How many of them have a method that is not safe. */
  changes: number;
}

/**
 * Returns a listener that passes requests on in their turn: the server starts all pipelined requests at once. Those with
 * safe methods run side by side; a change waits for all before it, and later requests wait for the change. The first
 * request beyond the limit is refused and closes the connection; requests after it are not answered.
 * @source decision 478; RFC 9112 9.3.2
 */
export function pipeliningLimit(deps: PipelineDependencies, pass: Listener): Listener {
  const known = new WeakMap<Socket, Waiting>();
  return (request, response) => {
    const socket: AnsweringSocket = request.socket;
    // No other reply is pending on the connection, as is nearly always the case.
    if (response.socket !== null) {
      socket[ANSWERING] = request.method!;
      return pass(request, response);
    }
    const waiting = known.get(socket) ?? { count: 0, changes: 0 };
    known.set(socket, waiting);
    if (waiting.count < WAITING_MAX) {
      const isSafe = SAFE.has(request.method!);
      const isTurn = isSafe && waiting.changes === 0 && SAFE.has(socket[ANSWERING] ?? 'GET');
      waiting.count += 1;
      if (!isSafe) waiting.changes += 1;
      response.once('close', () => {
        waiting.count -= 1;
        if (!isSafe) waiting.changes -= 1;
      });
      if (isTurn) pass(request, response);
      // The replies before it are complete.
      response.once('socket', () => {
        socket[ANSWERING] = request.method!;
        if (!isTurn) pass(request, response);
      });
      return;
    }
    if (waiting.count === ENDING) return;
    waiting.count = ENDING;
    response.shouldKeepAlive = false;
    sendError(deps, request, response, new Problem([{ problem: 'RATE_LIMITED' }], { retryAfter_s: 1 }));
  };
}
