import type { Readable } from 'node:stream';
import { after, every } from '../base/timers.ts';

/** Options of a shutdown. */
export interface ShutdownOptions {
  /** Resolves with the number of connections that were closed by force. */
  close(): Promise<number>;
  readonly timeout_s: number;
  /** Also stop when the parent process exits: script runners do not forward every signal. */
  readonly stopsWithParent?: boolean;
  /** Also stop when this stream ends: the parent process keeps its other end open. */
  readonly lifeline?: Readable | undefined;
  /** Resolves with the reason of a fatal error; the server is then closed as after a signal, with exit code 1. */
  readonly ended?: Promise<string>;
  /** Handles SIGHUP; without it, SIGHUP stops the server. */
  readonly onHangUp?: () => void;
  log(message: string): void;
}

/** The terminal and the script runner both send a signal for one key press; a second one this soon is ignored. */
const SAME_SIGNAL_MS = 250;
/** Additional time for closing the database. */
const CLOSING_MS = 5000;
const LOOK_MS = 500;

/** Waits for a signal, then shuts down gracefully; resolves with the exit code. A second signal exits immediately. */
export function waitForShutdown(options: ShutdownOptions): Promise<number> {
  return new Promise((resolve) => {
    let firstAt_ms: number | undefined;
    let stopLooking = (): void => {};
    const stop = (signal: string, failed = false): void => {
      const now_ms = performance.now();
      if (firstAt_ms !== undefined) {
        if (now_ms - firstAt_ms < SAME_SIGNAL_MS) return;
        options.log(`${signal} again: exiting immediately`);
        process.exit(1);
      }
      firstAt_ms = now_ms;
      stopLooking();
      // An open stream would keep the process alive.
      options.lifeline?.destroy();
      options.log(`${signal}: finishing open requests; a second signal exits immediately`);
      const callOff = after(options.timeout_s * 1000 + CLOSING_MS, () => process.exit(1));
      void finish(options).then((exitCode) => {
        callOff();
        resolve(failed ? 1 : exitCode);
      });
    };
    if (options.stopsWithParent) {
      const parent = process.ppid;
      stopLooking = every(LOOK_MS, () => void (process.ppid !== parent && stop('the parent process has exited')));
    }
    const ended = (): void => stop('standard input has ended');
    options.lifeline?.once('end', ended).once('error', ended).resume();
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(signal));
    process.on('SIGHUP', options.onHangUp ?? (() => stop('SIGHUP')));
    options.ended?.then(
      (reason) => stop(reason, true),
      // A server that did not start needs no shutdown.
      () => void options.lifeline?.destroy(),
    );
  });
}

async function finish({ close, timeout_s, log }: ShutdownOptions): Promise<number> {
  try {
    const cut = await close();
    log(cut === 0 ? 'stopped' : `stopped; ${cut} connections were closed after ${timeout_s} s`);
    return 0;
  } catch (error) {
    log(`graceful shutdown failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
