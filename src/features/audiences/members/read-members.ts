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

/** Which entries of runs are read, and where to. */
interface ReadOptions {
  /** Also tombstones, which hide entries of earlier runs. */
  readonly withTombstones?: boolean;
  /** Without members that have expired by this time. */
  readonly expiredBy?: number;
  /** Room for a block. */
  readonly words?: Uint32Array;
}

/**
 * Reads the entries of consecutive runs together, a block at a time, sorted by identifier and up to date: of each
 * identifier the one of the last run that has it.
 */
export function readMembers(
  runs: readonly MemberRun[],
  { withTombstones = false, expiredBy = 0, words = roomFor(runs) }: ReadOptions = {},
): RecordReader {
  const amendments = amendmentsOf(runs);
  // Later runs first: of cursors at the same identifier, the first counts.
  const cursors = runs.map(openCursor).reverse();
  /** By cursor, the first number of its identifier; Infinity at the end. */
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
    return isTied ? settleTie(first) : least;
  };
  /** Of the cursors with this first number, the one whose identifier is least; moves those beyond it that it hides. */
  const settleTie = (first: number): number => {
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

/** Reads the next block; a run that has ended has no entries. */
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
