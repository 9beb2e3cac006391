/** Lets so many events a second pass, and as many at once. */
export interface Pace {
  /** How many of `wanted` may pass now; those are counted as passed. */
  take(wanted: number): number;
}

/** The pace of one stream, full at the beginning. `elapsed_ms` tells the machine's time, which only grows. */
export function paceOf(per_s: number, elapsed_ms: () => number): Pace {
  let left = per_s;
  let at_ms = elapsed_ms();
  return {
    take(wanted) {
      if (left < wanted) {
        const now_ms = elapsed_ms();
        left = Math.min(per_s, left + ((now_ms - at_ms) * per_s) / 1000);
        at_ms = now_ms;
      }
      const taken = Math.min(wanted, Math.floor(left));
      left -= taken;
      return taken;
    },
  };
}
