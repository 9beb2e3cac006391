import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { TestFile } from '../plan.ts';
import type { Sight } from './sight.ts';

/** The processor seconds of the tests that are chosen for all changes together, in addition to one file for each change. */
const BUDGET_S = 30;
/** These read every file. */
const ALWAYS = /^units\/(tidy|layers|sources)$/;

/** The files that differ from the last commit, or else those that it changed. */
function changedFiles(): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '');
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
  return changed.length > 0 ? changed : git('diff', '--name-only', 'HEAD~1', 'HEAD');
}

/**
 * The tests that can see what has changed: those that changed, those that import a changed file of the tests, and of those that
 * call functions of a changed source file the most specific.
 */
export function testsOfChanges(files: readonly TestFile[], sights: readonly Sight[]): readonly TestFile[] {
  const changed = changedFiles();
  const chosen = new Set(files.filter(({ path, name }) => ALWAYS.test(name) || changed.includes(path)));
  const parts = changed.filter((path) => path.startsWith('test/') && !/\.(test|wider)\.ts$/.test(path));
  for (const file of files) {
    const text = readFileSync(file.path, 'utf8');
    if (parts.some((path) => text.includes(`/${basename(path)}'`)) && costOf(chosen, sights) < BUDGET_S)
      chosen.add(file);
  }
  const sources = changed.filter((path) => path.startsWith('src/'));
  const ranked = sources.map((source) =>
    sights
      .filter(({ called, file }) => source in called && files.some(({ path }) => path === file))
      .toSorted((one, other) => shareOf(other, source) - shareOf(one, source)),
  );
  // In turn, so that each change has its most specific tests before another has its second.
  for (let place = 0; ranked.some((some) => place < some.length); place++) {
    for (const some of ranked) {
      const file = files.find(({ path }) => path === some[place]?.file);
      if (file && (place === 0 || costOf(chosen, sights) < BUDGET_S)) chosen.add(file);
    }
  }
  return files.filter((file) => chosen.has(file));
}

/** How much of what a file of tests calls is in a source file. */
function shareOf({ called, breadth }: Sight, source: string): number {
  return called[source]!.length / breadth;
}

function costOf(chosen: ReadonlySet<TestFile>, sights: readonly Sight[]): number {
  const paths = new Set([...chosen].map(({ path }) => path));
  return sights.filter(({ file }) => paths.has(file)).reduce((sum, { seconds }) => sum + seconds, 0);
}
