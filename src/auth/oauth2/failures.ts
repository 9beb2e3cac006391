import type { Clock } from '../../base/clock.ts';

const WINDOW_S = 900;
const FAILURES_MAX = 20;
/** Beyond this many sources the oldest are forgotten, so that nobody can fill the memory. */
const SOURCES_MAX = 100_000;

/** Counts what went wrong, by source, in windows that open with the first failure. @source authentication gaps 13 */
export interface Failures {
  add(source: string): void;
  /** Seconds until a source may try again; 0 when it may now. */
  wait_s(source: string): number;
}

/** Failures in the memory of this process. */
export function failures(clock: Clock): Failures {
  const bySource = new Map<string, { count: number; readonly until_s: number }>();
  const now_s = (): number => Math.floor(clock.now() / 1000);
  const open = (source: string) => {
    const window = bySource.get(source);
    return window && window.until_s > now_s() ? window : undefined;
  };
  return {
    add(source) {
      const window = open(source);
      if (window) {
        window.count += 1;
        return;
      }
      // Put at the end, so that the map stays in the order in which windows opened.
      bySource.delete(source);
      if (bySource.size >= SOURCES_MAX) bySource.delete(bySource.keys().next().value!);
      bySource.set(source, { count: 1, until_s: now_s() + WINDOW_S });
    },
    wait_s(source) {
      const window = open(source);
      return window && window.count >= FAILURES_MAX ? window.until_s - now_s() : 0;
    },
  };
}
