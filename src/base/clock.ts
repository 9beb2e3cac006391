/** The source of the current time, passed to all code that needs it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/** The system clock: the only reader of `Date.now`. */
export const systemClock: Clock = { now: () => Date.now() };

/** Returns a clock with the earlier time of two clocks. */
export function earlierClock(one: Clock, other: Clock): Clock {
  return one === other ? one : { now: () => Math.min(one.now(), other.now()) };
}

/** The state of a movable clock: stopped at a time (milliseconds since 1970), or running at an offset from the wall clock. */
export type ClockState =
  | { readonly mode: 'frozen'; readonly now_ms: number }
  | { readonly mode: 'running'; readonly offset_ms: number };
