import type { LocalDay } from '../../../base/zones.ts';
import { dayWeight, hourWeight, isOut } from './curves.ts';
import { draw, keyOf } from './draws.ts';
import { shareBelowCap } from './hour-frequency.ts';
import type { Knobs } from './knobs.ts';
import { bidForCost, bidForPrice, type Market, priceOf, winRate } from './market.ts';
import { normalQuantile } from './normal.ts';
import type { PreparedLine } from './prepared-line.ts';
import { billedRate, fatigue } from './rates.ts';

/** The part of an hour for which delivery is planned. Times in milliseconds since 1970. */
export interface Segment {
  readonly seed: string;
  readonly knobs: Knobs;
  readonly day: LocalDay;
  /** Of the day, from 0. */
  readonly hour: number;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** The market of a line item in a segment, regardless of its budgets. */
export interface Supply {
  readonly market: Market;
  /** Impressions that it could compete for. */
  readonly opportunities: number;
  /** Of impressions that lead to the billed action. */
  readonly billedRate: number;
  /** Applies to everything that people do. */
  readonly factor: number;
}

/** Of the people of an audience, how many are there on a day, and how many ads each of them could see. */
const PRESENT = 0.35;
const SLOTS = 6;
const NOISE = 0.12;
const MEDIAN_PRICE = 4;
const PRICE_NOISE = 0.1;
const HOUR_MS = 3_600_000;

/** Past impressions and reach of a line item. */
export interface Seen {
  readonly people: number;
  /** Impressions that are remembered. */
  readonly impressions: number;
  /** How many people have had them. */
  readonly reach: number;
  /** Impressions within the period of its frequency cap. */
  readonly capped: number;
}

/** What all line items of an account meet in an hour: the whole hour has one market. */
export interface HourMarket {
  /** Of the draws of the hour: seconds since 1970. */
  readonly time_s: number;
  /** Logarithm of the median price for a price unit of one. */
  readonly shift: number;
  /** Opportunities an hour for each person of an audience, before chance. */
  readonly perPerson: number;
  readonly noise: number;
  readonly engagementFactor: number;
}

/** The market of an account in an hour. */
export function hourMarket({ seed, knobs, day, hour }: Segment): HourMarket {
  const time_s = day.start_ms / 1000 + hour * 3600;
  const busy = dayWeight(knobs, day.date) * hourWeight(knobs, hour);
  return {
    time_s,
    shift:
      Math.log(MEDIAN_PRICE * knobs.market_level) + PRICE_NOISE * normalQuantile(draw(keyOf(seed), time_s, 'market')),
    perPerson: isOut(knobs, hour) ? 0 : (PRESENT * SLOTS * busy) / 24,
    noise: knobs.scenario.name === 'flat' ? 0 : NOISE,
    engagementFactor: knobs.engagement_factor,
  };
}

/** The supply of a line item that serves for some of a segment. */
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

/** A bid and what follows from it. Prices are in micro units; `bid` is for a thousand impressions. */
export interface Offer {
  readonly bid: number;
  readonly winRate: number;
  /** Of one billed action on average: of an impression, when these are billed. */
  readonly price: number;
}

/**
 * How a line item bids. `MAX` bids its amount for each action, `TARGET` as much as makes its average price the target,
 * `AUTO` no more than it takes to spend what is planned.
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
  // Amounts of bids for impressions are for a thousand of them. @source decision 932
  const perAction = pay_by === 'IMPRESSION' ? 1 : 1000 * rate;
  const perBilled = pay_by === 'IMPRESSION' ? 1000 : 1;
  // Better creatives win with lower bids. What is billed already has the quality in its rate.
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
