import { write, writeSync } from 'node:fs';
import { every } from '../base/timers.ts';

/** So much of a log that cannot be written waits in memory; lines beyond it are dropped. */
const WAITING_BYTES_MAX = 1_048_576;
/** How soon a write that failed is tried again. */
const AGAIN_MS = 500;

/** Where log lines go. */
export interface LogOutput {
  write(line: string): void;
  /** Writes what waits, as far as that works at once. */
  flush(): void;
}

/**
 * Lines written to a file descriptor in the background. It may be a file on a full disk, or a pipe that nobody empties:
 * the service goes on, lines wait, and those that wait are written once that works again.
 */
export function logOutput(descriptor: number): LogOutput {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let writing: Buffer | undefined;
  let rest = Buffer.alloc(0);

  const take = (): void => {
    if (rest.length > 0 || waiting.length === 0) return;
    rest = Buffer.from(waiting.join(''));
    waiting = [];
    waitingBytes = 0;
  };
  const next = (): void => {
    if (writing) return;
    take();
    if (rest.length === 0) return;
    writing = rest;
    write(descriptor, rest, (error, written) => {
      writing = undefined;
      rest = rest.subarray(written ?? 0);
      if (!error) next();
    });
  };
  every(AGAIN_MS, next);
  return {
    write(line) {
      if (waitingBytes + line.length > WAITING_BYTES_MAX) return;
      waiting.push(line);
      waitingBytes += line.length;
      next();
    },
    flush() {
      // What is under way has been handed over already.
      if (writing) rest = Buffer.alloc(0);
      take();
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch {
        // The process ends; nobody is left to try again.
      }
    },
  };
}
