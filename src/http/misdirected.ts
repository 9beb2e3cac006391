import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PipelineDependencies } from './exchange.ts';
import { discardAndClose } from './read-bytes.ts';
import { send } from './reply.ts';

const BODY = JSON.stringify({
  errors: [{ code: 'MISDIRECTED_REQUEST', message: 'This server does not answer this path: its role is another one' }],
});

/**
 * Answers a request that a server with another role would have answered. Only a wrongly configured load balancer sends
 * one, so that it is no error of the API. Nothing of the request has been used up.
 * @source decision 806; RFC 9110 15.5.20
 */
export function sendMisdirected(deps: PipelineDependencies, request: IncomingMessage, response: ServerResponse): void {
  discardAndClose(request);
  response.shouldKeepAlive = false;
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  send(response, 421, [...headers, ...deps.secureHeaders(request)], BODY);
  deps.observer.unrouted(request, 421, deps.nextTransactionId());
}
