import type { IncomingMessage } from 'node:http';

/**
 * Shorter than any secret that this service issues, so that a secret sent here by mistake is not logged.
 * @source decision 8
 */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,40}$/;

/** The caller's own id of a request, if it is fit to be logged and echoed. */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const input = request.headers['x-request-id'];
  return typeof input === 'string' && REQUEST_ID.test(input) ? input : undefined;
}
