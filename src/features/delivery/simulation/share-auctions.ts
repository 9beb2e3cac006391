import type { Booking } from '../bookings.ts';
import { budgetLeft } from '../serving-times.ts';
import type { HourMarket, Segment } from './hour-market.ts';
import type { LinePlan } from './line-plan.ts';
import { byId } from './plan-groups.ts';

/** The subject of the joint audience of the line items of a funding instrument. */
export function instrumentSubject({ instrument }: Pick<Booking, 'instrument'>): string {
  return `funding_instrument/${instrument.id}`;
}

/** The bidders in a segment, and the audiences of line items and funding instruments. */
interface Shared {
  readonly people: ReadonlyMap<string, number>;
  readonly market: HourMarket;
  readonly segment: Pick<Segment, 'from_ms' | 'until_ms'>;
}

/** How much bids count: twice the bid wins 16 times as often. */
const STEEPNESS = 4;
const HOUR_MS = 3_600_000;

/**
 * Line items of a funding instrument that mean the same people meet in their auctions, where one of them can bid: each keeps
 * its part of its opportunities. Returns whether any has lost some. @source decision 1124
 */
export function shareAuctions(plans: readonly LinePlan[], { people, market, segment }: Shared): boolean {
  let isShared = false;
  const bidding = plans.filter(({ offer, reason }) => !reason && offer && offer.bid > 0);
  for (const group of byId(bidding, ({ instrument }) => instrument.id)) {
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
 * How many people there are if audiences were drawn from them at random and have so many in all; infinite when they have
 * none in common.
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

/** The distance of the values at which `partsWon` is summed up, as logarithm: errors are below 0.00001. */
const STEP = 0.7;

/**
 * The part of its auctions that each of some rivals wins, if each takes part in a part of all auctions at random, and those
 * that do win in proportion to their rates. The rival with the first of exponential times wins so: this is the integral over
 * that time.
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
