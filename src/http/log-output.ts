import { write, writeSync } from 'node:fs';
import { every } from '../base/timers.ts';

/** The size of the lines that wait in memory while the log cannot be written; further lines are dropped. */
const WAITING_BYTES_MAX = 1_048_576;
/** The delay before a failed write is retried. */
const AGAIN_MS = 500;

/** Where log lines go. */
export interface LogOutput {
  write(line: string): void;
  /** Writes the waiting lines synchronously, as far as possible. */
  flush(): void;
}

/**
 * Writes lines to a file descriptor in the background. The target may be a file on a full disk or a pipe that nobody
 * reads: the service goes on, and waiting lines are written once that works again.
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
      // A write in progress has already received these bytes.
      if (writing) rest = Buffer.alloc(0);
      take();
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch {
        // The process is exiting; there is no later retry.
      }
    },
  };
}
