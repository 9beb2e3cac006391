/** A budget of time for optional work. */
export interface TimeShare {
  /** Whether time is left. */
  isLeft(): boolean;
  /** Runs the work and charges its duration, which may exceed the rest. */
  spend<T>(work: () => T): T;
}

/**
 * Limits optional work to a share of the elapsed time. Unused time accumulates, up to a burst.
 * @param share from 0 to 1.
 * @param now_ms a monotonic clock, in milliseconds.
 */
export function timeShare(share: number, burst_ms: number, now_ms: () => number): TimeShare {
  let left_ms = burst_ms;
  let at_ms = now_ms();
  const earn = (): void => {
    const until_ms = now_ms();
    left_ms = Math.min(burst_ms, left_ms + (until_ms - at_ms) * share);
    at_ms = until_ms;
  };
  return {
    isLeft() {
      earn();
      return left_ms > 0;
    },
    spend(work) {
      const begun_ms = now_ms();
      try {
        return work();
      } finally {
        left_ms -= now_ms() - begun_ms;
      }
    },
  };
}
