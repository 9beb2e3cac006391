import { formatInstant } from '../../../base/instants.ts';
import { plusDays, startOfDay } from '../../../base/zones.ts';
import type { Bookings } from '../bookings.ts';
import { budgetLeft, reasonsNotServing } from '../serving-times.ts';
import { cutToCaps } from './caps.ts';
import { hourWeight } from './curves.ts';
import { draw, rounded } from './draws.ts';
import { hourMarket, type Segment } from './hour-market.ts';
import { type LedgerState, spentOn } from './ledger-state.ts';
import { beginPlan, bid, type LinePlan } from './line-plan.ts';
import { planFor, type Stretch } from './pacing.ts';
import { byId } from './plan-groups.ts';
import type { PreparedLine } from './prepared-line.ts';
import { shareAuctions } from './share-auctions.ts';

/** The input of the plan of a segment. */
export interface PlanInput {
  readonly account: Bookings['account'];
  readonly lines: readonly PreparedLine[];
  /** By line item, and by funding instrument. */
  readonly people: ReadonlyMap<string, number>;
  /** The ledger at the beginning of the segment. */
  readonly state: LedgerState;
}

/**
 * What each line item will deliver in a segment if nothing changes: whole numbers within all caps.
 * @source decision 930
 */
export function planSegment(
  { account, lines, people, state }: PlanInput,
  segment: Segment,
  market = hourMarket(segment),
): LinePlan[] {
  const plans = lines.map((line) => {
    const { booking, times } = line;
    const isServing = times !== undefined && times[0] < segment.until_ms && times[1] > segment.from_ms;
    const reasons = isServing
      ? []
      : reasonsNotServing(
          { account },
          booking,
          formatInstant(segment.from_ms),
          budgetLeft(booking, spentOn(state, booking)),
        );
    return beginPlan(line, segment, state, { market, people: people.get(booking.id) ?? 0, reason: reasons[0] });
  });
  const serving = plans.filter(({ reason }) => !reason);
  const campaigns = byId(serving, ({ campaign }) => campaign.id);
  for (const group of campaigns) {
    planBudgets(group, segment, account.timezone);
    bidAndPace(group, segment);
  }
  // Now they know of each other.
  if (shareAuctions(serving, { people, market, segment })) for (const group of campaigns) bidAndPace(group, segment);
  for (const plan of serving) if (!plan.reason) round(plan, segment);
  cutToCaps(serving.filter(({ reason }) => !reason));
  for (const plan of serving) if (!plan.reason && plan.impressions === 0) plan.reason = 'NOTHING_WON';
  return plans;
}

/** What the budgets of a campaign and of its line items let those spend that are paced. @source decision 934 */
function planBudgets(group: readonly LinePlan[], segment: Segment, zone: string): void {
  const { line, spent } = group[0]!;
  const ends = group.map((plan) => plan.line.flightEnd_ms);
  const last = ends.some((end) => end === undefined) ? undefined : Math.max(...(ends as number[]));
  const from_ms = Math.min(...group.map((plan) => plan.from_ms));
  const until_ms = Math.max(...group.map((plan) => plan.until_ms));
  const ofCampaign = planFor(
    line.booking.campaign.budget,
    spent.campaign,
    stretch(segment, [from_ms, until_ms], last, zone),
  );
  for (const plan of group) {
    const { booking, isStandard, flightEnd_ms } = plan.line;
    if (!isStandard) continue;
    const own = stretch(segment, [plan.from_ms, plan.until_ms], flightEnd_ms, zone);
    plan.plan = planFor(booking.budget, plan.spent.line, own);
    plan.campaignPlan = ofCampaign;
  }
}

/** The line items of a campaign bid, and are throttled to what is planned for each and for all. @source decision 934 */
function bidAndPace(group: readonly LinePlan[], segment: Segment): void {
  const supply = group.reduce((sum, plan) => sum + plan.supply!.opportunities, 0);
  for (const plan of group) {
    plan.throttle = 1;
    plan.limit = undefined;
    const part = plan.supply!.opportunities / supply;
    bid(plan, segment, Math.min(plan.plan, plan.campaignPlan * part));
    if (plan.reason || plan.expectedSpend <= plan.plan) continue;
    throttle(plan, plan.plan / plan.expectedSpend);
    plan.limit = 'pacing';
  }
  const paced = group.filter((plan) => !plan.reason && plan.line.isStandard);
  const sum = paced.reduce((all, plan) => all + plan.expectedSpend, 0);
  const ofCampaign = paced[0]?.campaignPlan ?? 0;
  if (sum <= ofCampaign) return;
  for (const plan of paced) {
    throttle(plan, ofCampaign / sum);
    plan.limit = 'campaign_pacing';
  }
}

function throttle(plan: LinePlan, by: number): void {
  plan.throttle *= by;
  plan.expectedImpressions *= by;
  plan.expectedSpend *= by;
}

/** Whole numbers by draws: of impressions, and of those that are billed. */
function round(plan: LinePlan, segment: Segment): void {
  const { line, supply, offer } = plan;
  const time = segment.from_ms / 1000;
  plan.impressions = rounded(plan.expectedImpressions, draw(line.key, time, 'impressions'));
  if (plan.impressions > plan.allowed) {
    plan.impressions = plan.allowed;
    plan.limit = 'frequency_cap';
  }
  plan.billed =
    line.booking.pay_by === 'IMPRESSION'
      ? plan.impressions
      : rounded(plan.impressions * supply!.billedRate, draw(line.key, time, 'billed'));
  plan.spend = Math.floor(plan.billed * offer!.price);
}

function stretch(
  { knobs, day, hour }: Segment,
  [from_ms, until_ms]: readonly [number, number],
  flightEnd_ms: number | undefined,
  zone: string,
): Stretch {
  const { scenario } = knobs;
  const early =
    scenario.name === 'early_end' && scenario.from
      ? Math.max(until_ms, Date.parse(startOfDay(plusDays(scenario.from, 3), zone)))
      : Number.POSITIVE_INFINITY;
  const end = Math.min(early, flightEnd_ms ?? Number.POSITIVE_INFINITY);
  return {
    ...{ day, hour, from_ms, until_ms, flightEnd_ms: Number.isFinite(end) ? end : undefined },
    weight: (each) => hourWeight(knobs, each),
  };
}
