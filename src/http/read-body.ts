import type { IncomingMessage } from 'node:http';
import { problem } from '../contract/problems/problems.ts';

/** Observes a body that is being read. */
export interface BodyReadObserver {
  /** Receives the number of bytes so far, and the size of the memory that holds them. */
  onProgress(received_bytes: number, held_bytes: number): void;
  /** Receives a function that makes reading fail. */
  onStart(end: (failure: Error) => void): void;
}

/** Whether the body of a request has a content coding: none is read. @source RFC 9110 8.4; decision 1114 */
export function hasEncodedBody({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'];
  if (coding === undefined || /^(identity)?$/i.test(coding.trim())) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The initial size of the buffer that collects small chunks; it doubles as needed. */
const FIRST_BYTES = 4096;

/**
 * Reads a body of at most `max` bytes. Bytes beyond them are dropped, so that the refusal can be sent. Chunks are
 * merged as they arrive: a body sent byte by byte takes no more memory than any other.
 */
export function readBody(request: IncomingMessage, max: number, watch?: BodyReadObserver): Promise<Buffer> {
  const tooLarge = () => problem('BODY_TOO_LARGE', { words: { max } });
  if (Number(request.headers['content-length'] ?? 0) > max) return Promise.reject(tooLarge());
  // An asynchronous iterator would cost several times as much.
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
