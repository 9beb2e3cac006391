import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type MemberMetadata, type MemberRun, openRun } from './member-run.ts';

/**
 * The members of a subject: consecutive runs in a folder, the oldest first. Together they are the state after the last upload of
 * the last run. The file names have the first and last upload of each run: of a run and those that it replaced, the longer one
 * counts.
 */
export interface MemberRuns extends MemberMetadata {
  readonly runs: readonly MemberRun[];
  close(): void;
}

/** Returns the file name of a run. */
export function runName(first: number, last: number): string {
  return `${first}-${last}`;
}

/** Parses the first and last upload of a run from its file name; undefined for other files. */
export function rangeOf(name: string): { readonly first: number; readonly last: number } | undefined {
  const found = /^(\d+)-(\d+)$/.exec(name);
  return found ? { first: Number(found[1]), last: Number(found[2]) } : undefined;
}

/**
 * Selects consecutive ranges from the first upload on, each as long as possible; `open` returns undefined for unusable ones.
 */
export function chainOf<Range extends { readonly first: number; readonly last: number }, Run>(
  ranges: readonly Range[],
  open: (range: Range) => Run | undefined,
): Run[] {
  const longestFirst = [...ranges].sort((a, b) => a.first - b.first || b.last - a.last);
  const chain: Run[] = [];
  let next = 1;
  for (const range of longestFirst) {
    const run = range.first === next ? open(range) : undefined;
    if (run === undefined) continue;
    chain.push(run);
    next = range.last + 1;
  }
  return chain;
}

/** Opens the members in a folder; undefined if there are none. Replacing runs does not affect open ones. */
export function openMembers(folder: string): MemberRuns | undefined {
  for (;;) {
    const names = runsIn(folder);
    const ranges = names.map((name) => ({ name, ...rangeOf(name)! }));
    const runs = chainOf(ranges, ({ name }) => openRun(join(folder, name)));
    const close = (): void => {
      for (const run of runs) run.close();
    };
    // Runs may be replaced between listing and opening.
    if (runsIn(folder).join() !== names.join()) {
      close();
      continue;
    }
    const last = runs.at(-1);
    if (!last) return undefined;
    const { merged, accepted_at, next, windows } = last;
    return { merged, accepted_at, next, windows, runs, close };
  }
}

function runsIn(folder: string): string[] {
  return namesIn(folder).filter(rangeOf);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Removes everything but these runs from a folder. For its only writer. */
export function removeOthers(folder: string, runs: readonly MemberRun[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = new Set(runs.map(({ path }) => path));
  for (const name of namesIn(folder))
    if (!kept.has(join(folder, name))) rmSync(join(folder, name), { recursive: true });
}
