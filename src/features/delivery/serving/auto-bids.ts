import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Ad } from './ads.ts';
import { rankOf } from './auction.ts';
import type { AdDay } from './pacing.ts';

/** The bids of line items with AUTO bidding: as low as spends their plan of the day. */
export interface AutoBids {
  /** The level of an ad's bid now: US dollars for a thousand impressions. */
  levelOf(ad: Ad, day: AdDay): number;
  /** The ad could have been shown, but others bid more. */
  missed(ad: Ad, now_ms: number): void;
}

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
 * Keeps a level for each line item. It grows with the time that passes while the ad is outbid, and shrinks with what is
 * spent: both balance where the rest of the budget lasts for the rest of the day. @source decision 1120
 */
export function autoBids(): AutoBids {
  const levels = boundedCache<string, Level>(LINES_MAX);
  return {
    levelOf(ad, day) {
      const { now_ms, from_ms, until_ms, plans } = day;
      let [left, amount] = [1, Number.POSITIVE_INFINITY];
      for (const { plan, spent } of plans) {
        left = Math.min(left, plan > 0 ? (plan - spent) / plan : 0);
        amount = Math.min(amount, plan - spent);
      }
      left = Math.max(left, 1e-6);
      const known = levels.get(ad.booking.id);
      const level = known ?? { log: Math.log(ad.beginsAt), from_ms, left, grown_ms: now_ms, perMs: 0 };
      if (!known) levels.set(ad.booking.id, level);
      const { bid, probability } = ad;
      const worth = (amount_micro: number) => rankOf(bid, { bid: amount_micro, quality: 1, probability });
      const action = (bid.least * Math.exp(level.log)) / worth(bid.least) / bid.actions;
      const part = Math.max(GROWN_IN, (GROWN_IN_ACTIONS * action) / Math.max(action, amount));
      level.perMs = 1 / (Math.max(1000, until_ms - now_ms) * part);
      if (level.from_ms === from_ms) level.log += limited(Math.log(left / level.left) / part);
      level.log = Math.max(Math.log(worth(bid.least)), Math.min(Math.log(worth(bid.most)), level.log));
      Object.assign(level, { from_ms, left });
      return Math.exp(level.log);
    },
    missed(ad, now_ms) {
      const level = levels.get(ad.booking.id);
      if (!level) return;
      level.log += limited((now_ms - level.grown_ms) * level.perMs);
      level.grown_ms = now_ms;
    },
  };
}

function limited(step: number): number {
  return Math.max(-STEP, Math.min(STEP, step));
}
