import type { Clock } from '../../../base/clock.ts';
import { fixedWindows } from '../../../base/windows.ts';

const WINDOW_S = 900;
const FAILURES_MAX = 20;
/** Sources that are counted at a time. */
const SOURCES_MAX = 100_000;

/**
 * Counts failures by source, in windows that open with the first failure.
 * @source authentication gaps 13; decision 81
 */
export interface FailureLimit {
  add(source: string): void;
  /** Seconds until a source may try again; 0 if it may now. */
  wait_s(source: string): number;
}

/** A limit that counts in the memory of this process. */
export function failureLimit(clock: Clock): FailureLimit {
  const windows = fixedWindows(SOURCES_MAX);
  const now_s = (): number => Math.floor(clock.now() / 1000);
  return {
    add(source) {
      windows.open(source, WINDOW_S, now_s()).used += 1;
    },
    wait_s(source) {
      const window = windows.find(source, WINDOW_S, now_s());
      return window && window.used >= FAILURES_MAX ? window.reset_s - now_s() : 0;
    },
  };
}
