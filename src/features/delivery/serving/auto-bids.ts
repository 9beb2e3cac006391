import { boundedCache } from '../../../base/bounded-cache.ts';
import type { Ad } from './ads.ts';
import { rankOf } from './auction.ts';
import type { AdDay } from './pacing.ts';

interface Level {
  /** Logarithm of the level. */
  log: number;
  /** Start of the day to which `left` belongs. */
  from_ms: number;
  /** The remaining part of the tightest budget of the day. */
  left: number;
  grown_ms: number;
  /** Growth of the logarithm per millisecond. */
  perMs: number;
}

/** While outbid, a bid grows by a factor of e in this part of the rest of the day. */
const GROWTH_PART = 0.01;
/** Or, with small budgets, in the time of this many billed actions, so that a single action does not move the bid far. */
const GROWTH_ACTIONS = 3;
/** Maximum change of the logarithm at once. */
const STEP_MAX = 0.5;
const LINES_MAX = 100_000;

/**
 * AUTO bids: the lowest that spend the plan of the day. The level of a line item grows while its ad is outbid, and
 * shrinks as it spends; both balance where the rest of the budget lasts for the rest of the day.
 * @source decision 1120
 */
export class AutoBids {
  readonly #levels = boundedCache<string, Level>(LINES_MAX);

  /** Returns the current level of an ad's bid, in US dollars for a thousand impressions. */
  levelOf(ad: Ad, { now_ms, from_ms, until_ms, plans }: AdDay): number {
    let [left, amount] = [1, Number.POSITIVE_INFINITY];
    for (const { plan, spent } of plans) {
      left = Math.min(left, plan > 0 ? (plan - spent) / plan : 0);
      amount = Math.min(amount, plan - spent);
    }
    left = Math.max(left, 1e-6);
    const known = this.#levels.get(ad.booking.id);
    const level = known ?? { log: Math.log(ad.firstBid), from_ms, left, grown_ms: now_ms, perMs: 0 };
    if (!known) this.#levels.set(ad.booking.id, level);
    const { bid, probability } = ad;
    const worth = (amount_micro: number) => rankOf(bid, { bid: amount_micro, quality: 1, probability });
    const action = (bid.least * Math.exp(level.log)) / worth(bid.least) / bid.actions;
    const part = Math.max(GROWTH_PART, (GROWTH_ACTIONS * action) / Math.max(action, amount));
    level.perMs = 1 / (Math.max(1000, until_ms - now_ms) * part);
    if (level.from_ms === from_ms) level.log += clampStep(Math.log(left / level.left) / part);
    level.log = Math.max(Math.log(worth(bid.least)), Math.min(Math.log(worth(bid.most)), level.log));
    level.from_ms = from_ms;
    level.left = left;
    return Math.exp(level.log);
  }

  /** Raises the bid of an ad that lost only because others bid more. */
  raise(ad: Ad, now_ms: number): void {
    const level = this.#levels.get(ad.booking.id);
    if (!level) return;
    level.log += clampStep((now_ms - level.grown_ms) * level.perMs);
    level.grown_ms = now_ms;
  }
}

function clampStep(step: number): number {
  return Math.max(-STEP_MAX, Math.min(STEP_MAX, step));
}
