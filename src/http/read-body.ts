import type { IncomingMessage } from 'node:http';
import { problem } from '../contract/problems/problems.ts';

/** Watches a body that is being read. */
export interface BodyReadObserver {
  /** Is told how many bytes have come, and how much memory holds them. */
  onProgress(received: number, held: number): void;
  /** Is given what ends the reading with a failure. */
  onStart(end: (failure: Error) => void): void;
}

/** The memory that many small pieces are put together in; it grows by doubling. */
const FIRST_BYTES = 4096;

/**
 * Reads a body of at most `max` bytes. What is beyond them is dropped, so that the refusal can be sent. Pieces are put
 * together as they come: a body that comes byte by byte takes no more memory than another.
 */
export function readBody(request: IncomingMessage, max: number, watch?: BodyReadObserver): Promise<Buffer> {
  const tooLarge = () => problem('BODY_TOO_LARGE', { words: { max } });
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.reject(tooLarge());
  // An asynchronous iterator would cost several times this.
  return new Promise((resolve, reject) => {
    let whole: Buffer = NOTHING;
    let size = 0;
    let isEnded = false;
    const end = (failure: Error): void => {
      isEnded = true;
      whole = NOTHING;
      reject(failure);
    };
    watch?.onStart(end);
    request.on('data', (chunk: Buffer) => {
      if (isEnded) return;
      const before = size;
      size += chunk.length;
      if (size > max) return end(tooLarge());
      if (before === 0) {
        whole = chunk;
      } else {
        if (size > whole.length) whole = grown(whole, before, Math.min(max, Math.max(size, before * 2, FIRST_BYTES)));
        chunk.copy(whole, before);
      }
      watch?.onProgress(size, whole.length);
    });
    request.on('end', () => resolve(whole.subarray(0, size)));
    request.on('error', reject);
  });
}

const NOTHING = Buffer.alloc(0);

function grown(whole: Buffer, size: number, room: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(room);
  whole.copy(larger, 0, 0, size);
  return larger;
}
