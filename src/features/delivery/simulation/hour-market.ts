import type { LocalDay } from '../../../base/zones.ts';
import { draw, keyOf } from './draws.ts';
import { shareBelowCap } from './hour-frequency.ts';
import type { SimulationParameters } from './knobs.ts';
import { bidForCost, bidForPrice, type Market, priceOf, winRate } from './market.ts';
import { normalQuantile } from './normal.ts';
import type { PreparedLine } from './prepared-line.ts';
import { billedRate, fatigue } from './rates.ts';

/** The planned part of an hour. Times in milliseconds since 1970. */
export interface Segment {
  readonly seed: string;
  readonly knobs: SimulationParameters;
  readonly day: LocalDay;
  /** Hour of the day, from 0. */
  readonly hour: number;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** The supply of a line item in a segment, regardless of its budgets. */
export interface Supply {
  readonly market: Market;
  /** Impressions for which it can compete. */
  readonly opportunities: number;
  /** Rate of the billed action per impression. */
  readonly billedRate: number;
  /** Factor of all action rates. */
  readonly factor: number;
}

/** Share of an audience that is present on a day. */
const PRESENT = 0.35;
/** Ad slots per present person and day. */
const SLOTS = 6;
const NOISE = 0.12;
const MEDIAN_PRICE = 4;
const PRICE_NOISE = 0.1;
const HOUR_MS = 3_600_000;

/** Past impressions and reach of a line item. */
export interface Seen {
  readonly people: number;
  /** Remembered impressions. */
  readonly impressions: number;
  /** Number of people with remembered impressions. */
  readonly reach: number;
  /** Impressions within the period of its frequency cap. */
  readonly capped: number;
}

/** The market of an account, the same for all its line items during an hour. */
export interface HourMarket {
  /** Time of the draws of the hour: seconds since 1970. */
  readonly time_s: number;
  /** Logarithm of the median price in US dollars. */
  readonly shift: number;
  /** Opportunities per hour and person of an audience, before noise. */
  readonly perPerson: number;
  readonly noise: number;
  readonly engagementFactor: number;
}

/** Computes the market of an account in an hour. */
export function hourMarket({ seed, knobs, day, hour }: Segment): HourMarket {
  const time_s = day.start_ms / 1000 + hour * 3600;
  const busy = dayWeight(knobs, day.date) * hourWeight(knobs, hour);
  return {
    time_s,
    shift:
      Math.log(MEDIAN_PRICE * knobs.market_level) + PRICE_NOISE * normalQuantile(draw(keyOf(seed), time_s, 'market')),
    perPerson: isOutage(knobs, hour) ? 0 : (PRESENT * SLOTS * busy) / 24,
    noise: knobs.scenario.name === 'flat' ? 0 : NOISE,
    engagementFactor: knobs.engagement_factor,
  };
}

/** Computes the supply of a line item that serves for a part of a segment. */
export function supplyOf(line: PreparedLine, market: HourMarket, serves_ms: number, seen: Seen): Supply {
  const { frequency_cap, pay_by } = line.booking;
  const { noise } = market;
  const drawn = draw(line.key, market.time_s, 'opportunities');
  const chance = noise === 0 ? 1 : Math.exp(noise * normalQuantile(drawn) - (noise * noise) / 2);
  const perHour = seen.people * market.perPerson * chance;
  const below = frequency_cap === null ? 1 : shareBelowCap(frequency_cap, seen.capped, seen.people);
  const factor = line.quality * fatigue(seen.reach > 0 ? seen.impressions / seen.reach : 1) * market.engagementFactor;
  return {
    market: { mu: market.shift + line.logLevel },
    opportunities: (perHour * below * serves_ms) / HOUR_MS,
    billedRate: billedRate(pay_by, factor),
    factor,
  };
}

/** A bid and its outcome. Prices are in micro units; `bid` is for a thousand impressions. */
export interface Offer {
  readonly bid: number;
  readonly winRate: number;
  /** Average price of one billed action. */
  readonly price: number;
}

/**
 * Computes the bid of a line item. `MAX` bids its amount, `TARGET` the bid whose average price is the target, `AUTO` the lowest
 * bid that spends the plan.
 * @source decision 933
 */
export function offerOf(
  line: PreparedLine,
  supply: Supply,
  plan: number,
  { from_ms }: Pick<Segment, 'from_ms'>,
): Offer | 'BID_BELOW_MINIMUM' {
  const { bid_strategy, bid_amount, pay_by } = line.booking;
  const { market, billedRate: rate } = supply;
  // Bid amounts for impressions are per thousand. @source decision 932
  const perAction = pay_by === 'IMPRESSION' ? 1 : 1000 * rate;
  const perBilled = pay_by === 'IMPRESSION' ? 1000 : 1;
  // Better creatives win with lower bids; for other billed actions, the rate includes the quality.
  const edge = pay_by === 'IMPRESSION' ? line.quality : 1;
  const offer = (bid: number, price: number): Offer => ({
    bid,
    winRate: winRate(market, bid),
    price: price / perBilled,
  });
  if (bid_strategy === 'AUTO') {
    if (supply.opportunities <= 0) return offer(0, 0);
    const lowest = line.minimumBid * perAction * edge;
    const wanted = Number.isFinite(plan) ? bidForCost(market, (plan * edge * 1000) / supply.opportunities) : 1e18;
    const own = Math.max(lowest, Math.min(wanted, Math.exp(market.mu + 5.4)));
    const won = winRate(market, own);
    return { bid: own, winRate: won, price: priceOf(market, own, won) / edge / perAction / perBilled };
  }
  if (bid_amount! < line.minimumBid) return 'BID_BELOW_MINIMUM';
  if (bid_strategy === 'MAX') {
    const bid = bid_amount! * perAction * edge;
    return offer(bid, Math.min(bid_amount!, priceOf(market, bid) / edge / perAction));
  }
  const target = bid_amount! * (1 + 0.1 * (2 * draw(line.key, from_ms / 1000, 'target') - 1));
  return offer(bidForPrice(market, target * perAction * edge), target);
}

/** Activity by hour of the day; the mean is 1. */
const BY_HOUR = normalized([
  ...[0.55, 0.38, 0.26, 0.2, 0.2, 0.28, 0.5, 0.8, 1.0, 1.1, 1.15, 1.2],
  ...[1.28, 1.25, 1.2, 1.18, 1.2, 1.28, 1.4, 1.55, 1.62, 1.55, 1.27, 0.85],
]);
/** Activity by day of the week, from Sunday; the mean is 1. */
const BY_WEEKDAY = normalized([0.92, 1.02, 1.04, 1.05, 1.04, 1.0, 0.93]);
const WEEKEND_DIP = normalized([0.45, 1, 1, 1, 1, 1, 0.45]);

/** Returns the activity in an hour of the day, 1 on average. */
export function hourWeight({ scenario }: SimulationParameters, hour: number): number {
  return scenario.name === 'flat' ? 1 : BY_HOUR[Math.min(hour, 23)]!;
}

/** Returns the activity on a local date, 1 on average. */
function dayWeight({ scenario }: SimulationParameters, date: string): number {
  if (scenario.name === 'flat') return 1;
  const weekday = new Date(date).getUTCDay();
  return (scenario.name === 'weekend_dip' ? WEEKEND_DIP : BY_WEEKDAY)[weekday]!;
}

/** Whether the scenario has an outage in this hour. */
function isOutage({ scenario }: SimulationParameters, hour: number): boolean {
  return scenario.name === 'outage' && scenario.hour === hour;
}

function normalized(weights: readonly number[]): readonly number[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  return weights.map((weight) => weight / mean);
}
