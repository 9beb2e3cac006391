/** Between which numbers of people a true count lies. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** Fewer people are told as fewer than so many: a small count could single somebody out. */
const REPORTED_MIN = 1000;

/**
 * The range that is told in place of a count: its first two digits, and the next such number. Below 1000 it is from 0 to
 * 1000. Neither end ever falls when the count grows.
 */
export function toSizeRange(count: number): SizeRange {
  if (count < REPORTED_MIN) return { min: 0, max: REPORTED_MIN };
  const step = 10 ** (String(count).length - 2);
  const min = Math.floor(count / step) * step;
  return { min, max: min + step };
}
