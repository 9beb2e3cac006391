import { dateAround, plusDays } from '../../../base/zones.ts';
import { DELIVERY_METRICS } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { readDays } from '../../ads/reports/read-report.ts';
import { drawRate, type Outcomes } from './draw-rate.ts';

const EXPECTED = 0.008;
/** The weight of the expectation, in impressions. */
const WEIGHT = 1000;
const [LEAST, MOST] = [0.5, 2];
/** Clicks of the current local day and those before it count: people tire of an ad. */
const DAYS = 7;
const CLICKS = Int16Array.from(DELIVERY_METRICS, (metric) => (metric === 'clicks' ? 0 : -1));

/** Clicks in impressions of a creative that nobody has seen. */
export const UNSEEN: Outcomes = { successes: EXPECTED * WEIGHT, trials: WEIGHT };

/** Clicks in impressions of the creatives of line items, by the ledger of the last days; those without any are absent. */
export async function readOutcomes(
  tx: ReadTransaction,
  { id, timezone }: SettledAccount,
  line_items: readonly string[],
  now_ms: number,
): Promise<ReadonlyMap<string, Outcomes>> {
  const until = plusDays(dateAround(now_ms, timezone), 1);
  const range = { account: id, from: plusDays(until, -DAYS), until, line_items };
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

/** How well a creative does, from 0.5 to 2; 1 for an unseen one. @source decision 979 */
export function qualityOf({ successes, trials }: Outcomes): number {
  return Math.min(MOST, Math.max(LEAST, successes / trials / EXPECTED));
}

/** Creatives in the order in which one of them is shown: at random, those that do better more often first. @source decision 1122 */
export function inOrder<C extends { readonly outcomes: Outcomes }>(
  creatives: readonly C[],
  chance: () => number,
): readonly C[] {
  if (creatives.length === 1) return creatives;
  const drawn = creatives.map((creative) => [drawRate(creative.outcomes, chance()), creative] as const);
  return drawn.sort(([one], [other]) => other - one).map(([, creative]) => creative);
}
