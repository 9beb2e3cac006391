/** Conversions on websites, in the order of replies. @source analytics 6 */
export const WEB_CONVERSIONS = [
  'conversion_purchases',
  'conversion_sign_ups',
  'conversion_site_visits',
  'conversion_downloads',
  'conversion_custom',
  'conversion_add_to_carts',
  'conversion_checkouts_initiated',
  'conversion_content_views',
  'conversion_payment_info_additions',
  'conversion_add_to_wishlists',
  'conversion_searches',
  'conversion_landing_page_views',
  'conversion_subscriptions',
] as const;

/** Stored components of a website conversion; the other reply members are sums of two of these. */
export const WEB_CONVERSION_PARTS = [
  'post_view',
  'post_engagement',
  'order_quantity_view',
  'order_quantity_engagement',
  'sale_amount_view',
  'sale_amount_engagement',
] as const;

/** Conversions in mobile apps, in the order of replies. @source analytics 6 */
export const MOBILE_CONVERSIONS = [
  'mobile_conversion_spent_credits',
  'mobile_conversion_installs',
  'mobile_conversion_content_views',
  'mobile_conversion_add_to_wishlists',
  'mobile_conversion_checkouts_initiated',
  'mobile_conversion_reservations',
  'mobile_conversion_tutorials_completed',
  'mobile_conversion_achievements_unlocked',
  'mobile_conversion_searches',
  'mobile_conversion_add_to_carts',
  'mobile_conversion_payment_info_additions',
  'mobile_conversion_re_engages',
  'mobile_conversion_shares',
  'mobile_conversion_rates',
  'mobile_conversion_logins',
  'mobile_conversion_updates',
  'mobile_conversion_levels_achieved',
  'mobile_conversion_invites',
  'mobile_conversion_key_page_views',
  'mobile_conversion_downloads',
  'mobile_conversion_purchases',
  'mobile_conversion_sign_ups',
  'mobile_conversion_site_visits',
] as const;

/** Stored components of an app conversion. */
export const MOBILE_CONVERSION_PARTS = ['post_view', 'post_engagement', 'order_quantity', 'sale_amount'] as const;

const COUNTS = [
  'impressions',
  'billed_engagements',
  'billed_charge_local_micro',
  'posts_send',
  'qualified_impressions',
  'follows',
  'app_clicks',
  'reposts',
  'unfollows',
  'likes',
  'engagements',
  'clicks',
  'card_engagements',
  'poll_card_vote',
  'replies',
  'url_clicks',
  'carousel_swipes',
  'video_total_views',
  'video_views_25',
  'video_views_50',
  'video_views_75',
  'video_views_100',
  'video_cta_clicks',
  'video_content_starts',
  'video_3s100pct_views',
  'video_6s_views',
  'video_15s_views',
  'media_views',
  'media_engagements',
] as const;

type WebConversionMetric = `${(typeof WEB_CONVERSIONS)[number]}.${(typeof WEB_CONVERSION_PARTS)[number]}`;
type MobileConversionMetric = `${(typeof MOBILE_CONVERSIONS)[number]}.${(typeof MOBILE_CONVERSION_PARTS)[number]}`;

/** A number of the delivery ledger. Amounts and quantities of conversions are in millionths. */
export type DeliveryMetric = (typeof COUNTS)[number] | WebConversionMetric | MobileConversionMetric;

/** Every metric. Its place is stored, so none is ever moved or removed; new ones go to the end. */
export const DELIVERY_METRICS: readonly DeliveryMetric[] = [
  ...COUNTS,
  ...WEB_CONVERSIONS.flatMap((name) => WEB_CONVERSION_PARTS.map((part) => `${name}.${part}` as const)),
  ...MOBILE_CONVERSIONS.flatMap((name) => MOBILE_CONVERSION_PARTS.map((part) => `${name}.${part}` as const)),
];
