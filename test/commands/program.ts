import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Place } from '../rig/databases.ts';
import { runHere } from '../rig/in-process.ts';
import { collectLog } from '../rig/logs.ts';
import { recordSecret, recordSecrets } from '../rig/secrets.ts';

/** The entry of the program under test. */
export const ENTRY = resolve('bin/barker.js');

/** The result of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is run. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed into it; null leaves its input open for the test to write to. */
  readonly input?: string | null | undefined;
  readonly cwd?: string;
  /** The program; that of this checkout unless given. */
  readonly entry?: string;
}

/** These go on until they are stopped, and look after their process. */
const LASTING = /^(dev(?! (clock|snapshot|reset|faults|requests(?! tail))( |$))|serve|events listen)( |$)/;

/** Runs a command to its end; in this process, unless it must have one of its own. */
export async function barker(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  const isOurs = Object.keys(surroundings.env ?? {}).every((name) => /^(BARKER_|SUDO_USER$)/.test(name));
  if (!isOurs || LASTING.test(args.join(' '))) return barkerApart(args, surroundings);
  const outcome = await runHere(args, surroundings);
  plantTyped(args, surroundings);
  collectLog(outcome.stderr);
  return outcome;
}

/** The same in a process of its own: beside what this process does meanwhile. */
export function barkerApart(args: readonly string[], surroundings: Surroundings = {}): Promise<Outcome> {
  return started(args, surroundings).ended;
}

/** Commands that answer on stdout may print secrets on purpose; their messages and logs are not. */
function plantTyped(args: readonly string[], { input }: Pick<Surroundings, 'input'>): void {
  if (args[0] === 'user') recordSecret('password', input?.trim());
}

/** A command that goes on running. */
export interface Started {
  readonly child: ChildProcess;
  /** Everything that it wrote so far. */
  output(): { stdout: string; stderr: string };
  /** Resolves when the pattern shows in what it writes; rejects when it ends before. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Outcome>;
}

/** Starts a command. */
export function started(args: readonly string[], { env, input, cwd, entry = ENTRY }: Surroundings = {}): Started {
  const child = spawn(process.execPath, [entry, ...args, ...peopleOf(args)], {
    env: { ...cleanEnvironment(), ...env },
    cwd,
  });
  const written = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      written[name] += chunk;
      if (name === 'stderr' || args[0] === 'serve') collectLog(String(chunk));
      for (const look of looks) look();
    });
  }
  plantTyped(args, { input });
  if (input !== null) child.stdin.end(input ?? '');
  const ended = new Promise<Outcome>((done) => {
    child.on('close', (code) => done({ code, ...written }));
  });
  return {
    child,
    ended,
    output: () => ({ ...written }),
    saw: (pattern) =>
      new Promise((done, failed) => {
        const look = (): void => {
          const found = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
          if (!found) return;
          looks.delete(look);
          done(found);
        };
        looks.add(look);
        look();
        void ended.then(({ code }) =>
          failed(new Error(`ended with ${code} before ${pattern} was seen:\n${written.stdout}${written.stderr}`)),
        );
      }),
  };
}

/** Development servers of tests have no sample people unless a test asks for some: they take half of the start. */
function peopleOf([name, next = '-', ...more]: readonly string[]): string[] {
  const isServer = name === 'dev' && next.startsWith('-');
  return isServer && !more.includes('--people') ? ['--people', '0'] : [];
}

/** Settings of the machine must not leak into the program, which keeps what it has compiled in a folder of its own. */
export function cleanEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(BARKER_|NODE_TEST|NODE_COMPILE_CACHE$)/.test(name));
  return Object.fromEntries(own) as Record<string, string>;
}

/** The flags that put a command on a place. */
export function flagsOf(place: Place): string[] {
  return ['--data', place.folder, ...(place.databaseUrl === '' ? [] : ['--database-url', place.databaseUrl])];
}

/** The flags for any free ports. */
export const ANY_PORTS = ['--port', '0', '--sandbox-port', '0'];

/** A production service on a place, ready; its log lines so far and its addresses. */
export async function startServe(
  place: Place,
  {
    flags = [],
    env = {},
  }: { readonly flags?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const own = ['--operations-port', '0', '--allow-insecure-loopback', 'true', '--shutdown-grace-s', '0'];
  const service = started(['serve', ...flagsOf(place), ...ANY_PORTS, ...own, ...flags], {
    env: { BARKER_MASTER_KEY: MASTER_KEY, BARKER_ACCESS_LOG: 'all', ...env },
  });
  recordSecret('master key', MASTER_KEY);
  const [line] = await service.saw(/^.*"message":"ready".*$/m);
  const { url, sandbox_url, operations_url } = JSON.parse(line) as Record<string, string>;
  return { ...service, url: url!, sandboxUrl: sandbox_url!, operationsUrl: operations_url! };
}

/** A key for tests that seal secrets. */
export const MASTER_KEY = 'ab'.repeat(32);

/** What a command told as lines of `name=value`. */
export function toldBy({ code, stdout, stderr }: Outcome): Record<string, string> {
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr}`);
  const told = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  recordSecrets(told);
  return told;
}

/** The parts of what `barker sign` shows, by their titles. */
export function signedParts(stdout: string): Record<string, string> {
  const parts = stdout.trimEnd().split('\n\n');
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf(':\n')), part.slice(part.indexOf('\n') + 1)]),
  );
}
