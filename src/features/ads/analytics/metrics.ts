import {
  type DeliveryMetric,
  MOBILE_CONVERSION_PARTS,
  MOBILE_CONVERSIONS,
  WEB_CONVERSION_PARTS,
  WEB_CONVERSIONS,
} from '../../../contract/delivery/metrics.ts';

/** A series in a reply: the sum of metrics of the ledger; of none if it is not measured. */
export interface MetricMember {
  /** Its name in the object of the metric; undefined if the metric is a plain series. */
  readonly name?: string;
  readonly sumOf: readonly DeliveryMetric[];
}

/** A metric of a reply. */
export interface Metric {
  readonly name: string;
  readonly members: readonly MetricMember[];
}

/** Lifetime values of app conversions, in the order of replies; not measured. @source analytics 6 */
const LIFETIME_VALUES = [
  ...['purchases', 'sign_ups', 'updates', 'tutorials_completed', 'reservations', 'add_to_carts', 'add_to_wishlists'],
  ...['checkouts_initiated', 'levels_achieved', 'achievements_unlocked', 'shares', 'invites'],
  ...['payment_info_additions', 'spent_credits', 'rates'],
];

const APP_MEMBERS = ['post_view', 'post_engagement', 'assisted', 'order_quantity', 'sale_amount'] as const;

/** Members of web conversions, in the order of replies, and the ledger metrics that they sum up. */
const WEB_MEMBERS = {
  order_quantity_engagement: ['order_quantity_engagement'],
  sale_amount_engagement: ['sale_amount_engagement'],
  sale_amount_view: ['sale_amount_view'],
  post_view: ['post_view'],
  order_quantity: ['order_quantity_view', 'order_quantity_engagement'],
  assisted: [],
  post_engagement: ['post_engagement'],
  sale_amount: ['sale_amount_view', 'sale_amount_engagement'],
  metric: ['post_view', 'post_engagement'],
  order_quantity_view: ['order_quantity_view'],
} as const satisfies Record<string, readonly (typeof WEB_CONVERSION_PARTS)[number][]>;

/** Every metric by group. Groups and metrics are in the order of replies. @source analytics 6; decision 957 */
export const METRIC_GROUPS = {
  ENGAGEMENT: counts(
    'impressions',
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
  ),
  BILLING: counts('billed_engagements', 'billed_charge_local_micro'),
  VIDEO: counts(
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
  ),
  MEDIA: counts('media_views', 'media_engagements'),
  WEB_CONVERSION: WEB_CONVERSIONS.map(webConversion),
  MOBILE_CONVERSION: MOBILE_CONVERSIONS.map(appConversion),
  LIFE_TIME_VALUE_MOBILE_CONVERSION: LIFETIME_VALUES.map((name) => ({
    name: `mobile_conversion_lifetime_value_${name}`,
    members: APP_MEMBERS.map((member) => ({ name: member, sumOf: [] })),
  })),
} as const satisfies Readonly<Record<string, readonly Metric[]>>;

/** A group of metrics. */
export type MetricGroup = keyof typeof METRIC_GROUPS;

/** Every group, in the order of replies. */
export const METRIC_GROUP_NAMES = Object.keys(METRIC_GROUPS) as MetricGroup[];

/** The counts of each amount, which is divided into segments in proportion to them. @source decision 962 */
export const COUNTS_OF_AMOUNTS: ReadonlyMap<DeliveryMetric, readonly DeliveryMetric[]> = new Map<
  DeliveryMetric,
  readonly DeliveryMetric[]
>([
  ['billed_charge_local_micro', ['billed_engagements']],
  ...WEB_CONVERSIONS.flatMap((name) =>
    WEB_CONVERSION_PARTS.filter(isAmount).map(
      (part) => [`${name}.${part}`, [`${name}.post_${part.endsWith('_view') ? 'view' : 'engagement'}`]] as const,
    ),
  ),
  ...MOBILE_CONVERSIONS.flatMap((name) =>
    MOBILE_CONVERSION_PARTS.filter(isAmount).map(
      (part) => [`${name}.${part}`, [`${name}.post_view`, `${name}.post_engagement`]] as const,
    ),
  ),
]);

function isAmount(part: string): boolean {
  return !part.startsWith('post_');
}

function counts(...names: readonly Extract<DeliveryMetric, string>[]): Metric[] {
  return names.map((name) => ({ name, members: [{ sumOf: [name] }] }));
}

function webConversion(name: (typeof WEB_CONVERSIONS)[number]): Metric {
  const members = Object.entries(WEB_MEMBERS).map(([member, parts]) => ({
    name: member,
    sumOf: parts.map((part) => `${name}.${part}` as const),
  }));
  return { name, members };
}

function appConversion(name: (typeof MOBILE_CONVERSIONS)[number]): Metric {
  const members = name === 'mobile_conversion_key_page_views' ? APP_MEMBERS.slice(0, 2) : APP_MEMBERS;
  return {
    name,
    members: members.map((member) => ({ name: member, sumOf: member === 'assisted' ? [] : [`${name}.${member}`] })),
  };
}
