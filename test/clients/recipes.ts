import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from '../commands/program.ts';
import type { World } from '../rig/world.ts';

/** How programs of a language are named and run. Debian's own interpreters alone see Debian's packages. */
const LANGUAGES: Readonly<Record<string, { readonly file: string; readonly interpreter: string }>> = {
  js: { file: 'login.mjs', interpreter: process.execPath },
  python: { file: 'login.py', interpreter: '/usr/bin/python3' },
  ruby: { file: 'login.rb', interpreter: '/usr/bin/ruby' },
  perl: { file: 'login.pl', interpreter: '/usr/bin/perl' },
};

/** A program of the page about clients. */
export interface Recipe {
  /** Of the section of the page. */
  readonly title: string;
  readonly language: string;
  readonly text: string;
}

/** The programs of the page about clients, one in each section that has any. */
export function recipes(): Recipe[] {
  const sections = readFileSync('docs/clients.md', 'utf8').split(/^##+ /m);
  return sections.flatMap((section) => {
    const [title = ''] = section.split('\n', 1);
    const programs = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(
      ([, language]) => language !== 'text',
    );
    return programs.map(([, language, text]) => ({ title, language: language!, text: text! }));
  });
}

/** A program of the page that runs. */
export interface RunningRecipe {
  /** The next line that it says. Throws with what it complained about when it ends instead. */
  line(): Promise<string>;
  /** Types a line into it, which is the last. */
  type(line: string): void;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  close(): Promise<void>;
}

/** Runs a program as a reader of the page would: beside the packages, in a folder where `data` is that of the world. */
export function runRecipe(
  world: World,
  title: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): RunningRecipe {
  const recipe = recipes().find((each) => each.title === title);
  if (!recipe) throw new Error(`docs/clients.md has no program under "${title}"`);
  const { file, interpreter } = LANGUAGES[recipe.language]!;
  const folder = mkdtempSync(join(tmpdir(), 'barker-recipe-'));
  symlinkSync(world.place.folder, join(folder, 'data'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, file), recipe.text);
  const child = spawn(interpreter, [file, ...args], { cwd: folder, env: { ...plainEnvironment(), ...env } });
  const ended = endOf(child).finally(() => rmSync(folder, { recursive: true, force: true }));
  const complaints: string[] = [];
  child.stderr.on('data', (chunk) => complaints.push(String(chunk)));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ended,
    async line() {
      const { value, done } = await lines.next();
      if (!done) return value;
      throw new Error(`the program under "${title}" ended with ${await ended}: ${complaints.join('')}`);
    },
    type: (line) => void child.stdin.end(`${line}\n`),
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The machine's own proxies and authorities must not come between. */
function plainEnvironment(): Record<string, string> {
  const foreign = /proxy$|_CERTS?(_|$)|^SSL_|_CA_/i;
  return Object.fromEntries(Object.entries(cleanEnvironment()).filter(([name]) => !foreign.test(name)));
}

async function endOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'close');
  return code;
}
