import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanEnvironment } from '../commands/program.ts';
import type { World } from '../rig/world.ts';

/** How programs of a language are run. */
interface Language {
  readonly file: string;
  /** Debian's own interpreters alone see Debian's packages. */
  readonly interpreter: string;
  /** The variable that names the file of a further authority. */
  readonly trust: string;
}

/** The languages of the page about clients, as its blocks name them. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { file: 'login.mjs', interpreter: process.execPath, trust: 'NODE_EXTRA_CA_CERTS' },
  python: { file: 'login.py', interpreter: '/usr/bin/python3', trust: 'REQUESTS_CA_BUNDLE' },
  ruby: { file: 'login.rb', interpreter: '/usr/bin/ruby', trust: 'SSL_CERT_FILE' },
  perl: { file: 'login.pl', interpreter: '/usr/bin/perl', trust: 'PERL_LWP_SSL_CA_FILE' },
};

/** Where the authority of a world over https lies, seen from a program. */
export const AUTHORITY = 'data/tls/ca.pem';

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
      ([, language]) => language !== 'text' && language !== 'sh',
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

/**
 * Runs a program as a reader of the page would: beside the packages, in a folder where `data` is that of the world,
 * and over https with trust in the authority of the world, unless told otherwise.
 */
export function runRecipe(
  world: World,
  title: string,
  args: readonly string[] = [],
  { trusts = true } = {},
): RunningRecipe {
  const recipe = recipes().find((each) => each.title === title);
  if (!recipe) throw new Error(`docs/clients.md has no program under "${title}"`);
  const { file, interpreter, trust } = LANGUAGES[recipe.language]!;
  const folder = mkdtempSync(join(tmpdir(), 'barker-recipe-'));
  symlinkSync(world.place.folder, join(folder, 'data'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, file), recipe.text);
  const env = { ...plainEnvironment(), ...(world.tlsCa !== undefined && trusts && { [trust]: AUTHORITY }) };
  const child = spawn(interpreter, [file, ...args], { cwd: folder, env });
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
