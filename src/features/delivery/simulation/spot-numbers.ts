import type { Booking } from '../bookings.ts';
import { ACTION_PLACES, type ActionMix, billsMainAction, IS_CLICK } from './actions.ts';
import { apportion, apportionAt } from './apportion.ts';
import { type Counts, placeOf } from './counts.ts';
import { draw, rounded } from './draws.ts';
import type { Spot } from './prepared-line.ts';
import { mainRate, otherEngagedRate } from './rates.ts';
import { countVideo } from './video-numbers.ts';

/** What each spot is given of a line item, by their order; used again and again. */
export interface SpotShares {
  readonly impressions: number[];
  readonly billed: number[];
  readonly spend: number[];
}

/** Of one spot. */
export interface SpotShare {
  readonly impressions: number;
  readonly billed: number;
  readonly spend: number;
}

const IMPRESSIONS = placeOf('impressions');
const BILLED = placeOf('billed_engagements');
const CHARGE = placeOf('billed_charge_local_micro');
const ENGAGEMENTS = placeOf('engagements');
const CLICKS = placeOf('clicks');
const MEDIA_ENGAGEMENTS = placeOf('media_engagements');

/**
 * Counts what people do with the impressions of a spot. Every action is an engagement of one kind, so that parts add up.
 * @param factor how much more they do than usual
 * @source decision 939 and 944
 */
export function countSpot(
  counts: Counts,
  { goal, pay_by, objective }: Pick<Booking, 'goal' | 'pay_by' | 'objective'>,
  spot: Spot,
  { impressions, billed, spend }: SpotShare,
  factor: number,
  time_s: number,
): void {
  if (impressions === 0) return;
  counts.add(IMPRESSIONS, impressions);
  counts.add(BILLED, billed);
  counts.add(CHARGE, spend);
  const { main, others } = spot.mix;
  let certain = 0;
  if (main !== undefined && billsMainAction(pay_by)) certain = billed;
  else if (main !== undefined) {
    certain = Math.min(
      impressions,
      rounded(impressions * mainRate(main.action, factor), draw(spot.key, time_s, 'main')),
    );
  }
  let rest = billed;
  if (pay_by !== 'ENGAGEMENT') {
    const expected = others.last < 0 ? 0 : impressions * otherEngagedRate(goal, main?.action, factor);
    rest = Math.min(impressions - certain, rounded(expected, draw(spot.key, time_s, 'engagements')));
  }
  if (main && certain > 0) counts.add(main.place, certain);
  let clicks = main?.isClick ? certain : 0;
  if (rest > 0) clicks += countOthers(counts, others, rest, draw(spot.key, time_s, 'actions'));
  counts.add(ENGAGEMENTS, rest + certain);
  counts.add(CLICKS, clicks);
  if (spot.creative.of === 'media_creative') counts.add(MEDIA_ENGAGEMENTS, rest + certain);
  if (spot.creative.hasVideo || objective === 'VIDEO_VIEWS' || objective === 'PREROLL_VIEWS') {
    countVideo(counts, pay_by, spot, { impressions, billed, factor, time_s });
  }
}

/** Divides engagements by kind at random; returns how many of them are clicks. */
function countOthers(counts: Counts, { upTo, last }: ActionMix['others'], total: number, drawn: number): number {
  let clicks = 0;
  let given = 0;
  for (let at = 0; at <= last; at++) {
    const until = at === last ? total : Math.min(total, Math.floor(total * upTo[at]! + drawn));
    const part = until - given;
    if (part <= 0) continue;
    given = until;
    if (IS_CLICK[at]) clicks += part;
    if (ACTION_PLACES[at]! >= 0) counts.add(ACTION_PLACES[at]!, part);
  }
  return clicks;
}

/** Divides what a line item delivers among its spots; `drawn` decides who has the few that are billed. */
export function divideAmong(
  shares: SpotShares,
  weights: readonly number[],
  { impressions, billed, spend }: SpotShare,
  drawn: number,
): void {
  apportion(impressions, weights, shares.impressions);
  apportionAt(billed, shares.impressions, drawn, shares.billed);
  apportion(spend, shares.billed, shares.spend);
}
