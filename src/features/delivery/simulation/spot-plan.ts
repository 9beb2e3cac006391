import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { DELIVERY_METRICS } from '../../../contract/delivery/metrics.ts';
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
  /** When it happens, evenly: seconds since 1970. */
  readonly from_s: number;
  readonly until_s: number;
  readonly numbers: Numbers;
}

/** Names a creative in a placement of a line item. */
export function spotKey({ line, creative, placement }: Pick<SpotPlan, 'line' | 'creative' | 'placement'>): string {
  return `${line} ${creative} ${placement}`;
}

/** Where the numbers of one spot after the other are counted. */
export interface Workbench {
  readonly counts: Counts;
  readonly shares: SpotShares;
  /** That of the spot that is being counted. */
  readonly share: { impressions: number; billed: number; spend: number };
}

/** A new one. */
export function openWorkbench(): Workbench {
  return {
    counts: new Counts(),
    shares: { impressions: [], billed: [], spend: [] },
    share: { impressions: 0, billed: 0, spend: 0 },
  };
}

/** Counts the part of each creative in the plan of a line item: `visit` finds it in `counts`. */
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

/** The counts whose value a metric is, if it is one: it grows in steps with them. */
function carriersOf(metric: DeliveryMetric): readonly number[] | undefined {
  if (metric === 'billed_charge_local_micro') return [placeOf('billed_engagements')];
  const [, conversion, part] = /^(.+)[.](?:order_quantity|sale_amount)(?:_(.+))?$/.exec(metric) ?? [];
  if (conversion === undefined) return undefined;
  const parts = part === undefined ? ['view', 'engagement'] : [part];
  return parts.map((each) => placeOf(`${conversion}.post_${each}` as DeliveryMetric));
}

const CARRIERS = DELIVERY_METRICS.map(carriersOf);

/**
 * The progress of a plan by a time (seconds since 1970): every number grows evenly from 0 to the planned one, the
 * charge with the actions that are billed. Depends on nothing but its arguments, so that it does not matter how often
 * one looks.
 * @param at where a number is in `numbers`
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

/** Counts the progress of a plan between two times. */
export function countBetween(counts: Counts, plan: SpotPlan, from_s: number, until_s: number): void {
  for (let at = 0; at < plan.numbers.length; at += 2) {
    counts.add(plan.numbers[at]!, doneBy(plan, at, until_s) - doneBy(plan, at, from_s));
  }
}
