import { expectedReach } from '../../../contract/delivery/reach.ts';
import { budgetLeft, type ReasonNotServing, type SpentByLevel } from '../serving-times.ts';
import { type HourMarket, type Offer, offerOf, type Segment, type Supply, supplyOf } from './hour-market.ts';
import { impressionsWithin, type LedgerState, lineState, spentOn } from './ledger-state.ts';
import type { PreparedLine } from './prepared-line.ts';

/** Why a line item has no impressions in a segment. */
type ReasonForNothing =
  | ReasonNotServing
  | 'NOT_IN_THIS_HOUR'
  | 'NO_PEOPLE'
  | 'OUTAGE'
  | 'BID_BELOW_MINIMUM'
  | 'FREQUENCY_CAP'
  | 'NOTHING_WON';

/** What limits the impressions of a line item in a segment, other than its bid. */
export type Limit = 'pacing' | 'campaign_pacing' | 'frequency_cap' | 'line_item_budget' | 'campaign_budget' | 'funding';

/** The plan of a line item in a segment, with all intermediate results for explanations. */
export interface LinePlan {
  readonly line: PreparedLine;
  /** Spend so far, of the line item and its payers. */
  readonly spent: SpentByLevel;
  reason: ReasonForNothing | undefined;
  from_ms: number;
  until_ms: number;
  people: number;
  supply: Supply | undefined;
  /** The part of its opportunities not won by other line items of its funding instrument. */
  leftByOthers: number;
  offer: Offer | undefined;
  /** Spend that pacing plans by the budgets of the line item, in micro units. */
  plan: number;
  /** Spend that pacing plans by the budgets of the campaign, in micro units. */
  campaignPlan: number;
  /** Before rounding and caps. */
  expectedImpressions: number;
  expectedSpend: number;
  /** The part of the auctions in which pacing lets it bid. */
  throttle: number;
  limit: Limit | undefined;
  /** Impressions that its frequency cap still permits. */
  allowed: number;
  impressions: number;
  billed: number;
  spend: number;
}

/** Creates the plan of a line item with its supply, or the reason why it does not serve. */
export function createPlan(
  line: PreparedLine,
  segment: Segment,
  state: LedgerState,
  context: { readonly market: HourMarket; readonly people: number; readonly reason: ReasonNotServing | undefined },
): LinePlan {
  const plan: LinePlan = {
    line,
    spent: spentOn(state, line.booking),
    reason: undefined,
    from_ms: segment.from_ms,
    until_ms: segment.until_ms,
    people: context.people,
    supply: undefined,
    leftByOthers: 1,
    offer: undefined,
    plan: Number.POSITIVE_INFINITY,
    campaignPlan: Number.POSITIVE_INFINITY,
    expectedImpressions: 0,
    expectedSpend: 0,
    throttle: 1,
    limit: undefined,
    allowed: Number.POSITIVE_INFINITY,
    impressions: 0,
    billed: 0,
    spend: 0,
  };
  const because = (reason: ReasonForNothing): LinePlan => {
    plan.reason = reason;
    return plan;
  };
  if (!line.times) return because(context.reason ?? 'NOT_IN_THIS_HOUR');
  plan.from_ms = Math.max(segment.from_ms, line.times[0]);
  plan.until_ms = Math.min(segment.until_ms, line.times[1]);
  if (plan.from_ms >= plan.until_ms) return because(context.reason ?? 'NOT_IN_THIS_HOUR');
  if (budgetLeft(line.booking, plan.spent) <= 0) return because('BUDGET_USED_UP');
  if (context.people <= 0) return because('NO_PEOPLE');
  const own = lineState(state, line.booking.id);
  const { frequency_cap, duration_in_days } = line.booking;
  const capped = frequency_cap === null ? 0 : impressionsWithin(own, duration_in_days ?? 1);
  if (frequency_cap !== null) plan.allowed = Math.max(0, frequency_cap * context.people - capped);
  if (plan.allowed === 0) return because('FREQUENCY_CAP');
  const remembered = own.before + own.recent[0]!;
  const reach = expectedReach(remembered, context.people);
  const seen = { people: context.people, impressions: remembered, reach, capped };
  plan.supply = supplyOf(line, context.market, plan.until_ms - plan.from_ms, seen);
  return plan.supply.opportunities > 0 ? plan : because('OUTAGE');
}

/** Sets the bid of a line item by its plan. */
export function bid(plan: LinePlan, segment: Segment, planned: number): void {
  const { line, supply } = plan;
  if (plan.reason || !supply) return;
  // Only AUTO bids depend on the opportunities, which other line items may have taken since.
  const isKnown = plan.offer && line.booking.bid_strategy !== 'AUTO';
  const offer = isKnown ? plan.offer! : offerOf(line, supply, planned, segment);
  if (offer === 'BID_BELOW_MINIMUM') {
    plan.reason = offer;
    return;
  }
  plan.offer = offer;
  plan.expectedImpressions = supply.opportunities * offer.winRate;
  plan.expectedSpend = plan.expectedImpressions * supply.billedRate * offer.price;
}
