import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { countConversions } from './conversions.ts';
import { Counts, type Numbers, placeOf } from './counts.ts';
import { draw } from './draws.ts';
import { proportion } from './largest-remainder.ts';
import type { LedgerState } from './ledger-state.ts';
import type { LinePlan } from './line-plan.ts';
import type { Spot } from './prepared-line.ts';
import { countSpot, divideAmong, type SpotShares } from './spot-numbers.ts';

/** The planned delivery of a creative in a placement by the end of a segment. */
export interface SpotPlan {
  readonly line: string;
  readonly creative: string;
  readonly placement: string;
  /** The time span in which it is delivered evenly: seconds since 1970. */
  readonly from_s: number;
  readonly until_s: number;
  readonly numbers: Numbers;
}

/** Returns the key of a creative in a placement of a line item. */
export function spotKey({ line, creative, placement }: Pick<SpotPlan, 'line' | 'creative' | 'placement'>): string {
  return `${line} ${creative} ${placement}`;
}

/** Reusable buffers for the numbers of one spot after the other. */
export interface Workbench {
  readonly counts: Counts;
  readonly shares: SpotShares;
  /** The share of the current spot. */
  readonly share: { impressions: number; billed: number; spend: number };
}

/** Creates the buffers. */
export function createWorkbench(): Workbench {
  return {
    counts: new Counts(),
    shares: { impressions: [], billed: [], spend: [] },
    share: { impressions: 0, billed: 0, spend: 0 },
  };
}

/** Counts the share of each spot in the plan of a line item, and calls `visit` with the result in `counts`. */
export function eachSpot(
  plan: LinePlan,
  segmentFrom_ms: number,
  state: LedgerState,
  { counts, shares, share }: Workbench,
  visit: (spot: Spot) => void,
): void {
  const { line, supply } = plan;
  const isServing = !plan.reason || plan.reason === 'NOTHING_WON';
  if (!isServing || (plan.impressions === 0 && line.conversions.length === 0)) return;
  const time_s = segmentFrom_ms / 1000;
  divideAmong(shares, line.weights, plan, draw(line.key, time_s, 'actions'));
  for (let at = 0; at < line.spots.length; at++) {
    const spot = line.spots[at]!;
    share.impressions = shares.impressions[at]!;
    share.billed = shares.billed[at]!;
    share.spend = shares.spend[at]!;
    counts.clear();
    countSpot(counts, line.booking, spot, share, supply!.factor, time_s);
    if (line.conversions.length > 0) {
      const range = { key: spot.key, from_s: plan.from_ms / 1000, until_s: plan.until_ms / 1000 };
      countConversions(counts, line.conversions, state.clicks.get(spot.name) ?? [], range);
    }
    if (counts.size > 0) visit(spot);
  }
}

/** Returns the metrics of the actions whose value a metric is: it grows in proportion to them. */
function carriersOf(metric: DeliveryMetric): readonly number[] | undefined {
  if (metric === 'billed_charge_local_micro') return [placeOf('billed_engagements')];
  const [, conversion, part] = /^(.+)[.](?:order_quantity|sale_amount)(?:_(.+))?$/.exec(metric) ?? [];
  if (conversion === undefined) return undefined;
  const parts = part === undefined ? ['view', 'engagement'] : [part];
  return parts.map((each) => placeOf(`${conversion}.post_${each}` as DeliveryMetric));
}

const CARRIERS = DELIVERY_METRICS.map(carriersOf);

/**
 * Returns the progress of a number by a time (seconds since 1970). Numbers grow evenly from 0 to the planned one, charges in
 * proportion to the billed actions. Depends only on the arguments, so that the number of settlements makes no difference.
 * @param at index in `numbers`
 * @source decision 930
 */
function doneBy({ numbers, from_s, until_s }: SpotPlan, at: number, time_s: number): number {
  const lasts_s = until_s - from_s;
  const passed_s = Math.max(0, Math.min(time_s - from_s, lasts_s));
  const planned = numbers[at + 1]!;
  const carriers = CARRIERS[numbers[at]!];
  if (!carriers) return proportion(planned, passed_s, lasts_s);
  let done = 0;
  let all = 0;
  for (let other = 0; other < numbers.length; other += 2) {
    if (!carriers.includes(numbers[other]!)) continue;
    all += numbers[other + 1]!;
    done += proportion(numbers[other + 1]!, passed_s, lasts_s);
  }
  return proportion(planned, done, all);
}

/** Counts the progress between two times. */
export function countBetween(counts: Counts, plan: SpotPlan, from_s: number, until_s: number): void {
  for (let at = 0; at < plan.numbers.length; at += 2) {
    counts.add(plan.numbers[at]!, doneBy(plan, at, until_s) - doneBy(plan, at, from_s));
  }
}
