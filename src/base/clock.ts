/** The source of the current time. Everything that needs the time gets a clock. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The system clock: the only reader of `Date.now`. */
export const systemClock: Clock = { now: () => Date.now() };
