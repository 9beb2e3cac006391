import { localDayAt, startOfHour } from '../../../base/zones.ts';
import type { Bookings } from '../bookings.ts';
import type { Delivered } from '../ledger-writer.ts';
import { CONVERSION_WINDOW_HOURS } from './conversions.ts';
import { placeOf } from './counts.ts';
import { type HourMarket, hourMarket, type Segment } from './hour-market.ts';
import type { SimulationParameters } from './knobs.ts';
import { addDelivered, beginDay, type LedgerState, putBack, takePart } from './ledger-state.ts';
import type { LinePlan } from './line-plan.ts';
import { planSegment } from './plan-segment.ts';
import type { PreparedLine, Spot } from './prepared-line.ts';
import { instrumentSubject } from './share-auctions.ts';
import { Sinks } from './sinks.ts';
import { countBetween, createWorkbench, eachSpot, type SpotPlan, spotKey, type Workbench } from './spot-plan.ts';

/** The plan of the current hour until its end. */
export interface RunningPlan {
  /** Seconds since 1970. */
  readonly until_s: number;
  readonly spots: readonly SpotPlan[];
}

/** The period to simulate. Times are in milliseconds since 1970, whole seconds. */
interface AdvanceInput {
  readonly account: Bookings['account'];
  readonly seed: string;
  readonly knobs: SimulationParameters;
  readonly lines: readonly PreparedLine[];
  /** By line item, and by funding instrument. */
  readonly people: ReadonlyMap<string, number>;
  /** The ledger at `from_ms`; advanced to `until_ms`. */
  readonly state: LedgerState;
  /** The plan of the hour at `from_ms`, if it is still valid. */
  readonly running: RunningPlan | undefined;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** The deliveries, and the plan of the hour at the end. */
interface Advanced {
  readonly delivered: readonly Delivered[];
  readonly running: RunningPlan | undefined;
}

/** The part of an hour in the period. */
interface Step {
  /** The rest of the hour. */
  readonly segment: Segment;
  readonly market: HourMarket;
  readonly hourStart_ms: number;
  readonly until_ms: number;
}

/**
 * Simulates delivery hour by hour. Each hour is planned at its start or after a change, and delivered evenly, so that the number
 * of settlements makes no difference. Groups of line items that share no budget pass through all hours one after the other, for
 * the sake of processor caches.
 * @source decision 930
 */
export function advance(input: AdvanceInput): Advanced {
  const { state, running } = input;
  const steps = stepsOf(input);
  const last = steps.at(-1);
  if (!last) return { delivered: [], running };
  const sinks = new Sinks(input.lines.reduce((sum, { spots }) => sum + spots.length, 0));
  const bench = createWorkbench();
  const groups = groupsOf(input);
  const planned = Map.groupBy(running?.spots ?? [], ({ line }) => line);
  const parts = groups.map((lines) => takePart(state, lines));
  // Line items outside of all groups advance as well.
  beginDay(state, last.segment.day.date);
  const spots: SpotPlan[] = [];
  for (const [at, lines] of groups.entries()) {
    const own = running && { ...running, spots: lines.flatMap(({ booking }) => planned.get(booking.id) ?? []) };
    const left = advanceGroup({ ...input, lines, state: parts[at]!, running: own }, steps, sinks, bench);
    if (left) spots.push(...left.spots);
    putBack(state, parts[at]!);
  }
  const until_s = last.segment.until_ms / 1000;
  return {
    delivered: sinks.delivered(),
    running: last.until_ms < last.segment.until_ms ? { until_s, spots } : undefined,
  };
}

/** Splits the period by hours, each with its market. */
function stepsOf({ account, seed, knobs, from_ms, until_ms }: AdvanceInput): Step[] {
  const steps: Step[] = [];
  for (let at_ms = from_ms; at_ms < until_ms; at_ms = steps.at(-1)!.until_ms) {
    const day = localDayAt(at_ms, account.timezone);
    const hourStart_ms = startOfHour(at_ms, day);
    const hourEnd_ms = Math.min(hourStart_ms + HOUR_MS, day.end_ms);
    const hour = Math.round((hourStart_ms - day.start_ms) / HOUR_MS);
    const segment: Segment = { seed, knobs, day, hour, from_ms: at_ms, until_ms: hourEnd_ms };
    steps.push({ segment, market: hourMarket(segment), hourStart_ms, until_ms: Math.min(hourEnd_ms, until_ms) });
  }
  return steps;
}

/** Groups line items that share the budget of a campaign or funding instrument, or an audience. */
function groupsOf({ lines, people }: AdvanceInput): PreparedLine[][] {
  const groups = Map.groupBy(lines, ({ booking }) => {
    const { instrument, campaign } = booking;
    const isApart = instrument.limit === null && !people.has(instrumentSubject(booking));
    return isApart ? `campaign ${campaign.id}` : `instrument ${instrument.id}`;
  });
  return [...groups.values()];
}

/** Simulates a group; returns the plan of the hour at the end. */
function advanceGroup(
  input: AdvanceInput,
  steps: readonly Step[],
  sinks: Sinks,
  bench: Workbench,
): RunningPlan | undefined {
  const { state } = input;
  let { running } = input;
  for (const { segment, market, hourStart_ms, until_ms } of steps) {
    const { day, hour, from_ms } = segment;
    beginDay(state, day.date);
    const take = (line: PreparedLine, spot: Spot, from_s: number, to_s: number): void => {
      const { counts } = bench;
      if (line.conversions.length > 0) addClicks(state, spot.name, hourStart_ms, counts.get(line.clicks));
      sinks.add(line, spot, day, hour, counts, from_s, to_s);
    };
    if (running?.until_s !== segment.until_ms / 1000) {
      const plans = planSegment(input, segment, market);
      if (until_ms < segment.until_ms) running = runningPlan(plans, segment, state, bench);
      else deliverWhole(plans, from_ms, state, bench, take);
    }
    if (running) deliverPart(running, input, [from_ms / 1000, until_ms / 1000], bench, take);
    if (until_ms === segment.until_ms) running = undefined;
  }
  sinks.endDay();
  return running;
}

const HOUR_MS = 3_600_000;
const IMPRESSIONS = placeOf('impressions');
const CHARGE = placeOf('billed_charge_local_micro');

type Take = (line: PreparedLine, spot: Spot, from_s: number, until_s: number) => void;

/** Creates the plan of an hour that ends after the period. */
function runningPlan(plans: readonly LinePlan[], segment: Segment, state: LedgerState, bench: Workbench): RunningPlan {
  const spots: SpotPlan[] = [];
  for (const plan of plans) {
    eachSpot(plan, segment.from_ms, state, bench, ({ creative, placement }) => {
      const range = { from_s: plan.from_ms / 1000, until_s: plan.until_ms / 1000 };
      const place = { line: plan.line.booking.id, creative: creative.id, placement };
      spots.push({ ...place, ...range, numbers: bench.counts.numbers() });
    });
  }
  return { until_s: segment.until_ms / 1000, spots };
}

/** Delivers the plans of a whole segment. */
function deliverWhole(
  plans: readonly LinePlan[],
  from_ms: number,
  state: LedgerState,
  bench: Workbench,
  take: Take,
): void {
  for (const plan of plans) {
    eachSpot(plan, from_ms, state, bench, (spot) => take(plan.line, spot, plan.from_ms / 1000, plan.until_ms / 1000));
    if (plan.impressions > 0) addDelivered(state, plan.line.booking, plan);
  }
}

/** Delivers the part of a plan between two times. */
function deliverPart(
  { spots }: RunningPlan,
  { lines, state }: AdvanceInput,
  [from_s, until_s]: readonly [number, number],
  { counts }: Workbench,
  take: Take,
): void {
  const byName = new Map<string, readonly [PreparedLine, Spot]>();
  for (const line of lines) for (const spot of line.spots) byName.set(spot.name, [line, spot]);
  for (const plan of spots) {
    counts.clear();
    countBetween(counts, plan, from_s, until_s);
    const found = byName.get(spotKey(plan));
    if (!found || counts.size === 0) continue;
    const [line, spot] = found;
    addDelivered(state, line.booking, { impressions: counts.get(IMPRESSIONS), spend: counts.get(CHARGE) });
    take(line, spot, Math.max(from_s, plan.from_s), Math.min(until_s, plan.until_s));
  }
}

/** Adds the clicks of an hour, and drops those too old to lead to conversions. */
function addClicks(state: LedgerState, name: string, start_ms: number, clicks: number): void {
  if (clicks === 0) return;
  const known = (state.clicks.get(name) ?? []).filter(
    (each) => each.start_ms > start_ms - CONVERSION_WINDOW_HOURS * HOUR_MS,
  );
  const last = known.at(-1);
  if (last?.start_ms === start_ms) last.clicks += clicks;
  else known.push({ start_ms, clicks });
  state.clicks.set(name, known);
}
