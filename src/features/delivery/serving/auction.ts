/** How a line item bids; amounts in micro units of its currency. */
export interface Bid {
  readonly strategy: 'AUTO' | 'MAX' | 'TARGET';
  /** Null for AUTO. */
  readonly amount: number | null;
  /** The least and the largest bid of the currency, and its smallest unit. */
  readonly least: number;
  readonly most: number;
  readonly unit: number;
}

/** What decides the rank of an ad. */
export interface Standing {
  /** The bid for one billed action. */
  bid: number;
  /** How well its creative does, 1 on average. */
  quality: number;
  /** The probability that an impression leads to the billed action. */
  readonly probability: number;
}

/** An AUTO bid grows up to this many least bids while its budget is behind the day. */
const AUTO_SPREAD = 20;
/** TARGET prices are at least this part of the target. @source decision 979 */
const TARGET_LEAST = 0.8;

/**
 * The bid for one action. AUTO bids the least amount while it is ahead of its plan, and more the further its budget is
 * behind.
 * @param behind the part of the day that has passed minus the part of the day's budget that is spent, -1 to 1
 * @source decision 979
 */
export function bidOf({ strategy, amount, least, most }: Bid, behind: number): number {
  if (strategy !== 'AUTO') return Math.min(most, amount ?? 0);
  return Math.min(most, Math.round(least * (1 + AUTO_SPREAD * Math.max(0, Math.min(1, behind + 0.1)))));
}

/**
 * The value by which ads are ranked, in least bids for each impression, so that currencies compare; 0 below the floor.
 * @source decision 979
 */
export function rankOf({ bid, quality, probability }: Readonly<Standing>, least: number): number {
  return bid < least ? 0 : (bid / least) * quality * probability;
}

/**
 * What the winner pays for one action: the least that keeps its rank above the next one's, at least the floor and at
 * most its bid. Rounded up to the unit.
 * @param next the rank of the best ad that lost; 0 when there is none
 */
export function priceOf(bid: Bid, { bid: own, quality, probability }: Readonly<Standing>, next: number): number {
  const second = (next / (quality * probability)) * bid.least;
  const floor = bid.strategy === 'TARGET' ? Math.max(bid.least, own * TARGET_LEAST) : bid.least;
  const price = Math.ceil(Math.max(second, floor) / bid.unit) * bid.unit;
  return Math.min(own, price);
}
