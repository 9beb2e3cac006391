import type { PayBy } from '../../ads/line-items/objectives.ts';
import { type Counts, placeOf } from './counts.ts';
import { draw, rounded } from './draws.ts';
import type { Spot } from './prepared-line.ts';

/** Every how many impressions a video is started, and then seen for so long; `VIEWS` are those that count. */
const STARTS = 0.6;
const VIEWS = 0.3;
const VIEWS_3S_100PCT = 0.18;
/** Of views, in quarters. */
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

/** Counts how long people see the video of a spot; link clicks are counted before. @source decision 939 */
export function countVideo(
  counts: Counts,
  payBy: PayBy,
  spot: Spot,
  given: { readonly impressions: number; readonly billed: number; readonly factor: number; readonly time_s: number },
): void {
  const { impressions, billed, factor, time_s } = given;
  const part = (of: number, rate: number, index: number): number =>
    Math.min(of, rounded(of * Math.min(1, rate), draw(spot.key, time_s, 'video', index)));
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
