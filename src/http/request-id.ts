import type { IncomingMessage } from 'node:http';

/** Shorter than any secret that this service gives out, so that a secret put here by mistake is not kept. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,40}$/;

/** The caller's own id of a request, when it is fit to be logged and sent back. */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const input = request.headers['x-request-id'];
  return typeof input === 'string' && REQUEST_ID.test(input) ? input : undefined;
}
