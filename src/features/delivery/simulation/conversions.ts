import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Booking } from '../bookings.ts';
import { METRIC_OF_TYPE } from '../conversions/conversion-numbers.ts';
import { type Counts, placeOf } from './counts.ts';
import { draw, roundRandomly } from './draws.ts';
import type { HourOfClicks } from './ledger-state.ts';

/** Simulated conversions of one kind after clicks on a line item. */
export interface Conversion {
  /** The prefix of its metrics. */
  readonly metric: string;
  /** Conversions per click. */
  readonly rate: number;
  /** Value of a conversion, in units of the currency; 0 without one. */
  readonly value: number;
  readonly isMobile: boolean;
}

const HOUR_S = 3600;
/** A conversion follows its click within this many hours. */
export const CONVERSION_WINDOW_HOURS = 24;
/** Share of conversions after an engagement; the others follow a view. */
const ENGAGED = 0.8;
/** Maximum number of draws for the conversions of an hour. */
const DRAWN_MAX = 500;

/** Conversions per click, and the value of each, by type of event. */
const WEB: Readonly<Record<NonNullable<Booking['web_event_type']>, readonly [rate: number, value: number]>> = {
  LANDING_PAGE_VIEW: [0.7, 0],
  SITE_VISIT: [0.6, 0],
  CONTENT_VIEW: [0.3, 0],
  SEARCH: [0.1, 0],
  ADD_TO_CART: [0.06, 0],
  CHECKOUT_INITIATED: [0.035, 0],
  PAYMENT_INFO: [0.025, 0],
  PURCHASE: [0.02, 40],
  ADD_TO_WISHLIST: [0.02, 0],
  SIGN_UP: [0.04, 0],
  SUBSCRIPTION: [0.01, 15],
  DOWNLOAD: [0.05, 0],
  CUSTOM: [0.03, 0],
};

/** Returns the conversions that a line item measures. @source decision 940 */
export function conversionsOf({
  objective,
  primary_web_event_tag,
  web_event_type,
}: Pick<Booking, 'objective' | 'primary_web_event_tag' | 'web_event_type'>): readonly Conversion[] {
  if (objective === 'WEBSITE_CLICKS' && primary_web_event_tag !== null) {
    const type = web_event_type ?? 'SITE_VISIT';
    const [rate, value] = WEB[type];
    return [{ metric: METRIC_OF_TYPE[type], rate, value, isMobile: false }];
  }
  const app = { isMobile: true };
  if (objective === 'APP_INSTALLS') {
    return [
      { ...app, metric: 'mobile_conversion_installs', rate: 0.2, value: 0 },
      { ...app, metric: 'mobile_conversion_purchases', rate: 0.01, value: 20 },
    ];
  }
  if (objective !== 'APP_ENGAGEMENTS') return [];
  return [
    { ...app, metric: 'mobile_conversion_re_engages', rate: 0.3, value: 0 },
    { ...app, metric: 'mobile_conversion_purchases', rate: 0.02, value: 20 },
  ];
}

/** Returns the metric of the clicks that lead to the conversions of a line item. */
export function clickMetricOf({ objective }: Booking): DeliveryMetric {
  return objective === 'WEBSITE_CLICKS' ? 'url_clicks' : 'app_clicks';
}

/** Indexes of the metrics of a conversion. */
interface MetricIndexes {
  readonly count: number;
  readonly quantity: number;
  readonly amount: number;
}

/** A conversion with the indexes of its metrics. */
export interface PreparedConversion extends Conversion {
  readonly engaged: MetricIndexes;
  readonly viewed: MetricIndexes;
}

/** Returns the conversions that a line item measures, with the indexes of their metrics. */
export function prepareConversions(booking: Parameters<typeof conversionsOf>[0]): readonly PreparedConversion[] {
  return conversionsOf(booking).map((conversion) => {
    const placesOf = (part: string): MetricIndexes => {
      const place = (name: string): number => placeOf(`${conversion.metric}.${name}` as DeliveryMetric);
      const suffix = conversion.isMobile ? '' : `_${part}`;
      return {
        count: place(`post_${part}`),
        quantity: place(`order_quantity${suffix}`),
        amount: place(`sale_amount${suffix}`),
      };
    };
    return { ...conversion, engaged: placesOf('engagement'), viewed: placesOf('view') };
  });
}

/**
 * Counts the conversions in a range of time (seconds since 1970, end exclusive) after clicks of past hours. The time of each
 * conversion only depends on its click, and is after the hour of the click.
 */
export function countConversions(
  counts: Counts,
  conversions: readonly PreparedConversion[],
  clicks: readonly HourOfClicks[],
  { key, from_s, until_s }: { readonly key: number; readonly from_s: number; readonly until_s: number },
): void {
  for (const [index, { rate, value, engaged, viewed }] of conversions.entries()) {
    for (const past of clicks) {
      const start_s = past.start_ms / 1000;
      const count = roundRandomly(past.clicks * rate, draw(key, start_s, 'conversions', index));
      // Above the maximum number of draws, several conversions share one.
      const group = Math.ceil(count / DRAWN_MAX);
      for (let each = 0; each < count; each += group) {
        const at = index * 10_000 + each;
        const together = Math.min(group, count - each);
        // Squared, because most conversions follow soon.
        const after = draw(key, start_s, 'conversionTime', at) ** 2;
        const time_s = start_s + HOUR_S + Math.floor(after * (CONVERSION_WINDOW_HOURS - 1) * HOUR_S);
        if (time_s < from_s || time_s >= until_s) continue;
        const places = draw(key, start_s, 'conversionKind', at) < ENGAGED ? engaged : viewed;
        counts.add(places.count, together);
        counts.add(places.quantity, together * 1_000_000);
        counts.add(places.amount, together * value * 1_000_000);
      }
    }
  }
}
