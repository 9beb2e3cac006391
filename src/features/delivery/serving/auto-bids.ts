import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Ad } from './ads.ts';
import { rankOf } from './auction.ts';
import type { AdDay } from './pacing.ts';

interface Level {
  /** Logarithm of the level. */
  log: number;
  /** The day to which `left` belongs, by its start. */
  from_ms: number;
  /** The part of the tightest budget of the day that is left. */
  left: number;
  grown_ms: number;
  /** By how much the logarithm grows in a millisecond. */
  perMs: number;
}

/** While it is outbid, a bid grows by a factor of e in this part of the rest of the day. */
const GROWN_IN = 0.01;
/** Or in the time of this many billed actions, if budgets pay for few: one action must not move the bid far. */
const GROWN_IN_ACTIONS = 3;
/** The most by which the logarithm moves at once. */
const STEP = 0.5;
const LINES_MAX = 100_000;

/**
 * The bids of line items with AUTO bidding: as low as spends their plan of the day. The level of a line item grows with the
 * time that passes while its ad is outbid, and shrinks with its spending: both balance where the rest of the budget lasts for
 * the rest of the day. @source decision 1120
 */
export class AutoBids {
  readonly #levels = boundedCache<string, Level>(LINES_MAX);

  /** The level of an ad's bid now: US dollars for a thousand impressions. */
  levelOf(ad: Ad, { now_ms, from_ms, until_ms, plans }: AdDay): number {
    let [left, amount] = [1, Number.POSITIVE_INFINITY];
    for (const { plan, spent } of plans) {
      left = Math.min(left, plan > 0 ? (plan - spent) / plan : 0);
      amount = Math.min(amount, plan - spent);
    }
    left = Math.max(left, 1e-6);
    const known = this.#levels.get(ad.booking.id);
    const level = known ?? { log: Math.log(ad.beginsAt), from_ms, left, grown_ms: now_ms, perMs: 0 };
    if (!known) this.#levels.set(ad.booking.id, level);
    const { bid, probability } = ad;
    const worth = (amount_micro: number) => rankOf(bid, { bid: amount_micro, quality: 1, probability });
    const action = (bid.least * Math.exp(level.log)) / worth(bid.least) / bid.actions;
    const part = Math.max(GROWN_IN, (GROWN_IN_ACTIONS * action) / Math.max(action, amount));
    level.perMs = 1 / (Math.max(1000, until_ms - now_ms) * part);
    if (level.from_ms === from_ms) level.log += limited(Math.log(left / level.left) / part);
    level.log = Math.max(Math.log(worth(bid.least)), Math.min(Math.log(worth(bid.most)), level.log));
    level.from_ms = from_ms;
    level.left = left;
    return Math.exp(level.log);
  }

  /** The ad could have been shown, but others bid more. */
  missed(ad: Ad, now_ms: number): void {
    const level = this.#levels.get(ad.booking.id);
    if (!level) return;
    level.log += limited((now_ms - level.grown_ms) * level.perMs);
    level.grown_ms = now_ms;
  }
}

function limited(step: number): number {
  return Math.max(-STEP, Math.min(STEP, step));
}
