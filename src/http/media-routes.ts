import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { releaseMemory } from '../base/release-memory.ts';
import { StoreUnavailable } from '../contract/problems/store-unavailable.ts';
import type { FindMedia, ServedMedia } from '../contract/services/media.ts';
import type { ByteRange, OpenObject } from '../contract/services/objects.ts';
import { withCalledOrigin } from './called-host.ts';
import type { PipelineDependencies } from './exchange.ts';
import { headersByName } from './reply.ts';
import { etagOf, type Routes } from './routes.ts';

/** The dependencies of media routes. */
interface MediaDependencies extends PipelineDependencies {
  readonly find: FindMedia;
  /** Receives failures that are internal errors. */
  readonly onError: (error: unknown) => void;
}

const BASE = '/media';

/**
 * Headers for uploaded content, which must run no script and load nothing. Any site may embed it.
 */
const HARMLESS = {
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
  'referrer-policy': 'no-referrer',
};

const YEAR_S = 31_536_000;

/** Adds the routes that serve media, whole or in ranges, with caching by clients. */
export function addMediaRoutes(routes: Routes, deps: MediaDependencies): void {
  routes.all(`${BASE}/*`, (request, response) => answer(deps, request, response));
}

interface Reply {
  readonly status: number;
  readonly headers: Record<string, string | number>;
  readonly body: Readable;
}

/** Answers one request. Never rejects. */
async function answer(deps: MediaDependencies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const always = headersByName(deps.secureHeaders(request));
  const reply = await replyTo(deps, request).catch((error) => {
    if (error instanceof StoreUnavailable) return plain(503, 'Try again later', { 'retry-after': error.retryAfter_s! });
    deps.onError(error);
    return plain(500, 'Try again later');
  });
  response.writeHead(reply.status, { ...reply.headers, ...always });
  // A client that disconnects midway needs no further bytes.
  if (request.method === 'HEAD') response.end();
  else await pipeline(reply.body, releasing(response)).catch(() => response.destroy());
  deps.observer.pageVisited(`${BASE}/*`, known(request.method), reply.status);
}

/** Creates a sink that writes to the response and releases each chunk from memory once it is sent. */
function releasing(response: ServerResponse): Writable {
  const sink = new Writable({
    write(piece: Buffer, _, done) {
      response.write(piece, (error) => {
        releaseMemory(piece);
        done(error);
      });
    },
    final(done) {
      response.end(done);
    },
  });
  // A client that disconnected reads no more.
  response.on('close', () => sink.destroy());
  return sink;
}

function known(method: string | undefined): string {
  return method === 'GET' || method === 'HEAD' ? method : 'OTHER';
}

async function replyTo(deps: MediaDependencies, request: IncomingMessage): Promise<Reply> {
  const origins = httpsOrigins(deps, request);
  if (!origins) return plain(403, 'SSL is required');
  const wait_s = deps.addressLimiter?.take(deps.addressOf(request));
  if (wait_s !== undefined) return plain(429, 'Too many requests', { 'retry-after': wait_s });
  if (request.method === 'OPTIONS') return plain(204, '', { allow: 'GET, HEAD, OPTIONS' });
  if (known(request.method) === 'OTHER') return plain(405, 'Only GET and HEAD', { allow: 'GET, HEAD, OPTIONS' });
  const path = request.url!.slice(BASE.length).split('?', 1)[0]!;
  const { media } = withCalledOrigin(deps.services, deps.environment, origins[0]);
  const found = await deps.find(deps.environment, path, media.addresses);
  if (!found) return plain(404, 'Media not found');
  return 'text' in found ? textReply(found) : objectReply(request, found);
}

/** The origins under which media may have been requested; undefined over forbidden plain HTTP. */
function httpsOrigins({ originsOf }: MediaDependencies, request: IncomingMessage): readonly string[] | undefined {
  try {
    return originsOf(request);
  } catch {
    return undefined;
  }
}

function textReply({ text, mime }: Extract<ServedMedia, { text: string }>): Reply {
  const headers = { 'content-type': mime, 'cache-control': 'public, max-age=300' };
  return whole(200, text, headers);
}

/** Objects never change, so the key is the version. */
async function objectReply(
  request: IncomingMessage,
  { object, mime }: Extract<ServedMedia, { object: OpenObject }>,
): Promise<Reply> {
  const { bytes, key } = object;
  const etag = etagOf(key);
  const { range, 'if-none-match': noneMatch, 'if-range': onlyIf } = request.headers;
  const headers: Reply['headers'] = {
    'accept-ranges': 'bytes',
    'cache-control': `public, max-age=${YEAR_S}, immutable`,
    etag,
    ...HARMLESS,
  };
  if (noneMatch !== undefined && (noneMatch.trim() === '*' || noneMatch.includes(etag))) {
    return { status: 304, headers, body: Readable.from([]) };
  }
  const part = onlyIf === undefined || onlyIf === etag ? parseByteRange(range, bytes) : undefined;
  if (part === 'beyond') return plain(416, 'Range not satisfiable', { 'content-range': `bytes */${bytes}` });
  const { start, end } = part ?? { start: 0, end: bytes };
  headers['content-type'] = mime;
  headers['content-length'] = end - start;
  if (part) headers['content-range'] = `bytes ${start}-${end - 1}/${bytes}`;
  const body = request.method === 'HEAD' ? Readable.from([]) : await object.read({ start, end });
  return { status: part ? 206 : 200, headers, body };
}

function plain(status: number, text: string, headers: Record<string, string | number> = {}): Reply {
  return whole(status, text, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
}

function whole(status: number, text: string, headers: Record<string, string | number>): Reply {
  const all: Reply['headers'] = { ...headers, ...HARMLESS };
  if (status !== 204) all['content-length'] = Buffer.byteLength(text);
  return { status, headers: all, body: Readable.from([text]) };
}

/**
 * Parses a `Range` header for a representation of this many bytes: undefined if the whole is to be sent, as for several
 * ranges or a malformed header; `beyond` if the range is unsatisfiable.
 * @source RFC 9110 14.2
 */
export function parseByteRange(header: string | undefined, bytes: number): ByteRange | 'beyond' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'beyond' : { start: bytes - length, end: bytes };
  }
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= bytes) return 'beyond';
  return { start: Number(first), end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
