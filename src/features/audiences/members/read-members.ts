import { amendmentsOf } from './amendments.ts';
import { BLOCK_ENTRIES, ENTRY_WIDTH, EXPIRES_AT, type MemberRun, NUMBER, STATE } from './member-run.ts';
import type { RecordReader } from './record-file.ts';

/** The current entry of a run. */
interface RunCursor {
  readonly run: MemberRun;
  readonly index: number;
  readonly columns: Uint32Array;
  block: number;
  entries: number;
  at: number;
}

/** Options for reading entries. */
interface ReadOptions {
  /** Whether to return tombstones. */
  readonly withTombstones?: boolean;
  /** Omits members that have expired by this time. */
  readonly expiredBy?: number;
  /** Buffer for a block. */
  readonly words?: Uint32Array;
}

/** Merges the entries of consecutive runs, sorted by identifier; of each identifier, the entry of the last run counts. */
export function readMembers(
  runs: readonly MemberRun[],
  { withTombstones = false, expiredBy = 0, words = roomFor(runs) }: ReadOptions = {},
): RecordReader {
  const amendments = amendmentsOf(runs);
  // Later runs first, because the first cursor at an identifier counts.
  const cursors = runs.map(openCursor).reverse();
  /** The first number of each cursor's identifier; Infinity at the end. */
  const heads = Float64Array.from(cursors, firstOf);
  const advance = (index: number): void => {
    const cursor = cursors[index]!;
    cursor.at += 1;
    if (cursor.at === cursor.entries) load(cursor);
    heads[index] = firstOf(cursor);
  };
  const findLeast = (): number => {
    let least = -1;
    let first = Number.POSITIVE_INFINITY;
    let isTied = false;
    for (let index = 0; index < heads.length; index++) {
      const head = heads[index]!;
      if (head < first) {
        first = head;
        least = index;
        isTied = false;
      } else if (head === first && least >= 0) isTied = true;
    }
    return isTied ? breakTie(first) : least;
  };
  /** Returns the cursor with the least identifier among those with this first number; skips entries that it hides. */
  const breakTie = (first: number): number => {
    let least = -1;
    for (let index = 0; index < heads.length; index++) {
      if (heads[index] !== first) continue;
      if (least < 0 || compareCursors(cursors[index]!, cursors[least]!) < 0) least = index;
    }
    for (let index = least + 1; index < heads.length; index++) {
      if (heads[index] === first && compareCursors(cursors[index]!, cursors[least]!) === 0) advance(index);
    }
    return least;
  };
  const reader = {
    words,
    end: 0,
    next() {
      let end = 0;
      while (end < words.length) {
        const least = findLeast();
        if (least < 0) break;
        const { columns, entries, at, index } = cursors[least]!;
        for (let column = 0; column < ENTRY_WIDTH; column++) words[end + column] = columns[column * entries + at]!;
        if (!amendments.isEmpty) amendments.resolve(words, end + STATE, index);
        const isWanted =
          words[end + STATE + NUMBER] === 0 ? withTombstones : words[end + STATE + EXPIRES_AT]! > expiredBy;
        if (isWanted) end += ENTRY_WIDTH;
        advance(least);
      }
      reader.end = end;
      return end > 0;
    },
  };
  return reader;
}

function roomFor(runs: readonly MemberRun[]): Uint32Array {
  const entries = runs.reduce((sum, { count }) => sum + count, 0);
  return new Uint32Array(Math.min(entries, BLOCK_ENTRIES) * ENTRY_WIDTH);
}

function openCursor(run: MemberRun, index: number): RunCursor {
  const columns = new Uint32Array(Math.min(run.count, BLOCK_ENTRIES) * ENTRY_WIDTH);
  const cursor = { run, index, columns, block: 0, entries: 0, at: 0 };
  load(cursor);
  return cursor;
}

/** Reads the next block; none at the end of the run. */
function load(cursor: RunCursor): void {
  const isLeft = cursor.block * BLOCK_ENTRIES < cursor.run.count;
  cursor.entries = isLeft ? cursor.run.readBlock(cursor.block++, cursor.columns, 0, ENTRY_WIDTH) : 0;
  cursor.at = 0;
}

function firstOf({ columns, entries, at }: RunCursor): number {
  return entries === 0 ? Number.POSITIVE_INFINITY : columns[at]!;
}

function compareCursors(a: RunCursor, b: RunCursor): number {
  for (let part = 1; part < 4; part++) {
    const difference = a.columns[part * a.entries + a.at]! - b.columns[part * b.entries + b.at]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
