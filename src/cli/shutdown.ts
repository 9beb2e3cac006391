import { after, every } from '../base/timers.ts';

/** What ends a service, and how it speaks of it. */
export interface ShutdownOptions {
  /** Resolves with the number of connections that had to be cut. */
  close(): Promise<number>;
  readonly timeout_s: number;
  /** Also stop when the process that started this one is gone: script runners pass a key press on, but no signal. */
  readonly stopsWithParent?: boolean;
  /** Resolves with the reason why the service cannot go on; it is then closed like after a signal, with exit code 1. */
  readonly ended?: Promise<string>;
  /** What a hang-up signal does instead of options. */
  readonly onHangUp?: () => void;
  log(message: string): void;
}

/** A terminal and the script runner both pass a key press on; what comes this soon is the same request to stop. */
const SAME_SIGNAL_MS = 250;
/** How much longer than the requests the closing of the database may take. */
const CLOSING_MS = 5000;
const LOOK_MS = 500;

/**
 * Waits for a signal to stop, then closes the service in good order; resolves with the exit code. A second signal ends
 * the process at once.
 */
export function waitForShutdown(options: ShutdownOptions): Promise<number> {
  return new Promise((resolve) => {
    let firstAt_ms: number | undefined;
    let stopLooking = (): void => {};
    const stop = (signal: string, failed = false): void => {
      const now_ms = performance.now();
      if (firstAt_ms !== undefined) {
        if (now_ms - firstAt_ms < SAME_SIGNAL_MS) return;
        options.log(`${signal} again: ending at once`);
        process.exit(1);
      }
      firstAt_ms = now_ms;
      stopLooking();
      options.log(`${signal}: finishing the requests in flight; a second signal ends at once`);
      const callOff = after(options.timeout_s * 1000 + CLOSING_MS, () => process.exit(1));
      void finish(options).then((exitCode) => {
        callOff();
        resolve(failed ? 1 : exitCode);
      });
    };
    if (options.stopsWithParent) {
      const parent = process.ppid;
      stopLooking = every(LOOK_MS, () => void (process.ppid !== parent && stop('The starting process is gone')));
    }
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(signal));
    process.on('SIGHUP', options.onHangUp ?? (() => stop('SIGHUP')));
    options.ended?.then(
      (reason) => stop(reason, true),
      // What never started needs no options.
      () => undefined,
    );
  });
}

async function finish({ close, timeout_s, log }: ShutdownOptions): Promise<number> {
  try {
    const cut = await close();
    log(cut === 0 ? 'stopped' : `stopped; ${cut} connections were cut after ${timeout_s} s`);
    return 0;
  } catch (error) {
    log(`could not stop in good order: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
