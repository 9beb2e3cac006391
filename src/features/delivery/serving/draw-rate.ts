import { normalAt } from '../simulation/normal.ts';

/** What is known of how often something happens, with what was expected before anything was known. */
export interface Outcomes {
  readonly successes: number;
  readonly trials: number;
}

/**
 * A rate as it could be by what is known of it: whoever acts by what is drawn tries out what little is known of (Thompson
 * sampling). A gamma distribution, by the approximation of Wilson and Hilferty.
 * @param chance from 0 to below 1
 * @source decision 1122
 */
export function drawRate({ successes, trials }: Outcomes, chance: number): number {
  const variance = 1 / (9 * successes);
  return (successes * Math.max(0.01, 1 - variance + normalAt(chance) * Math.sqrt(variance)) ** 3) / trials;
}
