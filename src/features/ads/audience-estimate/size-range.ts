/** A range that contains the true count. */
export interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** Smaller counts are reported as below this, because a small count could identify people. */
const REPORTED_MIN = 1000;

/**
 * The range reported instead of a count: rounded down and up to two significant digits; 0 to 1000 below 1000.
 * Both ends grow monotonically with the count.
 * @source decision 291
 */
export function toSizeRange(count: number): SizeRange {
  if (count < REPORTED_MIN) return { min: 0, max: REPORTED_MIN };
  const step = 10 ** (String(count).length - 2);
  const min = Math.floor(count / step) * step;
  return { min, max: min + step };
}
