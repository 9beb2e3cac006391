/** Where the present comes from. Everything that needs the time is given a clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The machine's clock: the only reader of `Date.now`. */
export const systemClock: Clock = { now: () => Date.now() };
