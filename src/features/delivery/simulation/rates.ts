import type { Goal, PayBy } from '../../ads/line-items/objectives.ts';
import type { BookedCreative } from '../booked-creatives.ts';
import { draw, keyOf } from './draws.ts';
import { normalAt } from './normal.ts';

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
/** How much better goals do at their action than impressions to anybody. */
const BY_GOAL: Readonly<Partial<Record<Goal, number>>> = {
  ...{ LINK_CLICKS: 1.2, SITE_VISITS: 1.1, WEBSITE_CONVERSIONS: 0.9, REACH_WITH_ENGAGEMENT: 1.3, MAX_REACH: 0.7 },
  ...{ VIEW_6S: 0.9, VIEW_15S: 0.8, APP_INSTALLS: 0.9, APP_PURCHASES: 0.8 },
};
/** How often an impression is engaged with. */
const ENGAGED = 0.015;
/** Spread of the logarithm of the quality of creatives. */
const QUALITY_SPREAD = 0.35;
/** Nothing happens more often than this. */
const RATE_MAX = 0.95;

/** How good a creative is, 1 on average, always the same under a seed. */
export function qualityOf(seed: string, creative: Pick<BookedCreative, 'id'>): number {
  return Math.exp(QUALITY_SPREAD * normalAt(draw(keyOf(`${seed} ${creative.id}`), 0, 'quality')));
}

/** What people tire of: how much less they do when they have seen it `frequency` times on average. */
export function fatigue(frequency: number): number {
  return 1 / (1 + 0.15 * Math.max(0, frequency - 1));
}

/** The share of impressions that lead to the billed action; `factor` includes quality and fatigue. */
export function billedRate(payBy: PayBy, factor: number): number {
  return payBy === 'IMPRESSION' ? 1 : Math.min(RATE_MAX, BILLED[payBy] * factor);
}

/** The share of impressions that are engaged with. */
export function engagedRate(goal: Goal, factor: number): number {
  return Math.min(RATE_MAX, ENGAGED * (BY_GOAL[goal] ?? 1) * factor);
}
