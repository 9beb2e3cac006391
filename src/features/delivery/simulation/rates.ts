import type { Goal, PayBy } from '../../ads/line-items/objectives.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { draw, keyOf } from './draws.ts';
import { normalQuantile } from './normal.ts';

/** How often an impression leads to the billed action. */
const BILLED: Readonly<Record<PayBy, number>> = {
  APP_CLICK: 0.006,
  APP_INSTALL: 0.0015,
  ENGAGEMENT: 0.015,
  FOLLOW: 0.004,
  IMPRESSION: 1,
  LINK_CLICK: 0.008,
  VIEW: 0.3,
  VIEW_3S_100PCT: 0.18,
};
/** How often an impression leads to the action of the objective, whatever is billed. @source decision 944 */
const MAIN = { url_clicks: BILLED.LINK_CLICK, app_clicks: BILLED.APP_CLICK, follows: BILLED.FOLLOW } as const;
/** The main action of an objective. */
export type MainAction = keyof typeof MAIN;
/** How many other engagements there are for each main action. */
const BESIDES = 0.3;
/** How much more goals are engaged with than impressions to anybody. */
const BY_GOAL: Readonly<Partial<Record<Goal, number>>> = {
  REACH_WITH_ENGAGEMENT: 1.3,
  MAX_REACH: 0.7,
  VIEW_6S: 0.9,
  VIEW_15S: 0.8,
};
/** How often an impression is engaged with. */
const ENGAGED = 0.015;
/** Spread of the logarithm of the quality of creatives. */
const QUALITY_SPREAD = 0.35;
/** Nothing happens more often than this. */
const RATE_MAX = 0.95;

/** How good a creative is, 1 on average, always the same under a seed. */
export function qualityOf(seed: string, creative: Pick<BookedCreative, 'id'>): number {
  return Math.exp(QUALITY_SPREAD * normalQuantile(draw(keyOf(`${seed} ${creative.id}`), 0, 'quality')));
}

/** For how many days people remember what they have seen. */
export const REMEMBERED_DAYS = 7;

/**
 * Fatigue: how much less people do when they have seen an ad `frequency` times on average within the days that
 * they remember; never less than half.
 * @source decision 944
 */
export function fatigue(frequency: number): number {
  return 0.5 + 0.5 / (1 + 0.18 * Math.max(0, frequency - 1));
}

/** The share of impressions that lead to the billed action; `factor` includes quality and fatigue. */
export function billedRate(payBy: PayBy, factor: number): number {
  return payBy === 'IMPRESSION' ? 1 : Math.min(RATE_MAX, BILLED[payBy] * factor);
}

/** The share of impressions that lead to the main action of an objective, whatever is paid for. */
export function mainRate(action: MainAction, factor: number): number {
  return Math.min(RATE_MAX, MAIN[action] * factor);
}

/** The share of impressions that are engaged with otherwise; `action` is the main action if there is one. */
export function otherEngagedRate(goal: Goal, action: MainAction | undefined, factor: number): number {
  const usual = action === undefined ? ENGAGED : MAIN[action] * BESIDES;
  return Math.min(RATE_MAX, usual * (BY_GOAL[goal] ?? 1) * factor);
}
