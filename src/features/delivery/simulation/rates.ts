import type { Goal, PayBy } from '../../ads/line-items/objectives.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { draw, keyOf } from './draws.ts';
import { normalQuantile } from './normal.ts';

/** Rate of the billed action per impression. */
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
/** Rate of the main action of an objective per impression, regardless of billing. @source decision 944 */
const MAIN = { url_clicks: BILLED.LINK_CLICK, app_clicks: BILLED.APP_CLICK, follows: BILLED.FOLLOW } as const;
/** The main action of an objective. */
export type MainAction = keyof typeof MAIN;
/** Other engagements per main action. */
const OTHERS = 0.3;
/** Engagement of the audiences of goals relative to all people. */
const BY_GOAL: Readonly<Partial<Record<Goal, number>>> = {
  REACH_WITH_ENGAGEMENT: 1.3,
  MAX_REACH: 0.7,
  VIEW_6S: 0.9,
  VIEW_15S: 0.8,
};
/** Engagements per impression. */
const ENGAGED = 0.015;
/** Standard deviation of the logarithm of the quality of creatives. */
const QUALITY_SPREAD = 0.35;
/** Maximum of all rates. */
const RATE_MAX = 0.95;

/** Draws the quality of a creative, 1 at the median; constant for a seed. */
export function qualityOf(seed: string, creative: Pick<BookedCreative, 'id'>): number {
  return Math.exp(QUALITY_SPREAD * normalQuantile(draw(keyOf(`${seed} ${creative.id}`), 0, 'quality')));
}

/** Number of days for which people remember impressions. */
export const REMEMBERED_DAYS = 7;

/**
 * Returns the factor by which action rates drop if people have seen an ad `frequency` times on average within the remembered
 * days; at least a half.
 * @source decision 944
 */
export function fatigue(frequency: number): number {
  return 0.5 + 0.5 / (1 + 0.18 * Math.max(0, frequency - 1));
}

/** Returns the rate of the billed action per impression; `factor` includes quality and fatigue. */
export function billedRate(payBy: PayBy, factor: number): number {
  return payBy === 'IMPRESSION' ? 1 : Math.min(RATE_MAX, BILLED[payBy] * factor);
}

/** Returns the rate of the main action of an objective per impression. */
export function mainRate(action: MainAction, factor: number): number {
  return Math.min(RATE_MAX, MAIN[action] * factor);
}

/** Returns the rate of all other engagements per impression. */
export function otherEngagedRate(goal: Goal, action: MainAction | undefined, factor: number): number {
  const usual = action === undefined ? ENGAGED : MAIN[action] * OTHERS;
  return Math.min(RATE_MAX, usual * (BY_GOAL[goal] ?? 1) * factor);
}
