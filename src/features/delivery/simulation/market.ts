import { normalCdf, normalQuantile } from './normal.ts';

/** Standard deviation of the logarithm of competing bids. */
const SPREAD = 0.9;
const STEPS = 30;
/** Bids this many standard deviations above the median win practically always. */
const HIGHEST = 6;

/** The competition of an hour: the highest competing bid for a thousand impressions is lognormal with median `e^mu`. */
export interface Market {
  /** Logarithm of the median, in micro units. */
  readonly mu: number;
}

/** Returns the share of opportunities that a bid wins. */
export function winRate({ mu }: Market, bid: number): number {
  return bid <= 0 ? 0 : normalCdf((Math.log(bid) - mu) / SPREAD);
}

/** Returns the average cost of a thousand opportunities with a bid; the winner pays the second price. */
export function costOf({ mu }: Market, bid: number): number {
  if (bid <= 0) return 0;
  const mean = Math.exp(mu + (SPREAD * SPREAD) / 2);
  return mean * normalCdf((Math.log(bid) - mu - SPREAD * SPREAD) / SPREAD);
}

/** Returns the average price of a thousand impressions with a bid; at most the bid. */
export function priceOf(market: Market, bid: number, won = winRate(market, bid)): number {
  return won > 1e-9 ? Math.min(bid, costOf(market, bid) / won) : bid;
}

/** Returns the lowest bid whose cost of a thousand opportunities reaches an amount; the highest bid if none does. */
export function bidForCost(market: Market, cost: number): number {
  const { mu } = market;
  const share = cost / Math.exp(mu + (SPREAD * SPREAD) / 2);
  if (share <= 0) return Math.exp(mu - HIGHEST * SPREAD);
  const above = share >= 1 ? HIGHEST : Math.min(HIGHEST, SPREAD + normalQuantile(share));
  return Math.exp(mu + Math.max(-HIGHEST, above) * SPREAD);
}

/** Returns the lowest bid whose average price reaches an amount, by bisection; the highest bid if none does. */
export function bidForPrice(market: Market, price: number): number {
  const { mu } = market;
  let low = mu - HIGHEST * SPREAD;
  let high = mu + HIGHEST * SPREAD;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (priceOf(market, Math.exp(middle)) >= price) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}
