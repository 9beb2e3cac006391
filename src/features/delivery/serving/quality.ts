import { addDays, localDateAt } from '../../../base/zones.ts';
import { DELIVERY_METRICS } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { readDays } from '../../ads/reports/read-report.ts';
import { normalQuantile } from '../simulation/normal.ts';

/** Observed successes in trials, including the prior. */
export interface Outcomes {
  readonly successes: number;
  readonly trials: number;
}

/** Prior click rate. */
const EXPECTED = 0.008;
/** Weight of the prior, in impressions. */
const WEIGHT = 1000;
const [LEAST, MOST] = [0.5, 2];
/** Number of local days whose clicks count, including today, because people tire of an ad. */
const DAYS = 7;
const CLICKS = Int16Array.from(DELIVERY_METRICS, (metric) => (metric === 'clicks' ? 0 : -1));

/** Clicks in impressions of a creative without impressions: the prior. */
export const UNSEEN: Outcomes = { successes: EXPECTED * WEIGHT, trials: WEIGHT };

/** Reads recent clicks in impressions by creative; those without impressions are absent. */
export async function readOutcomes(
  tx: ReadTransaction,
  { id, timezone }: SettledAccount,
  line_items: readonly string[],
  now_ms: number,
): Promise<ReadonlyMap<string, Outcomes>> {
  const until = addDays(localDateAt(now_ms, timezone), 1);
  const range = { account: id, from: addDays(until, -DAYS), until, line_items };
  const { sums, unsummed } = await readDays(tx, range, [['creative_id']]);
  const found = new Map<string, Outcomes>();
  const add = (creative: string, impressions: number, clicks: number): void => {
    const { successes, trials } = found.get(creative) ?? UNSEEN;
    found.set(creative, { successes: successes + clicks, trials: trials + impressions });
  };
  for (const { creative_id, impressions, clicks } of sums) add(creative_id!, impressions, clicks);
  for (const { creative_id, hours } of unsummed) {
    visitHours(hours, CLICKS, (_slot, _hour, clicks) => add(creative_id, 0, clicks));
  }
  return found;
}

/** Returns the performance of a creative relative to the average, from 0.5 to 2; 1 without impressions. @source decision 979 */
export function qualityOf({ successes, trials }: Outcomes): number {
  return Math.min(MOST, Math.max(LEAST, successes / trials / EXPECTED));
}

/** Shuffles creatives such that those with better click rates are more often first. @source decision 1122 */
export function shuffleByOutcome<C extends { readonly outcomes: Outcomes }>(
  creatives: readonly C[],
  chance: () => number,
): readonly C[] {
  if (creatives.length === 1) return creatives;
  const drawn = creatives.map((creative) => [drawRate(creative.outcomes, chance()), creative] as const);
  return drawn.sort(([one], [other]) => other - one).map(([, creative]) => creative);
}

/**
 * Draws a rate from its posterior, a gamma distribution, by the Wilson–Hilferty approximation; ranking by drawn rates explores
 * rates with few trials (Thompson sampling).
 * @param chance from 0 to below 1
 * @source decision 1122
 */
export function drawRate({ successes, trials }: Outcomes, chance: number): number {
  const variance = 1 / (9 * successes);
  return (successes * Math.max(0.01, 1 - variance + normalQuantile(chance) * Math.sqrt(variance)) ** 3) / trials;
}
