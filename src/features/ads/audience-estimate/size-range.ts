import { roundedPeople, roundingStep } from '../../../contract/store/audiences.ts';

/** Smaller counts are reported as below this, because a small count could identify people. */
const REPORTED_MIN = 1000;

/**
 * Returns the range reported instead of a count: the count rounded down to two significant digits, and the next such number;
 * 0 to 1000 below 1000. Neither end falls as the count grows.
 * @source decision 291
 */
export function toSizeRange(count: number): { readonly min: number; readonly max: number } {
  if (count < REPORTED_MIN) return { min: 0, max: REPORTED_MIN };
  const min = roundedPeople(count);
  return { min, max: min + roundingStep(count) };
}
