import { elapsed_ms } from '../../base/timers.ts';
import type { Line } from './postgres-line.ts';
import { RELUCTANCE_MAX } from './postgres-statements.ts';

/** The connections that the reads of a process share. */
export interface SharedConnections {
  /**
   * The connection for the next statement; undefined while none is open. `behind`: those that are open are busy with
   * slow statements, or have many to answer.
   */
  pick(now_ms: number): { readonly line: Line; readonly isBehind: boolean } | undefined;
  /** Opens the first one. @throws StoreUnavailable */
  open(): Promise<void>;
  /** Moves what waits behind slow statements. */
  relieve(now_ms: number): void;
  busy(): number;
  /** Gives them back. */
  close(): void;
}

/** What they are made of. */
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

/** Unanswered statements on the first connection from which the second one is used. */
const FEW = 16;
/** Unanswered statements on both from which the pool is used. */
const MANY = 64;
/** Statements that take longer must not hold up others, in milliseconds, beside the round trip. */
const SLOW_MS = 5;

/** What waits behind a statement that takes longer, in milliseconds, is moved to the pool. */
const HELD_UP_MS = 100;

/** Each statement is its own snapshot, and cannot write. */
const SET_UP = `set default_transaction_isolation = 'repeatable read'; set default_transaction_read_only = on`;

interface Slot {
  line: Line | undefined;
  opening: Promise<void> | undefined;
}

/** Shares connections that are opened when they are first needed, and again when they have broken. */
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

  /** Whether a connection holds up what is sent on it; the statement at fault will not be sent on one again. */
  const isBehind = (line: Line, now_ms: number): boolean => {
    if (line.waiting.length >= MANY) return true;
    if (line.busy_ms(now_ms) <= slow_ms) return false;
    const oldest = line.waiting[0]?.known;
    if (oldest) oldest.reluctance = RELUCTANCE_MAX;
    if (line.busy_ms(now_ms) > HELD_UP_MS) line.tellHeldUp();
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
      for (const { line } of slots) if (line && line.busy_ms(now_ms) > HELD_UP_MS) line.tellHeldUp();
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
