import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Keys } from './client.ts';
import type { Place } from './databases.ts';
import { collectLog } from './logs.ts';
import { recordSecrets } from './secrets.ts';

/** What `dev.json` holds: addresses and keys, by name. */
export type Written = Keys & Readonly<Record<string, string>>;

/** A service in development mode in a process of its own. */
export interface Running {
  readonly file: Written;
  readonly pid: number;
  /** Resolves with the exit code when the process is gone, null when a signal ended it. */
  readonly gone: Promise<number | null>;
  /** Ends the process at once, as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
  /** Asks the process to end; resolves with its exit code, null when a signal ended it. */
  stop(): Promise<number | null>;
}

/** The entry of the sources under test. */
const ENTRY = resolve('bin/barker.js');

/**
 * Starts `barker dev` on a place, with ports of its own, and waits until it has told where it is.
 * @param options.entry another copy of the entry file.
 * @param options.variables settings that have no flag.
 * @param options.heard is told what the process writes to stderr.
 */
export async function startBarker(
  place: Place,
  options: {
    readonly entry?: string;
    readonly flags?: readonly string[];
    readonly variables?: Readonly<Record<string, string>>;
    readonly heard?: (text: string) => void;
  } = {},
): Promise<Running> {
  const database = place.databaseUrl === '' ? [] : ['--database-url', place.databaseUrl];
  const ports = ['--port', '0', '--sandbox-port', '0'];
  const args = [
    ...[options.entry ?? ENTRY, 'dev', '--data', place.folder, '--people', '0'],
    ...[...ports, ...database, ...(options.flags ?? [])],
  ];
  const path = join(place.folder, 'dev.json');
  const before = writtenAt(path);
  // In development mode the log is what is written to stderr.
  const env = { ...cleanEnvironment(), BARKER_ACCESS_LOG: 'all', ...options.variables };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => {
    output.push(String(chunk));
    options.heard?.(String(chunk));
    collectLog(String(chunk));
  });
  const gone = new Promise<number | null>((done) => child.on('exit', (code) => done(code)));
  const file = await written(place.folder, path, before, gone, output);
  recordSecrets(file);
  return {
    file,
    pid: child.pid!,
    gone,
    kill: () => end(child, gone, 'SIGKILL').then(() => {}),
    stop: () => end(child, gone, 'SIGTERM'),
  };
}

function end(child: ChildProcess, gone: Promise<number | null>, signal: 'SIGKILL' | 'SIGTERM') {
  child.kill(signal);
  return gone;
}

/** Settings of the machine must not leak into the process, which keeps what it has compiled in a folder of its own. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(BARKER_|NODE_COMPILE_CACHE$)/.test(name));
  return Object.fromEntries(own);
}

function writtenAt(path: string): bigint {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs ?? 0n;
}

/** Waits for a `dev.json` newer than the one that was there. The file is written once the ports are open. */
async function written(
  folder: string,
  path: string,
  before: bigint,
  gone: Promise<number | null>,
  output: readonly string[],
): Promise<Written> {
  const told = new Promise<Written>((done) => {
    const watcher = watch(folder, look);
    void gone.then(() => watcher.close());
    look();
    function look(): void {
      if (writtenAt(path) === before) return;
      const file = readWhole(path);
      if (!file) return;
      watcher.close();
      done(file);
    }
  });
  const failed = gone.then((code) => {
    throw new Error(`barker ended with ${code} before it was ready:\n${output.join('')}`);
  });
  return Promise.race([told, failed]);
}

/** The file, or nothing while it is being written. */
function readWhole(path: string): Written | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Written;
  } catch {
    return undefined;
  }
}
