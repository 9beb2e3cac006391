import type { ReplyWriter } from '../../../contract/services/streams.ts';
import type { TokenBucket } from './token-bucket.ts';

/** Limits on how far a client may lag before it is disconnected. @source activity 18; decision 367 */
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

/** Queued lines are sent in chunks of this size, so that the progress of a slow client is visible. */
const CHUNK_BYTES = 65_536;

/**
 * The outgoing lines of one stream, queued until the rate limit and the client let them pass. `elapsed_ms` is a
 * monotonic clock.
 * @source decision 369
 */
export class StreamBuffer {
  readonly #outlet: ReplyWriter;
  readonly #bucket: TokenBucket;
  readonly #limits: BufferLimits;
  readonly #elapsed_ms: () => number;
  #waiting: { readonly line: Buffer; readonly since_ms: number }[] = [];
  #first = 0;
  #waiting_bytes = 0;
  #isWritable = true;
  #isClosed = false;
  /** Bytes in the outlet, and since when the client has read none. */
  #stalled = { bytes: 0, since_ms: 0 };
  #onEmpty: (() => void) | undefined;

  constructor(outlet: ReplyWriter, bucket: TokenBucket, limits: BufferLimits, elapsed_ms: () => number) {
    this.#outlet = outlet;
    this.#bucket = bucket;
    this.#limits = limits;
    this.#elapsed_ms = elapsed_ms;
  }

  /** Sends live lines, or queues them. False when too much is queued: the client is too slow. */
  sendLive({ each, joined }: Lines): boolean {
    if (this.#isClosed) return true;
    const isFree = this.#isWritable && this.#count === 0;
    const some = isFree ? this.#bucket.take(each.length) : 0;
    if (some === each.length) this.#isWritable = this.#outlet.send(joined);
    else {
      this.#enqueue(each, this.#elapsed_ms());
      if (some > 0) this.#isWritable = this.#outlet.send(Buffer.concat(this.#dequeue(some)));
    }
    const { stream_waiting_events_max, stream_waiting_bytes_max } = this.#limits;
    return this.#count <= stream_waiting_events_max && this.#waiting_bytes <= stream_waiting_bytes_max;
  }

  /** Queues lines of past events, without limit; resolves when the queue is empty or the buffer was closed. */
  sendPast(lines: readonly Buffer[]): Promise<void> {
    // Past events may take as long as the rate limit requires; only a client that reads nothing is too slow.
    this.#enqueue(lines, Number.POSITIVE_INFINITY);
    this.#pump();
    if (this.#count === 0 || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  /** Whether nothing is queued. */
  isEmpty(): boolean {
    return this.#count === 0;
  }

  /** The outlet is writable again. */
  drained(): void {
    this.#isWritable = true;
    this.#stalled = { bytes: 0, since_ms: this.#elapsed_ms() };
    this.#pump();
  }

  /** Sends as many lines as the rate limit allows now. False when the client has read nothing for too long. */
  tick(): boolean {
    if (this.#isClosed) return true;
    this.#pump();
    const now_ms = this.#elapsed_ms();
    const max_ms = this.#limits.stream_behind_max_s * 1000;
    const bytes = this.#outlet.waiting_bytes;
    const isTaking = bytes === 0 || bytes < this.#stalled.bytes || this.#stalled.bytes === 0;
    this.#stalled = { bytes, since_ms: isTaking ? now_ms : this.#stalled.since_ms };
    const oldest = this.#waiting[this.#first];
    const isBehind = oldest !== undefined && now_ms - oldest.since_ms > max_ms;
    return !isBehind && now_ms - this.#stalled.since_ms <= max_ms;
  }

  /** Drops queued lines and sends nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#first = 0;
    this.#waiting_bytes = 0;
    this.#pump();
  }

  get #count(): number {
    return this.#waiting.length - this.#first;
  }

  #enqueue(lines: readonly Buffer[], since_ms: number): void {
    for (const line of lines) {
      this.#waiting.push({ line, since_ms });
      this.#waiting_bytes += line.length;
    }
  }

  #dequeue(some: number): Buffer[] {
    const lines = this.#waiting.slice(this.#first, this.#first + some).map(({ line }) => line);
    this.#first += some;
    for (const line of lines) this.#waiting_bytes -= line.length;
    if (this.#first === this.#waiting.length || this.#first > 4096) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return lines;
  }

  #pump(): void {
    while (this.#isWritable && !this.#isClosed && this.#count > 0) {
      const some = this.#bucket.take(this.#linesPerChunk());
      if (some === 0) return;
      this.#isWritable = this.#outlet.send(Buffer.concat(this.#dequeue(some)));
    }
    if (this.#count > 0 && !this.#isClosed) return;
    this.#onEmpty?.();
    this.#onEmpty = undefined;
  }

  #linesPerChunk(): number {
    let bytes = 0;
    let some = 0;
    while (some < this.#count && (some === 0 || bytes < CHUNK_BYTES)) {
      bytes += this.#waiting[this.#first + some]!.line.length;
      some += 1;
    }
    return some;
  }
}
