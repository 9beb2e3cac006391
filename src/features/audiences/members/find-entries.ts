import { amendmentsOf } from './amendments.ts';
import { BLOCK_ENTRIES, ENTRY_WIDTH, type MemberRun, NUMBER, STATE, STATE_WIDTH } from './member-run.ts';
import { seek } from './seek.ts';

/** By identifier that was searched: its member, as the last run has them. */
export interface FoundEntries {
  /** Whether any run has an entry, if only a tombstone. */
  readonly hasEntry: Uint8Array;
  /** The state of its member, four numbers each; the first is 0 when nobody has the identifier. It may have expired. */
  readonly states: Uint32Array;
  /** How many of the identifiers have a member. */
  count: number;
}

/**
 * Finds sorted identifiers (four numbers each, without duplicates) in runs. Each run is searched from its beginning to
 * its end, in the blocks where they may be: by first number, and only where that is found, by the others.
 */
export function findEntries(runs: readonly MemberRun[], words: Uint32Array): FoundEntries {
  const count = words.length / 4;
  const found: FoundEntries = {
    hasEntry: new Uint8Array(count),
    states: new Uint32Array(count * STATE_WIDTH),
    count: 0,
  };
  const amendments = amendmentsOf(runs);
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

/** Takes the entry of an identifier: number `at` of `entries` in a block by columns. */
type Take = (slot: number, block: Uint32Array, entries: number, at: number) => void;

function search(run: MemberRun, words: Uint32Array, hasEntry: Uint8Array, take: Take): void {
  const { fences } = run;
  const blocks = fences.length / 4;
  const count = words.length / 4;
  const columns = new Uint32Array(Math.min(run.count, BLOCK_ENTRIES) * ENTRY_WIDTH);
  let block = 0;
  let nextFence = blocks === 0 ? Number.POSITIVE_INFINITY : 0;
  let loaded = -1;
  /** Columns of the block that have been read. */
  let known = 0;
  let entries = 0;
  let at = 0;
  for (let slot = 0; slot < count; slot++) {
    if (hasEntry[slot] === 1) continue;
    const first = words[slot * 4]!;
    // Most identifiers are in the block of the one before.
    if (first >= nextFence) {
      block = lastNotAbove(fences, block, blocks, words, slot * 4);
      nextFence = block + 1 < blocks ? fences[(block + 1) * 4]! : Number.POSITIVE_INFINITY;
    }
    if (block !== loaded) {
      entries = run.readBlock(block, columns, 0, 1);
      [loaded, known, at] = [block, 1, 0];
    }
    at = seek(columns, at, entries, 1, first);
    for (let place = at; place < entries && columns[place] === first; place++) {
      // Most blocks are left after the first column.
      if (known === 1) {
        run.readBlock(block, columns, 1, 2);
        known = 2;
      }
      if (columns[entries + place] !== words[slot * 4 + 1]) continue;
      if (known === 2) {
        run.readBlock(block, columns, 2, ENTRY_WIDTH);
        known = ENTRY_WIDTH;
      }
      if (columns[2 * entries + place] !== words[slot * 4 + 2]) continue;
      if (columns[3 * entries + place] !== words[slot * 4 + 3]) continue;
      take(slot, columns, entries, place);
      break;
    }
  }
}

/** The last block from `from` on that does not begin above an identifier; `from` when that begins above it. */
function lastNotAbove(fences: Uint32Array, from: number, blocks: number, words: Uint32Array, at: number): number {
  let low = from;
  let step = 1;
  while (low + step < blocks && compare(fences, (low + step) * 4, words, at) <= 0) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, blocks);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (compare(fences, middle * 4, words, at) <= 0) low = middle;
    else high = middle;
  }
  return low;
}

/** Compares two identifiers. */
export function compare(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  return a[atA]! - b[atB]! || a[atA + 1]! - b[atB + 1]! || a[atA + 2]! - b[atB + 2]! || a[atA + 3]! - b[atB + 3]!;
}
