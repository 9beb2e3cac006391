import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Booking } from '../bookings.ts';
import { proportion } from './apportion.ts';
import { addConversions, clicksOf, conversionsOf } from './conversions.ts';
import { draw } from './draws.ts';
import type { LedgerState } from './ledger-state.ts';
import type { LinePlan } from './line-plan.ts';
import { type Numbers, sharesOf, spotNumbers } from './spot-numbers.ts';

/** What a creative will have delivered in a placement by the end of a segment, if nothing changes. */
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

/** What each creative delivers of the plan of a line item. */
export function spotPlans(plan: LinePlan, segmentFrom_ms: number, state: LedgerState): SpotPlan[] {
  const { line, supply } = plan;
  const { booking, spots } = line;
  const from_s = plan.from_ms / 1000;
  const until_s = plan.until_ms / 1000;
  const counted = conversionsOf(booking);
  const isServing = !plan.reason || plan.reason === 'NOTHING_WON';
  if (!isServing || (plan.impressions === 0 && counted.length === 0)) return [];
  const shares = sharesOf(spots, plan, draw(line.key, segmentFrom_ms / 1000, 'actions'));
  const found: SpotPlan[] = [];
  for (const [at, spot] of spots.entries()) {
    const place = { line: booking.id, creative: spot.creative.id, placement: spot.placement };
    const context = { factor: supply!.factor, time_s: segmentFrom_ms / 1000 };
    const numbers = spotNumbers(booking, spot, shares[at]!, context);
    if (counted.length > 0) {
      const clicks = state.clicks.get(spotKey(place)) ?? [];
      addConversions(numbers, counted, clicks, { key: spot.key, from_s, until_s });
    }
    if (numbers.size > 0) found.push({ ...place, from_s, until_s, numbers });
  }
  return found;
}

/** The counts whose value a metric is, if it is one: it grows in steps with them. */
function carriersOf(metric: DeliveryMetric): readonly DeliveryMetric[] | undefined {
  if (metric === 'billed_charge_local_micro') return ['billed_engagements'];
  // Most metrics are no conversions, and this is asked of each in each hour.
  if (!metric.includes('conversion')) return undefined;
  const [, conversion, part] = /^(.+)[.](?:order_quantity|sale_amount)(?:_(.+))?$/.exec(metric) ?? [];
  if (conversion === undefined) return undefined;
  const parts = part === undefined ? ['view', 'engagement'] : [part];
  return parts.map((each) => `${conversion}.post_${each}` as DeliveryMetric);
}

/**
 * What has happened of a plan by a time (seconds since 1970): every number grows evenly from 0 to the planned one, the
 * charge with the actions that are billed. Depends on nothing but its arguments, so that it does not matter how often
 * one looks.
 * @source decision 930
 */
export function doneBy(plan: SpotPlan, time_s: number): Numbers {
  const done: Numbers = new Map();
  const lasts_s = plan.until_s - plan.from_s;
  const passed_s = Math.max(0, Math.min(time_s - plan.from_s, lasts_s));
  if (passed_s === 0) return done;
  for (const [metric, planned] of plan.numbers) {
    const counts = carriersOf(metric)?.map((carrier) => plan.numbers.get(carrier) ?? 0);
    const number = counts
      ? proportion(planned, sumOf(counts.map((count) => proportion(count, passed_s, lasts_s))), sumOf(counts))
      : proportion(planned, passed_s, lasts_s);
    if (number > 0) done.set(metric, number);
  }
  return done;
}

/** What happened of a plan between two times. */
export function doneBetween(plan: SpotPlan, from_s: number, until_s: number): Numbers {
  // Whole hours are what is planned.
  if (from_s <= plan.from_s && until_s >= plan.until_s) return plan.numbers;
  const done = doneBy(plan, until_s);
  for (const [metric, number] of doneBy(plan, from_s)) {
    const more = done.get(metric)! - number;
    if (more > 0) done.set(metric, more);
    else done.delete(metric);
  }
  return done;
}

/** The clicks of a line item that lead to conversions, in some numbers; undefined when it counts none. */
export function countedClicks(booking: Booking, numbers: Numbers): number | undefined {
  return conversionsOf(booking).length === 0 ? undefined : (numbers.get(clicksOf(booking)) ?? 0);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
