/** How a line item bids; amounts in micro units of its currency. */
export interface Bid {
  readonly strategy: 'AUTO' | 'MAX' | 'TARGET';
  /** Null for AUTO. */
  readonly amount: number | null;
  /** The minimum and maximum bid in the currency, and its smallest unit. */
  readonly least: number;
  readonly most: number;
  readonly unit: number;
  /** The number of billed actions that an amount is for: a thousand impressions, or one click. @source decision 932 */
  readonly actions: 1000 | 1;
  /** Exchange rate of its currency to the US dollar. */
  readonly unitsPerDollar: number;
}

/** The inputs of the rank of an ad. */
export interface RankInputs {
  /** In micro units, for `Bid.actions` billed actions. */
  bid: number;
  /** Performance of its creatives relative to the average of 1. */
  quality: number;
  /** The probability that an impression leads to the billed action. */
  probability: number;
}

/**
 * Returns the bid of a line item.
 * @param level an AUTO bid, in US dollars for a thousand impressions
 * @source decision 979
 */
export function bidOf(bid: Bid, level: number, probability: number): number {
  const { strategy, amount, least, most, unit } = bid;
  if (strategy !== 'AUTO') return Math.min(most, amount ?? 0);
  const wanted = level / worthOf(bid, { bid: 0, quality: 1, probability });
  return Math.max(least, Math.min(most, Math.round(wanted / unit) * unit));
}

/** Value of one micro unit of a bid, in US dollars for a thousand impressions. */
function worthOf({ actions, unitsPerDollar }: Bid, { quality, probability }: Readonly<RankInputs>): number {
  return (quality * probability * (1000 / actions)) / (1_000_000 * unitsPerDollar);
}

/**
 * Returns the rank of an ad, comparable across currencies and billed actions: US dollars for a thousand impressions, weighted
 * by quality; 0 below the minimum bid.
 * @source decision 979
 */
export function rankOf(bid: Bid, factors: Readonly<RankInputs>): number {
  return factors.bid < bid.least ? 0 : factors.bid * worthOf(bid, factors);
}

/**
 * Returns the price of one billed action for the winner, in micro units: its bid for TARGET, otherwise the second price, which
 * is between the minimum bid and its own. Bids and prices are multiples of the currency's unit, so that a thousandth of each is
 * whole micro units.
 * @param next the rank of the best loser; 0 if there is none
 */
export function priceOf(bid: Bid, factors: Readonly<RankInputs>, next: number): number {
  const { strategy, least, unit, actions } = bid;
  const second = Math.max(least, next / worthOf(bid, factors));
  // Tolerates rounding errors of ranks, so that an equal bid does not cost another unit.
  const price = strategy === 'TARGET' ? factors.bid : Math.ceil(second / unit - 1e-6) * unit;
  return Math.min(factors.bid, price) / actions;
}
