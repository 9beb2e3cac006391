import { elapsed_ms } from '../../base/timers.ts';
import type { Line } from './postgres-line.ts';
import { RELUCTANCE_MAX } from './postgres-statements.ts';

/** Shared connections of the reads of a process. */
export interface SharedConnections {
  /**
   * The connection for the next statement; undefined while none is open. `isBehind`: all are busy with slow statements
   * or long queues.
   */
  pick(now_ms: number): { readonly line: Line; readonly isBehind: boolean } | undefined;
  /** Opens the first one. @throws StoreUnavailable */
  open(): Promise<void>;
  /** Moves statements queued behind slow ones. */
  relieve(now_ms: number): void;
  busy(): number;
  /** Closes the connections. */
  close(): void;
}

/** Dependencies of shared connections. */
export interface SharedConnectionsOptions {
  /** Opens one. @throws StoreUnavailable */
  readonly open: () => Promise<Line>;
  /** Whether it was admitted under the current server lock and works. */
  readonly isUsable: (line: Line) => boolean;
}

/**
 * One connection answers all reads of a process that is not busy; the second one takes over when many wait, or when the
 * first is busy with a slow statement.
 * @source decision 736
 */
export const SHARED_CONNECTIONS = 2;

/** Queue length of the first connection from which the second is used. */
const FEW = 16;
/** Queue length of both from which the pool is used. */
const MANY = 64;
/** Slower statements, in milliseconds beyond the round trip, must not block others. */
const SLOW_MS = 5;

/** Statements queued behind one that takes longer, in milliseconds, move to the pool. */
const HELD_UP_MS = 100;

/** Each statement is its own snapshot, and cannot write. */
const SET_UP = `set default_transaction_isolation = 'repeatable read'; set default_transaction_read_only = on`;

interface Slot {
  line: Line | undefined;
  opening: Promise<void> | undefined;
}

/** Opens shared connections lazily, and again after they have broken. */
export function shareConnections({ open, isUsable }: SharedConnectionsOptions): SharedConnections {
  const slots: readonly Slot[] = Array.from({ length: SHARED_CONNECTIONS }, () => ({
    line: undefined,
    opening: undefined,
  }));
  let isClosed = false;
  let slow_ms = SLOW_MS;

  const openSlot = (slot: Slot): Promise<void> => {
    slot.opening ??= (async () => {
      try {
        const line = await open();
        const startedAt_ms = elapsed_ms();
        try {
          await line.command(SET_UP);
        } catch (error) {
          line.release(error as Error);
          throw error;
        }
        slow_ms = SLOW_MS + elapsed_ms() - startedAt_ms;
        if (isClosed) line.release();
        else slot.line = line;
      } finally {
        slot.opening = undefined;
      }
    })();
    return slot.opening;
  };

  /** The connection of a slot if it works. */
  const usable = (slot: Slot): Line | undefined => {
    const { line } = slot;
    if (!line || isUsable(line)) return line;
    slot.line = undefined;
    line.release(new Error('the connection is no longer of use'));
    return undefined;
  };

  /** Whether a connection is blocked by a slow statement, which will not be sent on a shared connection again. */
  const isBehind = (line: Line, now_ms: number): boolean => {
    if (line.waiting.length >= MANY) return true;
    if (line.busy_ms(now_ms) <= slow_ms) return false;
    const oldest = line.waiting[0]?.known;
    if (oldest) oldest.reluctance = RELUCTANCE_MAX;
    if (line.busy_ms(now_ms) > HELD_UP_MS) line.notifyBlocked();
    return true;
  };

  return {
    pick(now_ms) {
      let best: Line | undefined;
      let isBestBehind = true;
      let missing: Slot | undefined;
      for (const slot of slots) {
        const line = usable(slot);
        if (!line) {
          missing = slot;
          continue;
        }
        const isLineBehind = isBehind(line, now_ms);
        const isBetter =
          best === undefined ||
          (isLineBehind === isBestBehind ? line.waiting.length < best.waiting.length : isBestBehind);
        if (isBetter) {
          best = line;
          isBestBehind = isLineBehind;
        }
        if (!isLineBehind && line.waiting.length < FEW) break;
      }
      if (!best) return undefined;
      // Later callers find it open.
      if (missing && (isBestBehind || best.waiting.length >= FEW)) openSlot(missing).catch(() => {});
      return { line: best, isBehind: isBestBehind };
    },
    open: () => openSlot(slots[0]!),
    relieve(now_ms) {
      for (const { line } of slots) if (line && line.busy_ms(now_ms) > HELD_UP_MS) line.notifyBlocked();
    },
    busy: () => slots.filter(({ line }) => line !== undefined && line.waiting.length > 0).length,
    close() {
      isClosed = true;
      for (const slot of slots) {
        slot.line?.release();
        slot.line = undefined;
      }
    },
  };
}
