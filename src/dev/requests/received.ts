import type { IncomingMessage } from 'node:http';

/** Bodies are kept up to this size. */
export const BODY_BYTES_MAX = 64 * 1024;

/** The body of a request so far. */
export interface ReceivedBody {
  /** The first `BODY_BYTES_MAX` bytes. */
  readonly bytes: Buffer;
  /** How many have arrived in all. */
  readonly total: number;
}

interface Kept {
  /** The original `push`. */
  readonly push: IncomingMessage['push'];
  readonly chunks: Buffer[];
  /** The bytes in `chunks`. */
  size: number;
  total: number;
}

const NOTHING: ReceivedBody = { bytes: Buffer.alloc(0), total: 0 };
const bodies = new WeakMap<IncomingMessage, Kept>();

// One function for all requests: a closure that is assigned to a request keeps it in memory until the next full
// collection.
function keepingPush(this: IncomingMessage, chunk: Buffer | null, encoding?: BufferEncoding): boolean {
  const body = bodies.get(this)!;
  if (chunk) {
    body.total += chunk.length;
    if (body.size < BODY_BYTES_MAX) {
      const part = Buffer.from(chunk.subarray(0, BODY_BYTES_MAX - body.size));
      body.chunks.push(part);
      body.size += part.length;
    }
  }
  return body.push.call(this, chunk, encoding);
}

/**
 * Keeps a copy of the body of a request as it arrives. Readers of the body notice nothing.
 * @returns whether the request has a body.
 */
export function keepBody(request: IncomingMessage): boolean {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return false;
  bodies.set(request, { push: request.push, chunks: [], size: 0, total: 0 });
  // The parser hands over each chunk in this way, before any reader sees it.
  request.push = keepingPush;
  return true;
}

/** The body of a request, as far as it has arrived when the result is called: without keeping the request. */
export function bodyOf(request: IncomingMessage): () => ReceivedBody {
  const body = bodies.get(request);
  return () => (body ? { bytes: Buffer.concat(body.chunks), total: body.total } : NOTHING);
}
