import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAt, startOfHour } from '../../../base/zones.ts';
import type { DeliveryMetric, WEB_CONVERSIONS } from '../../../contract/delivery/metrics.ts';
import type { DeliveryTouch } from '../../../storage/tables/conversions.ts';
import type { WEB_EVENT_TYPES } from '../../ads/web-event-tags.ts';
import type { Delivered, HourlyNumbers } from '../ledger-writer.ts';

/** The metric of each type of event. @source decision 991 */
export const METRIC_OF_TYPE: Readonly<Record<(typeof WEB_EVENT_TYPES)[number], (typeof WEB_CONVERSIONS)[number]>> = {
  PURCHASE: 'conversion_purchases',
  SIGN_UP: 'conversion_sign_ups',
  SITE_VISIT: 'conversion_site_visits',
  DOWNLOAD: 'conversion_downloads',
  CUSTOM: 'conversion_custom',
  ADD_TO_CART: 'conversion_add_to_carts',
  CHECKOUT_INITIATED: 'conversion_checkouts_initiated',
  CONTENT_VIEW: 'conversion_content_views',
  PAYMENT_INFO: 'conversion_payment_info_additions',
  ADD_TO_WISHLIST: 'conversion_add_to_wishlists',
  SEARCH: 'conversion_searches',
  LANDING_PAGE_VIEW: 'conversion_landing_page_views',
  SUBSCRIPTION: 'conversion_subscriptions',
};

/** A conversion and its attributed touchpoint. */
export interface AttributedConversion {
  readonly line_item: Delivered['line_item'];
  readonly touch: Pick<DeliveryTouch, 'kind' | 'creative_id' | 'placement' | 'platform'>;
  readonly web_event_tag_id: string;
  readonly type: keyof typeof METRIC_OF_TYPE;
  /** UTC text. */
  readonly converted_at: string;
  /** 0 if not given. */
  readonly number_items: number;
  /** In millionths of the currency of the line item; 0 if not given, or given in another currency. */
  readonly value_micro: number;
}

/**
 * Sums up conversions for the ledger: by hour of the conversion, creative and placement of the touchpoint, tag and platform.
 * @param zone the time zone of the account
 * @source decision 995
 */
export function deliveredBy(conversions: readonly AttributedConversion[], zone: string): Delivered[] {
  const found = new Map<
    string,
    { first: AttributedConversion; all: AttributedConversion[]; from: number; to: number }
  >();
  for (const conversion of conversions) {
    const at_ms = instantMs(conversion.converted_at);
    const { date } = localDayAt(at_ms, zone);
    const { line_item, touch } = conversion;
    const key = `${line_item.id} ${touch.creative_id} ${touch.placement} ${date}`;
    const known = found.get(key);
    if (!known) found.set(key, { first: conversion, all: [conversion], from: at_ms, to: at_ms });
    else {
      known.all.push(conversion);
      known.from = Math.min(known.from, at_ms);
      known.to = Math.max(known.to, at_ms);
    }
  }
  return [...found.values()].map(({ first, all, from, to }) => {
    const { date, hours } = localDayAt(from, zone);
    const numbers = (some: readonly AttributedConversion[]) => numbersOf(some, zone, hours);
    return {
      line_item: first.line_item,
      creative_id: first.touch.creative_id,
      placement: first.touch.placement,
      day: date,
      hours,
      added: numbers(all),
      from: formatInstant(from),
      until: formatInstant(to + 1000),
      segments: new Map([
        ['CONVERSION_TAGS', by(all, ({ web_event_tag_id }) => web_event_tag_id, numbers)],
        ['PLATFORMS', by(all, ({ touch }) => touch.platform, numbers)],
      ]),
    };
  });
}

function by(
  all: readonly AttributedConversion[],
  keyOf: (one: AttributedConversion) => string,
  numbers: (some: readonly AttributedConversion[]) => HourlyNumbers,
): Map<string, HourlyNumbers> {
  return new Map([...Map.groupBy(all, keyOf)].map(([key, some]) => [key, numbers(some)]));
}

function numbersOf(conversions: readonly AttributedConversion[], zone: string, hours: number): HourlyNumbers {
  const numbers = new Map<DeliveryMetric, number[]>();
  const add = (metric: DeliveryMetric, hour: number, amount: number): void => {
    if (amount === 0) return;
    const known = numbers.get(metric) ?? new Array<number>(hours).fill(0);
    known[hour]! += amount;
    numbers.set(metric, known);
  };
  for (const { type, touch, converted_at, number_items, value_micro } of conversions) {
    const at_ms = instantMs(converted_at);
    const day = localDayAt(at_ms, zone);
    const hour = (startOfHour(at_ms, day) - day.start_ms) / 3_600_000;
    const metric = METRIC_OF_TYPE[type];
    const isClick = touch.kind === 'click';
    add(`${metric}.${isClick ? 'post_engagement' : 'post_view'}`, hour, 1);
    add(`${metric}.${isClick ? 'order_quantity_engagement' : 'order_quantity_view'}`, hour, number_items * 1_000_000);
    add(`${metric}.${isClick ? 'sale_amount_engagement' : 'sale_amount_view'}`, hour, value_micro);
  }
  return numbers;
}
