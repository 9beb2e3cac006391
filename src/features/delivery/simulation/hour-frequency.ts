/** Maximum number of terms of the sum. */
const TERMS_MAX = 200;

/**
 * Returns the share of further impressions that a frequency cap permits: the share of people with fewer than `cap` impressions,
 * which are Poisson distributed.
 */
export function shareBelowCap(cap: number, impressions: number, people: number): number {
  if (people <= 0) return 0;
  const mean = impressions / people;
  if (mean === 0 || cap > TERMS_MAX) return mean < cap ? 1 : 0;
  let term = Math.exp(-mean);
  let sum = term;
  for (let had = 1; had < cap; had++) {
    term *= mean / had;
    sum += term;
  }
  return Math.min(1, sum);
}
