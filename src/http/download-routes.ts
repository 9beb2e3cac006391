import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance } from 'fastify';
import { Problem, problem } from '../contract/problems/problems.ts';
import type { FindDownload } from '../contract/services/downloads.ts';
import type { PipelineDependencies } from './exchange.ts';
import { sendError } from './send-error.ts';

/** What download routes depend on. */
export interface DownloadDependencies extends PipelineDependencies {
  readonly find: FindDownload;
  /** Receives failures that are internal errors. */
  readonly onError: (error: unknown) => void;
}

const BASE = '/downloads';

/**
 * Adds the routes that serve files to all clients that know their addresses. Credentials are neither needed nor looked at: some
 * clients sign these requests, and others follow the address as it is.
 * @source analytics 8; decision 968
 */
export function addDownloadRoutes(app: FastifyInstance, deps: DownloadDependencies): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: `${BASE}/*`,
    handler: () => {},
    onRequest(request, reply, _next) {
      reply.hijack();
      void answer(deps, request.raw, reply.raw);
    },
  });
}

/** Answers one request. Never rejects. */
async function answer(deps: DownloadDependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const status = await send(deps, request, response);
    deps.observer.pageVisited(`${BASE}/*`, request.method === 'HEAD' ? 'HEAD' : 'GET', status);
  } catch (error) {
    if (response.headersSent) {
      // The client went away, or the object failed in the middle: the length tells that it is not complete.
      response.destroy();
      return;
    }
    const isExpected = error instanceof Problem;
    if (!isExpected) deps.onError(error);
    sendError(deps, request, response, isExpected ? error : problem('INTERNAL'));
  }
}

/** Sends the file; returns the status. @throws Problem */
async function send(deps: DownloadDependencies, request: IncomingMessage, response: ServerResponse): Promise<number> {
  const secure = deps.secureHeaders(request);
  deps.originsOf(request); // TLS_REQUIRED
  const wait_s = deps.addressLimiter?.take(deps.addressOf(request));
  if (wait_s !== undefined) throw new Problem([{ problem: 'RATE_LIMITED' }], { retryAfter_s: wait_s });
  const { method } = request;
  if (method === 'OPTIONS') {
    response.writeHead(204, ['allow', 'GET, HEAD, OPTIONS', ...secure]);
    response.end();
    return 204;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    const words = { method: method!, allowed: 'GET' };
    throw new Problem([{ problem: 'METHOD_UNKNOWN', words }], { allow: 'GET, HEAD, OPTIONS' });
  }
  const path = request.url!.slice(BASE.length).split('?', 1)[0]!;
  const found = await deps.find(path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!found) throw problem('NOT_FOUND', { words: { kind: 'File', value: name } });
  const { object, mime } = found;
  const headers = ['content-type', mime, 'content-length', String(object.bytes), 'cache-control', 'private, no-store'];
  headers.push('content-disposition', `attachment; filename="${name}"`, ...secure);
  if (method === 'HEAD') {
    response.writeHead(200, headers);
    response.end();
    return 200;
  }
  // Opened first: an object that is gone is still answered.
  const content = await object.read({ start: 0, end: object.bytes });
  response.writeHead(200, headers);
  await pipeline(content, response);
  return 200;
}
