import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after } from '../../src/base/timers.ts';

/** A part of a cluster in a process of its own. */
export interface Part {
  readonly pid: number;
  /** Resolves when its standard output has this; rejects when it ends before. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks it to end, and ends it by force when that takes too long. */
  stop(): Promise<void>;
}

/** How a part is started. */
export interface PartOptions {
  /** Stands before its lines. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Variables of its environment, beside those of this process. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The first line of standard output from which on it is told by whoever started the part. */
  readonly toldApart?: RegExp;
  readonly write: (line: string) => void;
}

/** Longer than a server takes to finish its requests. */
const STOP_MS = 20_000;
/** The longest name, and a space. */
const WIDTH = 'worker-1 '.length;

/** Writes what comes in behind a name. */
export function writerOf(name: string, write: (line: string) => void): (text: string) => void {
  return (text) => {
    for (const line of text.trimEnd().split('\n')) write(`${name.padEnd(WIDTH)}| ${line}`);
  };
}

/** Starts a program, whose lines are written behind its name. */
export function startPart({ name, program, args, variables, toldApart, write }: PartOptions): Part {
  const env = { ...process.env, ...variables };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const tell = writerOf(name, write);
  let output = '';
  let isApart = false;
  const looks = new Set<() => void>();
  createInterface(child.stderr).on('line', tell);
  createInterface(child.stdout).on('line', (line) => {
    output += `${line}\n`;
    isApart ||= toldApart?.test(line) ?? false;
    if (!isApart) tell(line);
    for (const look of looks) look();
  });
  const ended = new Promise<string>((done) => {
    child.on('error', (error) => done(error.message));
    child.on('exit', (code, signal) => done(signal ?? `code ${code}`));
  });
  void ended.then((how) => tell(`ended with ${how}`));
  return {
    pid: child.pid!,
    saw: (pattern) =>
      new Promise((done, failed) => {
        const look = (): void => {
          const found = pattern.exec(output);
          if (!found) return;
          looks.delete(look);
          done(found);
        };
        looks.add(look);
        look();
        void ended.then((how) => failed(new Error(`${name} ended with ${how} before it was ready`)));
      }),
    async stop() {
      child.kill('SIGTERM');
      const callOff = after(STOP_MS, () => void child.kill('SIGKILL'));
      await ended;
      callOff();
    },
  };
}
