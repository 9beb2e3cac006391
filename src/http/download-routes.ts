import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Problem, problem } from '../contract/problems/problems.ts';
import type { FindDownload } from '../contract/services/downloads.ts';
import type { PipelineDependencies } from './exchange.ts';
import type { Routes } from './routes.ts';
import { sendError } from './send-error.ts';

/** The dependencies of download routes. */
interface DownloadDependencies extends PipelineDependencies {
  readonly find: FindDownload;
  /** Receives failures that are internal errors. */
  readonly onError: (error: unknown) => void;
}

const BASE = '/downloads';

/**
 * Serves files by unguessable URL. Credentials are ignored: some clients sign these requests, others follow the URL as
 * it is.
 * @source analytics 8; decision 968
 */
export function addDownloadRoutes(routes: Routes, deps: DownloadDependencies): void {
  routes.all(`${BASE}/*`, (request, response) => answer(deps, request, response));
}

/** Answers one request. Never rejects. */
async function answer(deps: DownloadDependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const status = await send(deps, request, response);
    deps.observer.pageVisited(`${BASE}/*`, request.method === 'HEAD' ? 'HEAD' : 'GET', status);
  } catch (error) {
    if (response.headersSent) {
      // The client disconnected, or reading the object failed: Content-Length reveals the truncation.
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
  // Opened before the head is sent, so that a missing object still gets an error reply.
  const content = await object.read({ start: 0, end: object.bytes });
  response.writeHead(200, headers);
  await pipeline(content, response);
  return 200;
}
