import type { ReplyWriter } from '../../../contract/services/streams.ts';
import type { TokenBucket } from './token-bucket.ts';

/** How far a client may fall behind before it is disconnected. @source activity gaps 18; decision 367 */
export interface BufferLimits {
  readonly stream_waiting_events_max: number;
  readonly stream_waiting_bytes_max: number;
  readonly stream_behind_max_s: number;
}

/** The lines of one batch; all streams of an application share their memory. */
export interface Lines {
  readonly each: readonly Buffer[];
  /** All lines, concatenated. */
  readonly joined: Buffer;
}

/** The outgoing lines of one stream, queued until the rate limit and the client let them pass. */
export interface StreamBuffer {
  /** Sends live lines, or queues them. False when too much is queued: the client is too slow. */
  sendLive(lines: Lines): boolean;
  /** Queues lines of past events, without limit; resolves when the queue is empty or the buffer was closed. */
  sendPast(lines: readonly Buffer[]): Promise<void>;
  /** Whether nothing is queued. */
  isEmpty(): boolean;
  /** The outlet is writable again. */
  drained(): void;
  /** Sends as many lines as the rate limit allows now. False when the client has read nothing for too long. */
  tick(): boolean;
  /** Drops queued lines and sends nothing more. */
  close(): void;
}

/** Queued lines are sent in chunks of this size, so that the progress of a slow client is visible. */
const CHUNK_BYTES = 65_536;

/** A buffer in front of an outlet. `elapsed_ms` is a monotonic clock. @source decision 369 */
export function openStreamBuffer(
  outlet: ReplyWriter,
  bucket: TokenBucket,
  limits: BufferLimits,
  elapsed_ms: () => number,
): StreamBuffer {
  let waiting: { readonly line: Buffer; readonly since_ms: number }[] = [];
  let first = 0;
  let waiting_bytes = 0;
  let isWritable = true;
  let isClosed = false;
  /** Bytes in the outlet, and the time since which the client has read none of them. */
  let stalled = { bytes: 0, since_ms: 0 };
  let emptied: (() => void) | undefined;

  const count = (): number => waiting.length - first;
  const enqueue = (lines: readonly Buffer[], since_ms: number): void => {
    for (const line of lines) {
      waiting.push({ line, since_ms });
      waiting_bytes += line.length;
    }
  };
  const dequeue = (some: number): Buffer[] => {
    const lines = waiting.slice(first, first + some).map(({ line }) => line);
    first += some;
    for (const line of lines) waiting_bytes -= line.length;
    if (first === waiting.length || first > 4096) {
      waiting = waiting.slice(first);
      first = 0;
    }
    return lines;
  };
  const linesPerChunk = (): number => {
    let bytes = 0;
    let some = 0;
    while (some < count() && (some === 0 || bytes < CHUNK_BYTES)) {
      bytes += waiting[first + some]!.line.length;
      some += 1;
    }
    return some;
  };
  const pump = (): void => {
    while (isWritable && !isClosed && count() > 0) {
      const some = bucket.take(linesPerChunk());
      if (some === 0) return;
      isWritable = outlet.send(Buffer.concat(dequeue(some)));
    }
    if (count() > 0 && !isClosed) return;
    emptied?.();
    emptied = undefined;
  };
  const isWithinLimits = (): boolean =>
    count() <= limits.stream_waiting_events_max && waiting_bytes <= limits.stream_waiting_bytes_max;

  return {
    sendLive({ each, joined }) {
      if (isClosed) return true;
      const isFree = isWritable && count() === 0;
      const some = isFree ? bucket.take(each.length) : 0;
      if (some === each.length) isWritable = outlet.send(joined);
      else {
        enqueue(each, elapsed_ms());
        if (some > 0) isWritable = outlet.send(Buffer.concat(dequeue(some)));
      }
      return isWithinLimits();
    },
    sendPast(lines) {
      // Past events may take as long as the rate limit requires; only a client that reads nothing is too slow.
      enqueue(lines, Number.POSITIVE_INFINITY);
      pump();
      if (count() === 0 || isClosed) return Promise.resolve();
      return new Promise((resolve) => {
        emptied = resolve;
      });
    },
    isEmpty: () => count() === 0,
    drained() {
      isWritable = true;
      stalled = { bytes: 0, since_ms: elapsed_ms() };
      pump();
    },
    tick() {
      if (isClosed) return true;
      pump();
      const now_ms = elapsed_ms();
      const max_ms = limits.stream_behind_max_s * 1000;
      const bytes = outlet.waiting_bytes;
      const isTaking = bytes === 0 || bytes < stalled.bytes || stalled.bytes === 0;
      stalled = { bytes, since_ms: isTaking ? now_ms : stalled.since_ms };
      const oldest = waiting[first];
      const isBehind = oldest !== undefined && now_ms - oldest.since_ms > max_ms;
      return !isBehind && now_ms - stalled.since_ms <= max_ms;
    },
    close() {
      isClosed = true;
      waiting = [];
      first = 0;
      waiting_bytes = 0;
      pump();
    },
  };
}
