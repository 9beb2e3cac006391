import type { Booking } from '../bookings.ts';
import { budgetLeft } from '../serving-times.ts';
import type { HourMarket, Segment } from './hour-market.ts';
import type { LinePlan } from './line-plan.ts';

/** Returns the subject of the union of the audiences of a funding instrument. */
export function instrumentSubject({ instrument }: Pick<Booking, 'instrument'>): string {
  return `funding_instrument/${instrument.id}`;
}

/** The audiences of line items and funding instruments, and the market. */
interface AuctionContext {
  readonly people: ReadonlyMap<string, number>;
  readonly market: HourMarket;
  readonly segment: Pick<Segment, 'from_ms' | 'until_ms'>;
}

/** Exponent of bids: a doubled bid wins 16 times as often. */
const STEEPNESS = 4;
const HOUR_MS = 3_600_000;

/**
 * Reduces the opportunities of line items of a funding instrument with overlapping audiences: in a shared auction, only
 * one of them can bid. Returns whether any has lost opportunities.
 * @source decision 1124
 */
export function shareAuctions(plans: readonly LinePlan[], { people, market, segment }: AuctionContext): boolean {
  let isShared = false;
  const bidding = plans.filter(({ offer, reason }) => !reason && offer && offer.bid > 0);
  for (const group of Map.groupBy(bidding, ({ line }) => line.booking.instrument.id).values()) {
    const union = people.get(instrumentSubject(group[0]!.line.booking)) ?? Number.POSITIVE_INFINITY;
    const everybody = populationOf(
      group.map((plan) => plan.people),
      union,
    );
    if (!Number.isFinite(everybody)) continue;
    const auctions = (everybody * market.perPerson * (segment.until_ms - segment.from_ms)) / HOUR_MS;
    const rivals = group.map((plan) => {
      const { throttle, expectedSpend, supply, offer } = plan;
      const paid = Math.min(1, budgetLeft(plan.line.booking, plan.spent) / expectedSpend);
      const part = Math.min(1, (supply!.opportunities * throttle * paid) / auctions);
      return { part, rate: offer!.bid ** STEEPNESS };
    });
    for (const [at, part] of partsWon(rivals).entries()) {
      const plan = group[at]!;
      plan.leftByOthers = part;
      plan.supply = { ...plan.supply!, opportunities: plan.supply!.opportunities * part };
    }
    isShared = true;
  }
  return isShared;
}

/**
 * Estimates the population from which audiences with a union of this size were drawn at random; infinite if they are
 * disjoint.
 */
export function populationOf(audiences: readonly number[], union: number): number {
  const sum = audiences.reduce((all, each) => all + each, 0);
  if (audiences.length < 2 || union >= sum) return Number.POSITIVE_INFINITY;
  let few = 0;
  let many = 1 / Math.max(...audiences);
  for (let step = 0; step < 40; step++) {
    const middle = (few + many) / 2;
    const nobody = audiences.reduce((product, each) => product * (1 - each * middle), 1);
    if (1 - nobody > union * middle) few = middle;
    else many = middle;
  }
  return 1 / many;
}

/** Step width of the integral in `partsWon`, as a logarithm; errors are below 0.00001. */
const STEP = 0.7;

/**
 * Returns the share of its auctions that each rival wins. Each participates in a random part of all auctions, and wins in
 * proportion to its rate among the participants. This is equivalent to the first of exponential arrival times, over which it
 * integrates.
 */
export function partsWon(rivals: readonly { readonly part: number; readonly rate: number }[]): number[] {
  const rates = rivals.map(({ rate }) => Math.log(rate));
  const from = -Math.max(...rates) - 9;
  const steps = Math.ceil((3.5 - Math.min(...rates) - from) / STEP);
  const won = rivals.map(() => 0);
  for (let step = 0; step <= steps; step++) {
    const time = Math.exp(from + step * STEP);
    const alone = rivals.map(({ part, rate }) => Math.max(1e-300, 1 - part + part * Math.exp(-time * rate)));
    const all = alone.reduce((sum, each) => sum + Math.log(each), 0);
    for (const [at, { rate }] of rivals.entries()) {
      won[at]! += STEP * time * rate * Math.exp(all - Math.log(alone[at]!) - time * rate);
    }
  }
  return won.map((each) => Math.min(1, each));
}
