import type { Random } from '../../base/random.ts';
import { elapsed_ms } from '../../base/timers.ts';
import type { Ids } from '../../contract/declare/operation.ts';
import type { Store, WriteTransaction } from '../../storage/unit-of-work.ts';

/** Ids grow by random steps of 1 to this, so that they do not reveal how many there are. */
const STEP_MAX = 97;
/** Ids are reserved in the database in blocks of at least this many; those that a process does not use are lost. */
const BLOCK = 256;
/**
 * Where other processes issue ids too, a block expires after this time, so that ids of all processes grow with time. It is
 * small at first, and larger after a block did not last.
 * @source decision 814
 */
const SHARED_BLOCK_MS = 1000;
const SHARED_BLOCK_MIN = 4;
const SHARED_BLOCK_GROWTH = 4;

/**
 * Takes the next id of a kind within a unit of work, for commands.
 * @param options `step` is the largest gap between two ids, so that neighbouring ids cannot be guessed.
 */
export async function takeId(
  tx: WriteTransaction,
  random: Random,
  { kind, start, step = STEP_MAX }: { readonly kind: string; readonly start: number; readonly step?: number },
): Promise<string> {
  const first = await tx.takeNumbers(kind, start, step);
  return (first + 1 + (random.bytes(4).readUInt32BE() % step)).toString(36);
}

/** Reserves an id that was assigned elsewhere, so that it is never issued. */
export async function reserveId(
  tx: WriteTransaction,
  id: string,
  { kind, start }: { kind: string; start: number },
): Promise<void> {
  const number = Number.parseInt(id, 36);
  const next = (await tx.findNumber(kind)) ?? start;
  if (Number.isSafeInteger(number) && number >= next) await tx.takeNumbers(kind, start, number - next + 1);
}

/** Long ids are a growing number followed by 20 random bits. */
const LOW_BITS = 20n;

function lowBits(random: Random): bigint {
  return BigInt(random.bytes(4).readUInt32BE() >>> 12);
}

interface Range {
  next: number;
  readonly end: number;
  /** The number of ids that it was reserved for. */
  readonly count: number;
  readonly reservedAt_ms: number;
}

/** Ids from reserved blocks. */
export interface BlockIds extends Ids {
  /** Discards the rest of all blocks: after a restore, the database may not know that they are reserved. */
  forget(): void;
}

/**
 * Issues ids from ranges that are reserved in the database in blocks: they grow within a process, and are unique among
 * processes.
 * @param isShared whether other processes issue ids too: then those of all grow from second to second.
 * @source campaigns 1.1
 */
export function blockIds(
  store: Store,
  random: Random,
  { isShared, now_ms = elapsed_ms }: { readonly isShared: boolean; readonly now_ms?: () => number },
): BlockIds {
  const ranges = new Map<string, Range>();
  const refills = new Map<string, Promise<void>>();

  const isFresh = ({ reservedAt_ms }: Range): boolean => !isShared || now_ms() - reservedAt_ms < SHARED_BLOCK_MS;
  const sizeAfter = (last: Range | undefined): number => {
    if (!isShared) return BLOCK;
    return last && isFresh(last) ? Math.min(BLOCK, last.count * SHARED_BLOCK_GROWTH) : SHARED_BLOCK_MIN;
  };

  async function refill(kind: string, start: number, needed: number): Promise<void> {
    const count = Math.max(sizeAfter(ranges.get(kind)), needed);
    const size = count * STEP_MAX;
    const first = await store.write((tx) => tx.takeNumbers(kind, start, size));
    ranges.set(kind, { next: first, end: first + size, count, reservedAt_ms: now_ms() });
  }

  async function numbers(kind: string, start: number, count: number): Promise<number[]> {
    for (;;) {
      const range = ranges.get(kind);
      if (range && isFresh(range) && range.next + count * STEP_MAX <= range.end) {
        return Array.from({ length: count }, () => {
          range.next += 1 + (random.bytes(1)[0]! % STEP_MAX);
          return range.next;
        });
      }
      const pending = refills.get(kind) ?? refill(kind, start, count).finally(() => refills.delete(kind));
      refills.set(kind, pending);
      await pending;
    }
  }

  return {
    forget: () => ranges.clear(),
    async take(kind, start, count) {
      return (await numbers(kind, start, count)).map((number) => number.toString(36));
    },
    async takeLong(kind, start, count) {
      const high = await numbers(kind, start, count);
      return high.map((number) => ((BigInt(number) << LOW_BITS) | lowBits(random)).toString());
    },
  };
}
