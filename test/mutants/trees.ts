import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { memoryFolder } from '../rig/memory-folder.ts';
import { programsOf } from '../rig/run-sections.ts';
import { applied, type Mutant } from './operators.ts';

/** A file of tests on a database. */
export interface Seer {
  readonly title: 'sqlite' | 'postgres';
  readonly file: string;
  /** The processor seconds that it takes. */
  readonly seconds: number;
}

/** A copy of the checkout in which mutants are tried. */
export interface Tree {
  readonly root: string;
  /** Puts mutants into its files, which are otherwise those of the checkout. */
  mutate(mutants: readonly Mutant[]): void;
  /** The first of some files whose tests fail in it, which ends them; undefined when none does. */
  failing(seers: readonly Seer[]): Promise<Seer | undefined>;
  remove(): void;
}

const LEFT_OUT = /^(\.git|node_modules|built|dist|bench\/node_modules|data|\.barker)$/;
/** A mutant that makes its tests take so many times as long, and so many seconds more, is noticed. */
const [SLOWER, MORE_S] = [4, 60];

/** Copies the checkout, with the packages that are installed in it; `folder` is that of the environment of the tests. */
export function openTree(folder: string): Tree {
  const root = mkdtempSync(join(memoryFolder(), 'barker-mutants-'));
  const home = resolve('.');
  cpSync(home, root, { recursive: true, filter: (path) => !LEFT_OUT.test(path.slice(home.length + 1)) });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  for (const made of ['built/islands', 'built/site']) cpSync(resolve(made), join(root, made), { recursive: true });
  let changed: readonly string[] = [];
  return {
    root,
    mutate(mutants) {
      for (const file of changed) writeFileSync(join(root, file), readFileSync(file));
      const byFile = Map.groupBy(mutants, ({ file }) => file);
      for (const [file, some] of byFile) {
        // From the end, so that the offsets of those before stay true.
        const ordered = some.toSorted((one, other) => other.start - one.start);
        writeFileSync(join(root, file), ordered.reduce(applied, readFileSync(file, 'utf8')));
      }
      changed = [...byFile.keys()];
    },
    async failing(seers) {
      const byTitle = Map.groupBy(seers, ({ title }) => title);
      for (const [title, some] of byTitle) {
        const environment = { TEST_DATABASE: title, TEST_LEDGER: '' };
        const section = { title, files: some.map(({ file }) => file), environment, isInOrder: true };
        const { programs, folder: own } = programsOf(section, folder, 1, root);
        const limit_s = some.reduce((sum, { seconds }) => sum + seconds, 0) * SLOWER + MORE_S;
        const failed = await failingFile(root, programs[0]!, limit_s);
        rmSync(own, { recursive: true, force: true });
        if (failed !== undefined) return some.find(({ file }) => file === failed) ?? some[0];
      }
      return undefined;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The processes that lead the groups of tests that run; this program ends them when it is ended itself. */
const leaders = new Set<number>();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.once('exit', () => leaders.forEach(endGroup));

function endGroup(leader: number): void {
  leaders.delete(leader);
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended, and so has everything that it started.
  }
}

/** The file that was running when the first test failed; empty when none had begun. */
function failingFile(root: string, program: string, limit_s: number): Promise<string | undefined> {
  // A group of its own, with everything that its tests start.
  const child = spawn(process.execPath, ['--test-reporter=tap', program], { cwd: root, detached: true });
  leaders.add(child.pid!);
  return new Promise((resolve) => {
    let isOver = false;
    let running = '';
    const end = (isFailure: boolean): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      endGroup(child.pid!);
      resolve(isFailure ? running : undefined);
    };
    const timer = setTimeout(() => end(true), limit_s * 1000);
    createInterface({ input: child.stdout }).on('line', (line) => {
      running = /^# Subtest: [a-z ]+: (test\/\S+)$/.exec(line)?.[1] ?? running;
      if (/^ *not ok /.test(line)) end(true);
    });
    child.stderr.resume();
    child.on('close', (code) => end(code !== 0));
  });
}
