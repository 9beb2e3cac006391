import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Booking } from '../bookings.ts';
import { METRIC_OF_TYPE } from '../conversions/conversion-numbers.ts';
import { type Counts, placeOf } from './counts.ts';
import { draw, rounded } from './draws.ts';
import type { HourOfClicks } from './ledger-state.ts';

/** The conversions that follow clicks of a line item within hours. */
export interface Conversion {
  /** The metric without its part. */
  readonly metric: string;
  /** How often a click leads to it. */
  readonly rate: number;
  /** The value of one, in units of the currency; 0 without a value. */
  readonly value: number;
  readonly isMobile: boolean;
}

const HOUR_S = 3600;
/** Hours within which a click leads to a conversion. */
export const LATEST_HOURS = 24;
/** Of all conversions, this part follows an engagement, the others a view. */
const ENGAGED = 0.8;
/** Conversions of an hour that are drawn one by one. */
const DRAWN_MAX = 500;

/** Of clicks that lead to an event on a website, by its type, and what one is worth. */
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

/** The conversions that a line item counts; none unless something measures them. @source decision 940 */
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

/** The metric of clicks that lead to the conversions of a line item. */
export function clicksOf({ objective }: Booking): DeliveryMetric {
  return objective === 'WEBSITE_CLICKS' ? 'url_clicks' : 'app_clicks';
}

/** The places of what is counted of a conversion that follows an engagement, or a view. */
interface Places {
  readonly count: number;
  readonly quantity: number;
  readonly amount: number;
}

/** A conversion with its places. */
export interface PreparedConversion extends Conversion {
  readonly engaged: Places;
  readonly viewed: Places;
}

/** The conversions that a line item counts, as they are counted. */
export function prepareConversions(booking: Parameters<typeof conversionsOf>[0]): readonly PreparedConversion[] {
  return conversionsOf(booking).map((conversion) => {
    const placesOf = (part: string): Places => {
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
 * Counts the conversions that happen in a range of time (seconds since 1970, the end exclusive) after clicks of past
 * hours. Each click decides once and for all when it leads to one, at the earliest when its hour is over.
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
      const count = rounded(past.clicks * rate, draw(key, start_s, 'conversions', index));
      // Of very many, several happen at once.
      const group = Math.ceil(count / DRAWN_MAX);
      for (let each = 0; each < count; each += group) {
        const at = index * 10_000 + each;
        const together = Math.min(group, count - each);
        // Most follow soon.
        const after = draw(key, start_s, 'conversionTime', at) ** 2;
        const time_s = start_s + HOUR_S + Math.floor(after * (LATEST_HOURS - 1) * HOUR_S);
        if (time_s < from_s || time_s >= until_s) continue;
        const places = draw(key, start_s, 'conversionKind', at) < ENGAGED ? engaged : viewed;
        counts.add(places.count, together);
        counts.add(places.quantity, together * 1_000_000);
        counts.add(places.amount, together * value * 1_000_000);
      }
    }
  }
}
