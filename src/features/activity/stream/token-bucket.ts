/** A rate limit of events a second, with a burst of the same size. @source decision 368 */
export interface TokenBucket {
  /** Takes up to `wanted` tokens; returns how many. */
  take(count: number): number;
}

/** A bucket that starts full. `elapsed_ms` is a monotonic clock. @source decision 369 */
export function tokenBucket(per_s: number, elapsed_ms: () => number): TokenBucket {
  let left = per_s;
  let at_ms = elapsed_ms();
  return {
    take(count) {
      if (left < count) {
        const now_ms = elapsed_ms();
        left = Math.min(per_s, left + ((now_ms - at_ms) * per_s) / 1000);
        at_ms = now_ms;
      }
      const taken = Math.min(count, Math.floor(left));
      left -= taken;
      return taken;
    },
  };
}
