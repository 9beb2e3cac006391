import { formatInstant } from '../../../base/instants.ts';
import { addDays, startOfDay } from '../../../base/zones.ts';
import type { Bookings } from '../bookings.ts';
import { budgetLeft, leftOf, reasonsNotServing } from '../serving-times.ts';
import { draw, roundRandomly } from './draws.ts';
import { hourMarket, hourWeight, type Segment } from './hour-market.ts';
import { planSpend, type Stretch } from './hour-pacing.ts';
import { apportion } from './largest-remainder.ts';
import { type LedgerState, spentOn } from './ledger-state.ts';
import { bid, createPlan, type Limit, type LinePlan } from './line-plan.ts';
import type { PreparedLine } from './prepared-line.ts';
import { shareAuctions } from './share-auctions.ts';

/** The account and line items to plan, and their delivery so far. */
interface PlanInput {
  readonly account: Bookings['account'];
  readonly lines: readonly PreparedLine[];
  /** Audience sizes, by the id of a line item or the subject of a funding instrument. */
  readonly people: ReadonlyMap<string, number>;
  /** The ledger at the start of the segment. */
  readonly state: LedgerState;
}

/** Plans each line item in a segment, in integers within all caps. @source decision 930 */
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
    return createPlan(line, segment, state, { market, people: people.get(booking.id) ?? 0, reason: reasons[0] });
  });
  const serving = plans.filter(({ reason }) => !reason);
  const campaigns = [...groupByCampaign(serving)];
  for (const group of campaigns) {
    planBudgets(group, segment, account.timezone);
    bidAndPace(group, segment);
  }
  // Line items with overlapping audiences bid again for the opportunities that are left to each.
  if (shareAuctions(serving, { people, market, segment })) for (const group of campaigns) bidAndPace(group, segment);
  for (const plan of serving) if (!plan.reason) round(plan, segment);
  cutToCaps(serving.filter(({ reason }) => !reason));
  for (const plan of serving) if (!plan.reason && plan.impressions === 0) plan.reason = 'NOTHING_WON';
  return plans;
}

/** Plans the spend of the paced line items of a campaign. @source decision 934 */
function planBudgets(group: readonly LinePlan[], segment: Segment, zone: string): void {
  const { line, spent } = group[0]!;
  const ends = group.map((plan) => plan.line.flightEnd_ms);
  const last = ends.some((end) => end === undefined) ? undefined : Math.max(...(ends as number[]));
  const from_ms = Math.min(...group.map((plan) => plan.from_ms));
  const until_ms = Math.max(...group.map((plan) => plan.until_ms));
  const ofCampaign = planSpend(
    line.booking.campaign.budget,
    spent.campaign,
    stretch(segment, [from_ms, until_ms], last, zone),
  );
  for (const plan of group) {
    const { booking, isStandard, flightEnd_ms } = plan.line;
    if (!isStandard) continue;
    const own = stretch(segment, [plan.from_ms, plan.until_ms], flightEnd_ms, zone);
    plan.plan = planSpend(booking.budget, plan.spent.line, own);
    plan.campaignPlan = ofCampaign;
  }
}

/** Sets the bids of the line items of a campaign, and throttles them to their plans and that of the campaign. @source decision 934 */
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

function groupByCampaign(plans: readonly LinePlan[]) {
  return Map.groupBy(plans, ({ line }) => line.booking.campaign.id).values();
}

function throttle(plan: LinePlan, by: number): void {
  plan.throttle *= by;
  plan.expectedImpressions *= by;
  plan.expectedSpend *= by;
}

/** Rounds expected impressions and billed actions randomly to integers, and derives the spend. */
function round(plan: LinePlan, segment: Segment): void {
  const { line, supply, offer } = plan;
  const time = segment.from_ms / 1000;
  plan.impressions = roundRandomly(plan.expectedImpressions, draw(line.key, time, 'impressions'));
  if (plan.impressions > plan.allowed) {
    plan.impressions = plan.allowed;
    plan.limit = 'frequency_cap';
  }
  plan.billed =
    line.booking.pay_by === 'IMPRESSION'
      ? plan.impressions
      : roundRandomly(plan.impressions * supply!.billedRate, draw(line.key, time, 'billed'));
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
      ? Math.max(until_ms, Date.parse(startOfDay(addDays(scenario.from, 3), zone)))
      : Number.POSITIVE_INFINITY;
  const end = Math.min(early, flightEnd_ms ?? Number.POSITIVE_INFINITY);
  return {
    day,
    hour,
    from_ms,
    until_ms,
    flightEnd_ms: Number.isFinite(end) ? end : undefined,
    weight: (each) => hourWeight(knobs, each),
  };
}

/**
 * Caps the spend of line items at what is left of their budgets, then of their campaigns' budgets, then of their funding
 * instruments.
 * @source decision 935
 */
function cutToCaps(plans: readonly LinePlan[]): void {
  for (const plan of plans) {
    const left = leftOf(plan.line.booking.budget, plan.spent.line);
    if (plan.spend > left) cut([plan], left, 'line_item_budget');
  }
  for (const group of groupByCampaign(plans)) {
    const { booking } = group[0]!.line;
    cut(group, leftOf(booking.campaign.budget, group[0]!.spent.campaign), 'campaign_budget');
  }
  for (const group of Map.groupBy(plans, ({ line }) => line.booking.instrument.id).values()) {
    const { booking } = group[0]!.line;
    const { limit } = booking.instrument;
    if (limit !== null) cut(group, Math.max(0, limit - group[0]!.spent.instrument), 'funding');
  }
}

/** Divides the rest of a budget among line items, in proportion to their spend. */
function cut(plans: readonly LinePlan[], left: number, limit: Limit): void {
  const wanted = plans.reduce((sum, plan) => sum + plan.spend, 0);
  if (wanted <= left) return;
  const parts = apportion(
    left,
    plans.map(({ spend }) => spend),
  );
  for (const [index, plan] of plans.entries()) {
    const spend = Math.min(parts[index]!, plan.spend);
    if (spend < plan.spend) cutOne(plan, spend, limit);
  }
}

/**
 * Reduces the spend of a line item, and its actions and impressions accordingly. The last action may cost less than the
 * others, so that no budget is left over. Without pacing, delivery stops when the budget is spent.
 */
function cutOne(plan: LinePlan, spend: number, limit: Limit): void {
  const billed = spend === 0 ? 0 : Math.max(1, Math.min(plan.billed, Math.ceil(spend / plan.offer!.price)));
  const part = billed / plan.billed;
  const impressions =
    billed === 0 ? 0 : Math.max(billed, Math.min(plan.impressions, Math.ceil(plan.impressions * part)));
  if (!plan.line.isStandard && billed > 0) {
    const lasts_ms = Math.max(1000, Math.ceil(((plan.until_ms - plan.from_ms) * part) / 1000) * 1000);
    plan.until_ms = Math.min(plan.until_ms, plan.from_ms + lasts_ms);
  }
  Object.assign(plan, { spend, billed, impressions, limit });
}
