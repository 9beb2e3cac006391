import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { SettingValue, StartOptions } from './types.ts';

/** The line that a ready server prints: the contents of `dev.json`, and its data folder. */
type Announcement = Readonly<Record<string, string>>;

/** A server in a child process. */
export interface ServerProcess {
  readonly announcement: Announcement;
  readonly pid: number;
  /** Returns the last part of its log. */
  log(): string;
  /** Returns how it ended; undefined while it runs. */
  death(): string | undefined;
  /** Stops it; resolves when it has ended. */
  stop(): Promise<void>;
}

/** The server did not start; the message has its log. */
export class NotStarted extends Error {
  constructor(why: string, log: string) {
    super(`barker ${why}${log === '' ? '' : `:\n${log.trim()}`}`);
    this.name = 'NotStarted';
  }
}

const START_MS = 30_000;
const STOP_MS = 30_000;
const LOG_LENGTH_MAX = 65_536;

/** Starts a server from a JavaScript file. @throws NotStarted */
export async function startProcess(program: string, options: StartOptions): Promise<ServerProcess> {
  const args = [program, 'dev', '--ephemeral', ...flagsOf(options)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: environmentOf(options) });
  // The child may end before its input is closed.
  child.stdin!.on('error', () => {});
  let log = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-LOG_LENGTH_MAX);
  });
  // `close` follows the end of its output.
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
  const result = await Promise.race([readAnnouncement(child), ended, late]);
  callOff();
  if (typeof result === 'string') {
    // The launcher may have spawned another Node.js, which ends with its input.
    child.stdin!.destroy();
    child.kill('SIGKILL');
    throw new NotStarted(result, log);
  }
  setDetached(child, true);
  const folder = options.dataFolder === undefined ? result.data_folder : undefined;
  return {
    announcement: result,
    pid: child.pid!,
    log: () => log,
    death: () => death,
    stop: () => stop(child, ended, folder),
  };
}

async function stop(child: ChildProcess, ended: Promise<unknown>, folder: string | undefined): Promise<void> {
  setDetached(child, false);
  child.stdin!.end();
  const callOff = after(STOP_MS, () => void child.kill('SIGKILL'));
  await ended;
  callOff();
  // It exists only if the server was killed.
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Sets whether the child keeps this process alive; otherwise the child ends with it, because its input ends. */
function setDetached(child: ChildProcess, isDetached: boolean): void {
  for (const each of [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket]) {
    if (isDetached) each.unref();
    else each.ref();
  }
}

/** Reads the first line of stdout. */
function readAnnouncement(child: ChildProcess): Promise<Announcement> {
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
  const set = Object.entries(flags).filter(([, value]) => value !== undefined);
  return [...set.flatMap(([name, value]) => [`--${name}`, String(value)]), ...(frozen ? ['--frozen'] : [])];
}

/** This environment with the settings of the options instead of its own. */
function environmentOf({ settings = {} }: StartOptions): NodeJS.ProcessEnv {
  // Variables of test runners, such as for reports and coverage, do not apply to the server either.
  const foreign = /^(?:BARKER_|NODE_TEST_|NODE_OPTIONS$|NODE_V8_COVERAGE$)/;
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const own = Object.entries(settings).map(([name, value]) => [`BARKER_${name.toUpperCase()}`, textOf(value)]);
  return Object.fromEntries([...inherited, ...own]);
}

function textOf(value: SettingValue): string {
  return typeof value === 'object' ? value.join(',') : String(value);
}

// Captured before tests can replace them.
const { setTimeout, clearTimeout } = globalThis;

/** Schedules an action; returns a function that cancels it. */
export function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}
