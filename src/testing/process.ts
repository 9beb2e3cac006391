import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { SettingValue, StartOptions } from './types.ts';

/** What the server prints when it is ready: the contents of `dev.json`, and its data folder. */
export type Announced = Readonly<Record<string, string>>;

/** A server in a child process. */
export interface ServerProcess {
  readonly announced: Announced;
  readonly pid: number;
  /** What it has logged: the last part. */
  log(): string;
  /** How it ended; undefined while it runs. */
  death(): string | undefined;
  /** Stops it; resolves when it is gone. */
  stop(): Promise<void>;
}

/** The server did not start; the message has what it wrote. */
export class NotStarted extends Error {
  constructor(why: string, log: string) {
    super(`barker ${why}${log === '' ? '' : `:\n${log.trim()}`}`);
    this.name = 'NotStarted';
  }
}

const START_MS = 30_000;
const STOP_MS = 30_000;
const LOG_LENGTH_MAX = 65_536;

/** Starts the server, whose program is a JavaScript file. @throws NotStarted */
export async function startProcess(program: string, options: StartOptions): Promise<ServerProcess> {
  const args = [program, 'dev', '--ephemeral', ...flagsOf(options)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environmentOf(options) });
  // It may be gone before its input is closed.
  child.stdin!.on('error', () => {});
  let log = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_LENGTH_MAX);
  });
  // `close` comes when all that it wrote has been read.
  let death: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(`could not be run: ${error.message}`));
    child.on('close', (code, signal) => {
      death = `has ended with ${signal ?? `exit code ${code}`}`;
      resolve(`${death} before it was ready`);
    });
  });
  const timeout_ms = options.timeout_ms ?? START_MS;
  let callOff = (): void => {};
  const late = new Promise<string>((resolve) => {
    callOff = after(timeout_ms, () => resolve(`was not ready within ${timeout_ms} ms`));
  });
  const result = await Promise.race([firstLine(child), ended, late]);
  callOff();
  if (typeof result === 'string') {
    // The child may have handed over to another program, which this ends.
    child.stdin!.destroy();
    child.kill('SIGKILL');
    throw new NotStarted(result, log);
  }
  leaveAlone(child, true);
  const folder = options.dataFolder === undefined ? result.data_folder : undefined;
  return {
    announced: result,
    pid: child.pid!,
    log: () => log,
    death: () => death,
    stop: () => stop(child, ended, folder),
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>, folder: string | undefined): Promise<void> {
  leaveAlone(child, false);
  child.stdin!.end();
  const callOff = after(STOP_MS, () => void child.kill('SIGKILL'));
  await ended;
  callOff();
  // It is there only if the server was killed.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Whether this process may end although the child runs: the child then ends too, because its input does. */
function leaveAlone(child: ChildProcess, mayEnd: boolean): void {
  for (const each of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket]) {
    if (mayEnd) each.unref();
    else each.ref();
  }
}

/** What the server announces in the first line that it prints. */
function firstLine(child: ChildProcess): Promise<Announced> {
  let text = '';
  return new Promise((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)));
    });
  });
}

function flagsOf(options: StartOptions): string[] {
  const { seed, port, sandboxPort, tls, dataFolder, clock, frozen, restore, world } = options;
  const flags = { seed, port, 'sandbox-port': sandboxPort, tls, data: dataFolder, clock, restore, world };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return [...given.flatMap(([name, value]) => [`--${name}`, String(value)]), ...(frozen ? ['--frozen'] : [])];
}

/** The environment without settings, which are meant for other servers, but for those of the options. */
function environmentOf({ settings = {} }: StartOptions): NodeJS.ProcessEnv {
  // What test runners tell Node.js of their own processes, such as to report tests or to measure coverage, is not kept either.
  const foreign = /^(?:BARKER_|NODE_TEST_|NODE_OPTIONS$|NODE_V8_COVERAGE$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const given = Object.entries(settings).map(([name, value]) => [`BARKER_${name.toUpperCase()}`, textOf(value)]);
  return Object.fromEntries([...kept, ...given]);
}

function textOf(value: SettingValue): string {
  return typeof value === 'object' ? value.join(',') : String(value);
}

// Taken before tests can replace them by fakes.
const { setTimeout, clearTimeout } = globalThis;

/** Runs an action later, unless it is called off. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}
