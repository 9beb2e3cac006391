/** Work that may take only a share of the time, over any period longer than a burst. */
export interface TimeShare {
  /** Whether the work may be done now: what was done before is paid for. */
  isLeft(): boolean;
  /** Does the work, and counts the time that it takes. It may take longer than what is left. */
  spend<T>(work: () => T): T;
}

/**
 * A share of the time for work that can wait or be left out.
 * @param share part of the time that passes, from 0 to 1.
 * @param burst_ms what can be saved up.
 * @param now_ms a clock that only goes forward, in milliseconds.
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
