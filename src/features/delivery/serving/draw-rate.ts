import { normalAt } from '../simulation/normal.ts';

/** Observed successes in trials, with those of the prior. */
export interface Outcomes {
  readonly successes: number;
  readonly trials: number;
}

/**
 * Draws a rate from its posterior, a gamma distribution, by the approximation of Wilson and Hilferty: decisions by drawn
 * rates explore rates with few trials (Thompson sampling).
 * @param chance from 0 to below 1
 * @source decision 1122
 */
export function drawRate({ successes, trials }: Outcomes, chance: number): number {
  const variance = 1 / (9 * successes);
  return (successes * Math.max(0.01, 1 - variance + normalAt(chance) * Math.sqrt(variance)) ** 3) / trials;
}
