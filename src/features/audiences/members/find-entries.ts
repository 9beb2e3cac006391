import { type Amendments, amendmentsOf } from './amendments.ts';
import { BLOCK_ENTRIES, ENTRY_WIDTH, type MemberRun, NUMBER, STATE, STATE_WIDTH } from './member-run.ts';

/** The current member of each searched identifier. */
export interface FoundEntries {
  /** Whether any run has an entry, even a tombstone. */
  readonly hasEntry: Uint8Array;
  /** The state of the member, four numbers each; the first is 0 if there is none. It may have expired. */
  readonly states: Uint32Array;
  /** Number of identifiers with a member. */
  count: number;
}

/**
 * Finds sorted identifiers (four numbers each, without duplicates) in runs. Each run is searched sequentially, in the blocks
 * that may contain them: by first number, and by the others only if that is found.
 */
export function findEntries(
  runs: readonly MemberRun[],
  words: Uint32Array,
  amendments: Amendments = amendmentsOf(runs),
): FoundEntries {
  const count = words.length / 4;
  const found: FoundEntries = {
    hasEntry: new Uint8Array(count),
    states: new Uint32Array(count * STATE_WIDTH),
    count: 0,
  };
  const { states } = found;
  // Entries of later runs hide those of earlier ones.
  for (let run = runs.length - 1; run >= 0; run--) {
    search(runs[run]!, words, found.hasEntry, (slot, block, entries, at) => {
      found.hasEntry[slot] = 1;
      const to = slot * STATE_WIDTH;
      for (let part = 0; part < STATE_WIDTH; part++) states[to + part] = block[(STATE + part) * entries + at]!;
      if (!amendments.isEmpty) amendments.resolve(states, to, run);
      if (states[to + NUMBER] !== 0) found.count += 1;
    });
  }
  return found;
}

/** Receives the entry of an identifier: number `at` of `entries` in a columnar block. */
type Take = (slot: number, block: Uint32Array, entries: number, at: number) => void;

function search(run: MemberRun, words: Uint32Array, hasEntry: Uint8Array, take: Take): void {
  const { fences } = run;
  const blocks = fences.length / 4;
  const count = words.length / 4;
  const columns = new Uint32Array(Math.min(run.count, BLOCK_ENTRIES) * ENTRY_WIDTH);
  const marks = firstNumberMarks();
  let block = 0;
  for (let slot = 0; slot < count && blocks > 0; ) {
    block = lastNotAbove(fences, block, blocks, words, slot);
    const to = block + 1 < blocks ? firstNotBelow(words, slot, count, fences, block + 1) : count;
    const entries = run.readBlock(block, columns, 0, 1);
    const isDense = to - slot > entries / SPARSE;
    if (isDense) marks.set(columns, entries);
    /** Number of columns of the block in memory. */
    let known = 1;
    for (let at = 0; slot < to; slot++) {
      const first = words[slot * 4]!;
      if (hasEntry[slot] === 1 || (isDense && !marks.mayHave(first))) continue;
      at = seek(columns, at, entries, 1, first);
      let place = at;
      if (at + ALIKE < entries && columns[at + ALIKE] === first) {
        if (known < ENTRY_WIDTH) run.readBlock(block, columns, known, ENTRY_WIDTH);
        known = ENTRY_WIDTH;
        place = firstWhere(at, entries, (index) => compareEntry(columns, entries, index, words, slot) >= 0);
      }
      for (; place < entries && columns[place] === first; place++) {
        // Most blocks do not need more than the first column.
        if (known === 1) {
          run.readBlock(block, columns, 1, 2);
          known = 2;
        }
        if (columns[entries + place]! < words[slot * 4 + 1]!) continue;
        if (columns[entries + place]! > words[slot * 4 + 1]!) break;
        if (known === 2) {
          run.readBlock(block, columns, 2, ENTRY_WIDTH);
          known = ENTRY_WIDTH;
        }
        const order = compareEntry(columns, entries, place, words, slot);
        if (order === 0) take(slot, columns, entries, place);
        if (order >= 0) break;
      }
    }
  }
}

/** More entries with the same first number than this are not random, and need a binary search. */
const ALIKE = 4;

/** Compares the identifier of entry number `at` of a block with number `slot` of a list. */
function compareEntry(columns: Uint32Array, entries: number, at: number, words: Uint32Array, slot: number): number {
  for (let part = 0; part < 4; part++) {
    const difference = columns[part * entries + at]! - words[slot * 4 + part]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** If fewer than one in this many entries of a block is searched, marks cost more than they save. */
const SPARSE = 32;
const MARKS = 65_536;

/** A filter of the first numbers of a block, which excludes most absent ones. */
function firstNumberMarks(): {
  /** Marks the first `count` numbers of a sorted list. */
  set(sorted: Uint32Array, count: number): void;
  /** False if a number is certainly not among them. */
  mayHave(number: number): boolean;
} {
  const bits = new Uint32Array(MARKS / 32);
  let least = 0;
  let most = 0;
  let shift = 0;
  return {
    set(sorted, count) {
      bits.fill(0);
      least = sorted[0]!;
      most = sorted[count - 1]!;
      shift = Math.max(0, Math.floor(Math.log2(most - least + 1)) + 1 - Math.log2(MARKS));
      for (let at = 0; at < count; at++) {
        const mark = (sorted[at]! - least) >>> shift;
        bits[mark >>> 5]! |= 1 << (mark & 31);
      }
    },
    mayHave(number) {
      if (number < least || number > most) return false;
      const mark = (number - least) >>> shift;
      return (bits[mark >>> 5]! & (1 << (mark & 31))) !== 0;
    },
  };
}

/** Returns the last identifier of a list, from `from` on, that is not above number `at` of another; `from` if all are. */
function lastNotAbove(list: Uint32Array, from: number, end: number, others: Uint32Array, at: number): number {
  return Math.max(from, firstWhere(from, end, (index) => compare(list, index * 4, others, at * 4) > 0) - 1);
}

/** Returns the first identifier of a list, from `from` on, that is not below number `at` of another; `end` if all are. */
function firstNotBelow(list: Uint32Array, from: number, end: number, others: Uint32Array, at: number): number {
  return firstWhere(from, end, (index) => compare(list, index * 4, others, at * 4) >= 0);
}

/** Galloping search: returns the first index from `from` on with a property that all later ones have; `end` if there is none. */
function firstWhere(from: number, end: number, has: (index: number) => boolean): number {
  let low = from - 1;
  let step = 1;
  while (low + step < end && !has(low + step)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, end);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (has(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Compares two identifiers. */
export function compare(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  return a[atA]! - b[atB]! || a[atA + 1]! - b[atB + 1]! || a[atA + 2]! - b[atB + 2]! || a[atA + 3]! - b[atB + 3]!;
}

/** Galloping search: returns the index of the first entry, from `from` on, whose first number is not below `number`. */
export function seek(entries: Uint32Array, from: number, end: number, width: number, number: number): number {
  if (from >= end || entries[from]! >= number) return from;
  let below = from;
  let step = width;
  let high = from + step;
  while (high < end && entries[high]! < number) {
    below = high;
    step *= 2;
    high = below + step;
  }
  let [low, up] = [below / width, Math.min(high, end) / width];
  while (up - low > 1) {
    const middle = (low + up) >>> 1;
    if (entries[middle * width]! < number) low = middle;
    else up = middle;
  }
  return up * width;
}
