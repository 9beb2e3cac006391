import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CACHE } from './cache.ts';

/** What a file of tests called in one run. */
export interface Sight {
  /** The section that ran it: the name of a database. */
  readonly title: string;
  readonly file: string;
  /** The processor seconds that it took. */
  readonly seconds: number;
  /** The functions that it called: for each source file, the offsets at which they begin. */
  readonly called: Readonly<Record<string, readonly number[]>>;
  /** How many functions that are: the fewer, the more specific the file is. */
  readonly breadth: number;
}

/** Where `npm test -- --sight` keeps the calls of each file of tests, on the machine where it ran. */
export const SIGHT_FILE = join(CACHE, 'sight.jsonl');

/** Where the sources are, as V8 names them. */
const SOURCES = `${pathToFileURL(resolve('src')).href}/`;

/** Counts the calls of functions in this process, if the run keeps them. */
export async function countCalls(): Promise<{ note(title: string, file: string, seconds: number): void } | undefined> {
  const kept = process.env.TEST_SIGHT;
  if (!kept) return undefined;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  // Every file sees the functions that run when the program is loaded.
  await import('./world.ts');
  takeCalls(session);
  return {
    note(title, file, seconds) {
      const called = takeCalls(session);
      const breadth = Object.values(called).reduce((sum, functions) => sum + functions.length, 0);
      appendFileSync(kept, `${JSON.stringify({ title, file, seconds, called, breadth } satisfies Sight)}\n`);
    },
  };
}

/** The functions called since the last time. */
function takeCalls(session: Session): Sight['called'] {
  const called: Record<string, number[]> = {};
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result) {
      if (!url.startsWith(SOURCES)) continue;
      const starts = functions.flatMap(({ ranges: [whole] }) =>
        whole!.count > 0 && whole!.startOffset > 0 ? [whole!.startOffset] : [],
      );
      if (starts.length > 0) called[`src/${url.slice(SOURCES.length)}`] = starts;
    }
  });
  return called;
}

/** Makes room for a file in which a run keeps calls; returns its path. */
export function newSightFile(): string {
  mkdirSync(dirname(SIGHT_FILE), { recursive: true });
  const file = `${SIGHT_FILE}.new`;
  rmSync(file, { force: true });
  return file;
}

/** The sights of the last whole run with `--sight`; empty where there was none. */
export function readSights(): Sight[] {
  if (!existsSync(SIGHT_FILE)) return [];
  const lines = readFileSync(SIGHT_FILE, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Sight);
}
