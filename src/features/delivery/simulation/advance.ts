import { formatInstant } from '../../../base/instants.ts';
import { type LocalDay, localDayAround, startOfHour } from '../../../base/zones.ts';
import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Bookings } from '../bookings.ts';
import type { Delivered } from '../ledger-writer.ts';
import { LATEST_HOURS } from './conversions.ts';
import type { Segment } from './hour-market.ts';
import type { Knobs } from './knobs.ts';
import { addDelivered, beginDay, type LedgerState } from './ledger-state.ts';
import { planSegment } from './plan-segment.ts';
import type { PreparedLine } from './prepared-line.ts';
import type { Numbers } from './spot-numbers.ts';
import { countedClicks, doneBetween, type SpotPlan, spotKey, spotPlans } from './spot-plan.ts';

/** What will happen until the end of the running hour if nothing changes. */
export interface RunningPlan {
  /** Seconds since 1970. */
  readonly until_s: number;
  readonly spots: readonly SpotPlan[];
}

/** What advancing needs. Times are in milliseconds since 1970, whole seconds. */
export interface AdvanceInput {
  readonly account: Bookings['account'];
  readonly seed: string;
  readonly knobs: Knobs;
  readonly lines: readonly PreparedLine[];
  readonly people: ReadonlyMap<string, number>;
  /** The ledger at `from_ms`; it is brought to `until_ms`. */
  readonly state: LedgerState;
  /** The plan of the hour that is running at `from_ms`, if it still holds. */
  readonly running: RunningPlan | undefined;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** What is delivered, and the plan of the hour that is running at the end. */
export interface Advanced {
  readonly delivered: readonly Delivered[];
  readonly running: RunningPlan | undefined;
}

/**
 * Delivers from one time to another, hour by hour. Each hour is planned at its beginning, or where something changed, and
 * happens evenly; so it does not matter in how many steps one advances.
 * @source decision 930
 */
export function advance(input: AdvanceInput): Advanced {
  const { account, seed, knobs, lines, state, from_ms, until_ms } = input;
  const byId = new Map(lines.map((line) => [line.booking.id, line]));
  const delivered = new Map<string, MutableDelivered>();
  let running = input.running;
  let at_ms = from_ms;
  while (at_ms < until_ms) {
    const day = localDayAround(at_ms, account.timezone);
    const hourStart_ms = startOfHour(at_ms, day);
    const hourEnd_ms = Math.min(hourStart_ms + HOUR_MS, day.end_ms);
    const hour = Math.round((hourStart_ms - day.start_ms) / HOUR_MS);
    beginDay(state, day.date);
    if (!running || running.until_s * 1000 !== hourEnd_ms) {
      const segment: Segment = { seed, knobs, day, hour, from_ms: at_ms, until_ms: hourEnd_ms };
      const spots = planSegment(input, segment).flatMap((plan) => spotPlans(plan, at_ms, state));
      running = { until_s: hourEnd_ms / 1000, spots };
    }
    const next_ms = Math.min(hourEnd_ms, until_ms);
    const range = [at_ms / 1000, next_ms / 1000] as const;
    for (const spot of running.spots) {
      const line = byId.get(spot.line);
      const numbers = doneBetween(spot, ...range);
      if (!line || numbers.size === 0) continue;
      addDelivered(state, line.booking, {
        impressions: numbers.get('impressions') ?? 0,
        spend: numbers.get('billed_charge_local_micro') ?? 0,
      });
      const clicks = countedClicks(line.booking, numbers);
      if (clicks) addClicks(state, spotKey(spot), hourStart_ms, clicks);
      add(delivered, line, spot, { day, hour, numbers, range });
    }
    at_ms = next_ms;
    if (next_ms === hourEnd_ms) running = undefined;
  }
  const shown = [...delivered.values()].map(({ from_s, until_s, ...each }) => {
    return { ...each, from: formatInstant(from_s * 1000), until: formatInstant(until_s * 1000) };
  });
  return { delivered: shown, running };
}

const HOUR_MS = 3_600_000;

type MutableDelivered = Omit<Delivered, 'added' | 'from' | 'until'> & {
  readonly added: Map<DeliveryMetric, number[]>;
  from_s: number;
  until_s: number;
};

function add(
  delivered: Map<string, MutableDelivered>,
  { booking }: PreparedLine,
  spot: SpotPlan,
  {
    day,
    hour,
    numbers,
    range,
  }: {
    readonly day: LocalDay;
    readonly hour: number;
    readonly numbers: Numbers;
    readonly range: readonly [number, number];
  },
): void {
  const key = `${spotKey(spot)} ${day.date}`;
  const until_s = Math.min(range[1], spot.until_s);
  let sum = delivered.get(key);
  if (!sum) {
    const line_item = {
      ...{ id: booking.id, campaign_id: booking.campaign.id, funding_instrument_id: booking.instrument.id },
    };
    const place = { creative_id: spot.creative, placement: spot.placement, day: day.date, hours: day.hours };
    sum = { line_item, ...place, added: new Map(), from_s: Math.max(range[0], spot.from_s), until_s };
    delivered.set(key, sum);
  }
  sum.until_s = until_s;
  for (const [metric, number] of numbers) {
    let hours = sum.added.get(metric);
    if (!hours) {
      hours = new Array(day.hours).fill(0);
      sum.added.set(metric, hours);
    }
    hours[hour]! += number;
  }
}

/** Remembers the clicks of an hour, and forgets those that lead to nothing any more. */
function addClicks(state: LedgerState, key: string, start_ms: number, clicks: number): void {
  const known = (state.clicks.get(key) ?? []).filter((each) => each.start_ms > start_ms - LATEST_HOURS * HOUR_MS);
  const last = known.at(-1);
  if (last?.start_ms === start_ms) last.clicks += clicks;
  else known.push({ start_ms, clicks });
  state.clicks.set(key, known);
}
