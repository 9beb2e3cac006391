import { normalCdf, normalQuantile } from './normal.ts';

/** Spread of the logarithm of the price that the others bid. */
const SPREAD = 0.9;
const STEPS = 30;
/** Bids this far above the middle of the market win practically always. */
const HIGHEST = 6;

/** The competition of an hour: the highest bid of the others for a thousand impressions is lognormal around `e^mu`. */
export interface Market {
  /** Logarithm of its median, in micro units. */
  readonly mu: number;
}

/** The share of opportunities that a bid wins. */
export function winRate({ mu }: Market, bid: number): number {
  return bid <= 0 ? 0 : normalCdf((Math.log(bid) - mu) / SPREAD);
}

/** What an opportunity costs on average with a bid, for a thousand of them: the winner pays the second price. */
export function costOf({ mu }: Market, bid: number): number {
  if (bid <= 0) return 0;
  const mean = Math.exp(mu + (SPREAD * SPREAD) / 2);
  return mean * normalCdf((Math.log(bid) - mu - SPREAD * SPREAD) / SPREAD);
}

/** What a thousand impressions cost on average with a bid that wins so many: never more than the bid. */
export function priceOf(market: Market, bid: number, won = winRate(market, bid)): number {
  return won > 1e-9 ? Math.min(bid, costOf(market, bid) / won) : bid;
}

/** The lowest bid whose cost of a thousand opportunities reaches an amount; the highest one when none does. */
export function bidForCost(market: Market, cost: number): number {
  const { mu } = market;
  const share = cost / Math.exp(mu + (SPREAD * SPREAD) / 2);
  if (share <= 0) return Math.exp(mu - HIGHEST * SPREAD);
  const above = share >= 1 ? HIGHEST : Math.min(HIGHEST, SPREAD + normalQuantile(share));
  return Math.exp(mu + Math.max(-HIGHEST, above) * SPREAD);
}

/** The lowest bid whose average price reaches an amount; the highest one when none does. */
export function bidForPrice(market: Market, price: number): number {
  return lowest(market, (bid) => priceOf(market, bid) >= price);
}

/** By bisection over the logarithm: both costs and prices grow with the bid. */
function lowest({ mu }: Market, isEnough: (bid: number) => boolean): number {
  let low = mu - HIGHEST * SPREAD;
  let high = mu + HIGHEST * SPREAD;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (isEnough(Math.exp(middle))) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}
