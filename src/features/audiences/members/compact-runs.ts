import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { amendmentsOf } from './amendments.ts';
import { AMENDMENT_WIDTH, type MemberRun, openRunWriter } from './member-run.ts';
import { openMembers, runName } from './member-runs.ts';
import { countIdentifiers } from './membership-windows.ts';
import { readMembers } from './read-members.ts';

/** Number of runs of a level that are merged into one of the next level. */
const RUNS_PER_LEVEL = 8;
/** Maximum number of entries of a run in the lowest level. */
const LOWEST_ENTRIES = 32_768;
/** Number of superfluous entries and amendments that do not justify compaction. */
const SPARE_ENTRIES = 65_536;
/** Maximum number of amendments, which are in memory while entries are read: about 40 bytes each. */
const AMENDMENTS_MAX = 1_000_000;

/**
 * Compacts the latest runs of a subject into one if there are many of similar size, or all runs if entries of former members or
 * amendments pile up. So each entry is rewritten only a few times, a search opens a few runs for each power of eight, and files
 * are at most about twice the necessary size.
 */
export function compactRuns(folder: string): void {
  compactFrom(folder, firstToCompact);
}

/** Merges all runs from an index on, which may be computed. A single run stays. */
export function compactFrom(folder: string, index: number | typeof firstToCompact): void {
  const members = openMembers(folder);
  if (!members) return;
  try {
    const { runs, windows } = members;
    const from = typeof index === 'number' ? index : index(runs, countIdentifiers(windows));
    if (from < runs.length - 1) compact(folder, runs.slice(from), from === 0);
  } finally {
    members.close();
  }
}

/** Returns the index of the first run to compact. */
function firstToCompact(runs: readonly MemberRun[], identifiers: number): number {
  const entries = runs.reduce((sum, { count }) => sum + count, 0);
  const amendments = runs.reduce((sum, each) => sum + each.amendments.length / AMENDMENT_WIDTH, 0);
  if (entries > 2 * identifiers + SPARE_ENTRIES) return 0;
  if (amendments > Math.min(AMENDMENTS_MAX, entries / 8 + SPARE_ENTRIES)) return 0;
  let from = runs.length;
  for (let level = 0; from > 0; level++) {
    let sameOrLower = runs.length;
    while (sameOrLower > 0 && levelOf(runs[sameOrLower - 1]!) <= level) sameOrLower -= 1;
    const ofLevel = runs.slice(sameOrLower, from).filter((run) => levelOf(run) === level).length;
    // Compacted lower levels yield one run.
    const many = ofLevel + (from < runs.length ? 1 : 0);
    if (many >= RUNS_PER_LEVEL) from = sameOrLower;
    if (sameOrLower === 0) break;
  }
  return from;
}

function levelOf({ count }: MemberRun): number {
  return Math.max(0, Math.ceil(Math.log2(count / LOWEST_ENTRIES) / Math.log2(RUNS_PER_LEVEL)));
}

/** Merges consecutive runs into one. The oldest run needs no tombstones or amendments, because nothing precedes it. */
function compact(folder: string, runs: readonly MemberRun[], withOldest: boolean): void {
  const { first } = runs[0]!;
  const { merged, accepted_at, next, windows } = runs.at(-1)!;
  const sink = openRunWriter(join(folder, runName(first, merged)));
  try {
    const { words } = sink;
    // Expired members are dropped.
    const which = withOldest ? { expiredBy: accepted_at } : { withTombstones: true };
    for (const source = readMembers(runs, { ...which, words }); source.next(); sink.flush()) sink.at = source.end;
    const amendments = withOldest ? new Uint32Array(0) : amendmentsOf(runs).combined();
    sink.finish({ merged, accepted_at, next, windows, first, amendments });
  } catch (error) {
    sink.discard();
    throw error;
  }
  for (const { path } of runs) rmSync(path, { force: true });
}
