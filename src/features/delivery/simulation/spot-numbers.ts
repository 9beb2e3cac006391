import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Booking } from '../bookings.ts';
import { ACTIONS, actionWeights, billsMainAction, CLICKS, mainAction } from './actions.ts';
import { apportion, apportionAt } from './apportion.ts';
import { draw, rounded } from './draws.ts';
import type { Spot } from './prepared-line.ts';
import { type MainAction, mainRate, otherEngagedRate } from './rates.ts';

/** Whole numbers by metric; those without activity are absent. */
export type Numbers = Map<DeliveryMetric, number>;

/** What a spot is given of a line item. */
export interface SpotShare {
  readonly impressions: number;
  readonly billed: number;
  readonly spend: number;
}

/** Every how many impressions a video is started, and then seen for so long; `views` are those that count. */
const STARTS = 0.6;
const VIEWS = 0.3;
const VIEWS_3S_100PCT = 0.18;
const OF_VIEWS = { video_views_25: 0.8, video_views_50: 0.6, video_views_75: 0.48, video_views_100: 0.36 } as const;
const VIEWS_6S = 0.14;
const VIEWS_15S = 0.57;
const CTA = 0.02;

/**
 * What people do with the impressions of a spot. Every action is an engagement of one kind, so that parts add up.
 * @param factor how much more they do than usual
 * @source decision 939
 */
export function spotNumbers(
  { goal, pay_by, objective }: Pick<Booking, 'goal' | 'pay_by' | 'objective'>,
  spot: Spot,
  share: SpotShare,
  { factor, time_s }: { readonly factor: number; readonly time_s: number },
): Numbers {
  const numbers: Numbers = new Map();
  const { impressions, billed, spend } = share;
  if (impressions === 0) return numbers;
  const put = (metric: DeliveryMetric, number: number): void => {
    if (number > 0) numbers.set(metric, (numbers.get(metric) ?? 0) + number);
  };
  put('impressions', impressions);
  put('billed_engagements', billed);
  put('billed_charge_local_micro', spend);

  const { kind, hasVideo } = spot.creative;
  const weights = actionWeights(kind);
  const action = pay_by === 'ENGAGEMENT' ? undefined : mainAction(objective);
  const certain = mainOf(action);
  function mainOf(main: MainAction | undefined): number {
    if (main === undefined || billsMainAction(pay_by)) return main === undefined ? 0 : billed;
    return Math.min(impressions, rounded(impressions * mainRate(main, factor), draw(spot.key, time_s, 'main')));
  }
  const drawn = draw(spot.key, time_s, 'engagements');
  const others = weights.map((weight, at) => (ACTIONS[at] === action ? 0 : weight));
  const expected = sumOf(others) > 0 ? impressions * otherEngagedRate(goal, action, factor) : 0;
  const rest = pay_by === 'ENGAGEMENT' ? billed : Math.min(impressions - certain, rounded(expected, drawn));
  const parts = apportionAt(rest, others, draw(spot.key, time_s, 'actions'));
  let clicks = 0;
  for (const [at, name] of ACTIONS.entries()) {
    const number = parts[at]! + (name === action ? certain : 0);
    if (CLICKS.includes(name)) clicks += number;
    if (name !== 'details' && name !== 'plays') put(name, number);
  }
  const engagements = rest + certain;
  put('engagements', engagements);
  put('clicks', clicks);
  if (spot.creative.of === 'media_creative') put('media_engagements', engagements);

  if (hasVideo || objective === 'VIDEO_VIEWS' || objective === 'PREROLL_VIEWS') {
    const part = (of: number, rate: number, index: number): number =>
      Math.min(of, rounded(of * Math.min(1, rate), draw(spot.key, time_s, 'video', index)));
    const isView = pay_by === 'VIEW';
    const is3s = pay_by === 'VIEW_3S_100PCT';
    const views3s = is3s ? billed : part(impressions, VIEWS_3S_100PCT * factor, 1);
    const views = isView ? billed : Math.max(is3s ? views3s : 0, part(impressions, VIEWS * factor, 2));
    const starts = Math.max(views, views3s, part(impressions, STARTS, 3));
    put('video_content_starts', starts);
    put('video_total_views', views);
    let former = views;
    for (const [index, name] of (Object.keys(OF_VIEWS) as (keyof typeof OF_VIEWS)[]).entries()) {
      former = Math.min(former, part(views, OF_VIEWS[name], 4 + index));
      put(name, former);
    }
    put('video_3s100pct_views', views3s);
    const views6s = part(starts, (VIEWS_6S / STARTS) * factor, 8);
    put('video_6s_views', views6s);
    put('video_15s_views', part(views6s, VIEWS_15S, 9));
    put('video_cta_clicks', Math.min(numbers.get('url_clicks') ?? 0, part(views, CTA, 10)));
    if (spot.creative.of === 'media_creative') put('media_views', views);
  }
  return numbers;
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** Divides what a line item delivers among its spots; `drawn` decides who has the few that are billed. */
export function sharesOf(
  spots: readonly Spot[],
  { impressions, billed, spend }: SpotShare,
  drawn: number,
): SpotShare[] {
  const ofImpressions = apportion(
    impressions,
    spots.map(({ weight }) => weight),
  );
  const ofBilled = apportionAt(billed, ofImpressions, drawn);
  const ofSpend = apportion(spend, ofBilled);
  return spots.map((_, at) => ({ impressions: ofImpressions[at]!, billed: ofBilled[at]!, spend: ofSpend[at]! }));
}
