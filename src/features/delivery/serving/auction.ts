/** How a line item bids; amounts in micro units of its currency. */
export interface Bid {
  readonly strategy: 'AUTO' | 'MAX' | 'TARGET';
  /** Null for AUTO. */
  readonly amount: number | null;
  /** The least and the largest bid of the currency, and its smallest unit. */
  readonly least: number;
  readonly most: number;
  readonly unit: number;
  /** For how many billed actions amounts are: a thousand impressions, or one click. @source decision 932 */
  readonly actions: 1000 | 1;
  /** Units of its currency that a US dollar buys. */
  readonly unitsPerDollar: number;
}

/** The factors of the rank of an ad. */
export interface RankFactors {
  /** In micro units, for as many billed actions as amounts of the bid are. */
  bid: number;
  /** How well its creative does, 1 on average. */
  quality: number;
  /** The probability that an impression leads to the billed action. */
  probability: number;
}

/**
 * The bid of a line item.
 * @param level the worth of an AUTO bid, in US dollars for a thousand impressions
 * @source decision 979
 */
export function bidOf(bid: Bid, level: number, probability: number): number {
  const { strategy, amount, least, most, unit } = bid;
  if (strategy !== 'AUTO') return Math.min(most, amount ?? 0);
  const wanted = level / worthOf(bid, { bid: 0, quality: 1, probability });
  return Math.max(least, Math.min(most, Math.round(wanted / unit) * unit));
}

/** US dollars for a thousand impressions that a micro unit of a bid is worth. */
function worthOf({ actions, unitsPerDollar }: Bid, { quality, probability }: Readonly<RankFactors>): number {
  return (quality * probability * (1000 / actions)) / (1_000_000 * unitsPerDollar);
}

/**
 * The value by which ads are ranked, whatever they pay for and in whatever currency: US dollars for a thousand impressions,
 * weighted by quality; 0 below the least bid.
 * @source decision 979
 */
export function rankOf(bid: Bid, factors: Readonly<RankFactors>): number {
  return factors.bid < bid.least ? 0 : factors.bid * worthOf(bid, factors);
}

/**
 * The price of one billed action for the winner, in micro units: TARGET its bid, others the least that keeps its rank above
 * the next one's, at least the least bid and at most its own. Bids and prices are whole units of the currency, and a
 * thousandth of each is whole micro units.
 * @param next the rank of the best ad that lost; 0 when there is none
 */
export function priceOf(bid: Bid, factors: Readonly<RankFactors>, next: number): number {
  const { strategy, least, unit, actions } = bid;
  const second = Math.max(least, next / worthOf(bid, factors));
  // A rank has rounding errors: an equal bid costs no unit more.
  const price = strategy === 'TARGET' ? factors.bid : Math.ceil(second / unit - 1e-6) * unit;
  return Math.min(factors.bid, price) / actions;
}
