import type { ReplyWriter } from '../../../contract/services/streams.ts';
import type { Pace } from './token-bucket.ts';

/** How far a reader may be behind before it is given up. @source activity gaps 18 */
export interface FeedBounds {
  readonly stream_waiting_events_max: number;
  readonly stream_waiting_bytes_max: number;
  readonly stream_behind_max_s: number;
}

/** Lines that were handed over together: those of one batch are the same memory for all streams of an application. */
export interface Lines {
  readonly each: readonly Buffer[];
  /** All of them, one behind the other. */
  readonly joined: Buffer;
}

/** What goes out on one stream: lines that wait until the pace and the reader let them pass. */
export interface Feed {
  /** Sends lines that happen now, or lets them wait. False when more waits than may: then the reader is too slow. */
  happened(lines: Lines): boolean;
  /** Lets lines of the past wait, however many, and resolves when none waits any more, or when the feed was closed. */
  recall(lines: readonly Buffer[]): Promise<void>;
  /** The outlet takes bytes again. */
  drained(): void;
  /** Sends what the pace now lets pass. False when the reader has taken nothing of what waits for too long. */
  tick(): boolean;
  /** Nothing is sent any more. */
  close(): void;
}

/** Lines that had to wait are sent in pieces of this size, so that it shows that a reader takes them, however slowly. */
const PIECE_BYTES = 65_536;

/** The feed of an outlet. `elapsed_ms` tells the machine's time, which only grows. */
export function feedOf(outlet: ReplyWriter, pace: Pace, bounds: FeedBounds, elapsed_ms: () => number): Feed {
  let waiting: { readonly line: Buffer; readonly since_ms: number }[] = [];
  let first = 0;
  let waiting_bytes = 0;
  let takes = true;
  let isClosed = false;
  /** Bytes in the outlet, and since when the reader has taken none of them. */
  let stuck = { bytes: 0, since_ms: 0 };
  let emptied: (() => void) | undefined;

  const count = (): number => waiting.length - first;
  const wait = (lines: readonly Buffer[], since_ms: number): void => {
    for (const line of lines) {
      waiting.push({ line, since_ms });
      waiting_bytes += line.length;
    }
  };
  const shift = (some: number): Buffer[] => {
    const lines = waiting.slice(first, first + some).map(({ line }) => line);
    first += some;
    for (const line of lines) waiting_bytes -= line.length;
    if (first === waiting.length || first > 4096) {
      waiting = waiting.slice(first);
      first = 0;
    }
    return lines;
  };
  const linesOfPiece = (): number => {
    let bytes = 0;
    let some = 0;
    while (some < count() && (some === 0 || bytes < PIECE_BYTES)) {
      bytes += waiting[first + some]!.line.length;
      some += 1;
    }
    return some;
  };
  const pump = (): void => {
    while (takes && !isClosed && count() > 0) {
      const some = pace.take(linesOfPiece());
      if (some === 0) return;
      takes = outlet.send(Buffer.concat(shift(some)));
    }
    if (count() > 0 && !isClosed) return;
    emptied?.();
    emptied = undefined;
  };
  const isWithinBounds = (): boolean =>
    count() <= bounds.stream_waiting_events_max && waiting_bytes <= bounds.stream_waiting_bytes_max;

  return {
    happened({ each, joined }) {
      if (isClosed) return true;
      const isFree = takes && count() === 0;
      const some = isFree ? pace.take(each.length) : 0;
      if (some === each.length) takes = outlet.send(joined);
      else {
        wait(each, elapsed_ms());
        if (some > 0) takes = outlet.send(Buffer.concat(shift(some)));
      }
      return isWithinBounds();
    },
    recall(lines) {
      // The past may take as long as the pace wants: only a reader who takes nothing is too slow for it.
      wait(lines, Number.POSITIVE_INFINITY);
      pump();
      if (count() === 0 || isClosed) return Promise.resolve();
      return new Promise((resolve) => {
        emptied = resolve;
      });
    },
    drained() {
      takes = true;
      stuck = { bytes: 0, since_ms: elapsed_ms() };
      pump();
    },
    tick() {
      if (isClosed) return true;
      pump();
      const now_ms = elapsed_ms();
      const max_ms = bounds.stream_behind_max_s * 1000;
      const bytes = outlet.waiting_bytes;
      const isTaking = bytes === 0 || bytes < stuck.bytes || stuck.bytes === 0;
      stuck = { bytes, since_ms: isTaking ? now_ms : stuck.since_ms };
      const oldest = waiting[first];
      const isBehind = oldest !== undefined && now_ms - oldest.since_ms > max_ms;
      return !isBehind && now_ms - stuck.since_ms <= max_ms;
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
