import type { PayBy } from '../../ads/line-items/objectives.ts';
import type { Booking } from '../bookings.ts';
import { ACTION_PLACES, type ActionMix, billsMainAction, IS_CLICK } from './actions.ts';
import { type Counts, placeOf } from './counts.ts';
import { draw, roundRandomly } from './draws.ts';
import { apportion, apportionAt } from './largest-remainder.ts';
import type { Spot } from './prepared-line.ts';
import { mainRate, otherEngagedRate } from './rates.ts';

/** Shares of the spots of a line item, by index; reused. */
export interface SpotShares {
  readonly impressions: number[];
  readonly billed: number[];
  readonly spend: number[];
}

/** The share of one spot. */
interface SpotShare {
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
 * Counts the actions on the impressions of a spot. Every engagement has exactly one kind, so that the parts add up.
 * @param factor of all action rates
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
      roundRandomly(impressions * mainRate(main.action, factor), draw(spot.key, time_s, 'main')),
    );
  }
  let rest = billed;
  if (pay_by !== 'ENGAGEMENT') {
    const expected = others.last < 0 ? 0 : impressions * otherEngagedRate(goal, main?.action, factor);
    rest = Math.min(impressions - certain, roundRandomly(expected, draw(spot.key, time_s, 'engagements')));
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

/** Divides engagements by kind at random; returns the number of clicks. */
function countOthers(counts: Counts, { upTo, last }: ActionMix['others'], total: number, drawn: number): number {
  let clicks = 0;
  let dealt = 0;
  for (let at = 0; at <= last; at++) {
    const until = at === last ? total : Math.min(total, Math.floor(total * upTo[at]! + drawn));
    const part = until - dealt;
    if (part <= 0) continue;
    dealt = until;
    if (IS_CLICK[at]) clicks += part;
    if (ACTION_PLACES[at]! >= 0) counts.add(ACTION_PLACES[at]!, part);
  }
  return clicks;
}

/** Divides the delivery of a line item among its spots; `drawn` determines which get the few billed actions. */
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

/** Video starts and views per impression. */
const STARTS = 0.6;
const VIEWS = 0.3;
const VIEWS_3S_100PCT = 0.18;
/** Views that reach each quarter of the video. */
const QUARTERS = [0.8, 0.6, 0.48, 0.36];
const VIEWS_6S = 0.14;
const VIEWS_15S = 0.57;
const CTA = 0.02;

const QUARTER_PLACES = (['video_views_25', 'video_views_50', 'video_views_75', 'video_views_100'] as const).map(
  placeOf,
);
const PLACE = {
  starts: placeOf('video_content_starts'),
  views: placeOf('video_total_views'),
  views3s: placeOf('video_3s100pct_views'),
  views6s: placeOf('video_6s_views'),
  views15s: placeOf('video_15s_views'),
  cta: placeOf('video_cta_clicks'),
  media: placeOf('media_views'),
  urlClicks: placeOf('url_clicks'),
};

/** Counts the video metrics of a spot, after its link clicks. @source decision 939 */
function countVideo(
  counts: Counts,
  payBy: PayBy,
  spot: Spot,
  planned: { readonly impressions: number; readonly billed: number; readonly factor: number; readonly time_s: number },
): void {
  const { impressions, billed, factor, time_s } = planned;
  const part = (of: number, rate: number, index: number): number =>
    Math.min(of, roundRandomly(of * Math.min(1, rate), draw(spot.key, time_s, 'video', index)));
  const is3s = payBy === 'VIEW_3S_100PCT';
  const views3s = is3s ? billed : part(impressions, VIEWS_3S_100PCT * factor, 1);
  const views = payBy === 'VIEW' ? billed : Math.max(is3s ? views3s : 0, part(impressions, VIEWS * factor, 2));
  const starts = Math.max(views, views3s, part(impressions, STARTS, 3));
  counts.add(PLACE.starts, starts);
  counts.add(PLACE.views, views);
  let former = views;
  for (let quarter = 0; quarter < QUARTERS.length; quarter++) {
    former = Math.min(former, part(views, QUARTERS[quarter]!, 4 + quarter));
    counts.add(QUARTER_PLACES[quarter]!, former);
  }
  counts.add(PLACE.views3s, views3s);
  const views6s = part(starts, (VIEWS_6S / STARTS) * factor, 8);
  counts.add(PLACE.views6s, views6s);
  counts.add(PLACE.views15s, part(views6s, VIEWS_15S, 9));
  counts.add(PLACE.cta, Math.min(counts.get(PLACE.urlClicks), part(views, CTA, 10)));
  if (spot.creative.of === 'media_creative') counts.add(PLACE.media, views);
}
