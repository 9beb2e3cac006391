/** Impressions a person within a period are counted up to this. */
const TERMS_MAX = 200;

/**
 * The share of further impressions that a frequency cap lets through: those of people who have had fewer than `cap`, when
 * `impressions` are distributed among `people` at random.
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
