import type { Field, StoredValue } from '../../src/contract/declare/fields.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { findObjective } from '../../src/features/ads/line-items/objectives.ts';
import { CURATED_CATEGORIES } from '../../src/features/ads/reference/categories.ts';
import { FIRST_USER_ID } from '../../src/features/platform/registration.ts';

/** A field as a test can look at it. */
type Shown = Pick<Field, 'kind' | 'isRequired' | 'target'>;

/** A value of a kind that is good everywhere: what a caller would send as text. */
export function sampleOf(field: Shown): string {
  const schema = field.kind.schema as {
    anyOf?: { const: string }[];
    items?: { anyOf?: { const: string }[]; pattern?: string };
    pattern?: string;
    minimum?: number;
  };
  switch (field.kind.name) {
    case 'text':
    case 'post text':
      return 'Sample';
    case 'email':
      return 'sample@example.com';
    case 'code':
      return codeLike(schema.pattern!);
    case 'enum':
    case 'currency':
    case 'number enum':
    case 'word':
      return String(schema.anyOf![0]!.const);
    case 'digits':
      return '42';
    case 'micros':
      return '1000000';
    case 'integer':
      return String(schema.minimum ?? 1);
    case 'boolean':
      return 'true';
    case 'instant':
    case 'time bound':
      return '2026-01-01T00:00:00Z';
    case 'id':
      return 'zz9';
    case 'list':
      if (schema.items?.pattern?.startsWith('^[A-Z]')) return codeLike(schema.items.pattern);
      return schema.items?.anyOf?.[0]?.const ?? 'zz9';
    case 'targeting type':
      return 'BROAD_KEYWORD';
    case 'media key':
      return '7_42';
    case 'hashtag':
      return '#Sample';
    case 'card type':
      return String(schema.anyOf![0]!.const);
    case 'card uri':
      return 'card://42';
    case 'web url':
    case 'https url':
      return 'https://example.com/seen';
    default:
      throw new Error(`no sample of kind ${field.kind.name}; say here what a good value looks like`);
  }
}

/** A country or a currency, by the number of letters. */
function codeLike(pattern: string): string {
  return pattern === '^[A-Z]{2}$' ? 'US' : 'USD';
}

function isAmerican({ country_codes }: (typeof CURATED_CATEGORIES)[number]): boolean {
  return country_codes.includes('US');
}

/** A day of statistics. */
const RANGE = { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' };

/** What is good of a resource beyond what each of its fields is by itself. */
const GOOD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  line_items: {
    objective: 'ENGAGEMENTS',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_SERVICE',
    goal: 'ENGAGEMENT',
    pay_by: 'ENGAGEMENT',
    bid_strategy: 'MAX',
    advertiser_domain: 'example.com',
    categories: 'IAB7',
    end_time: '2027-01-01T00:00:00Z',
  },
  funding_instruments: { end_time: '2027-01-01T00:00:00Z' },
  draft_posts: { media_keys: '3_42' },
  scheduled_posts: { media_keys: '3_42', scheduled_at: '2026-06-01T00:00:00Z' },
  insights: { start_time: '2026-03-01T00:00:00Z', location: '96683cc9126741d1' },
  stats: { ...RANGE, granularity: 'TOTAL', placement: 'ALL_ON_SERVICE' },
  stats_jobs: {
    ...{ ...RANGE, granularity: 'TOTAL', placement: 'ALL_ON_SERVICE', segmentation_type: 'AGE' },
    ...{ country: '96683cc9126741d1', platform: '1' },
  },
  posts: { post_ids: '42' },
  post_previews: { post_ids: '42' },
  media_library: { media_category: 'POST_VIDEO', poster_media_key: '3_42' },
  cards: { card_uris: 'card://42', card_types: 'IMAGE_APP' },
  cards_all: { card_uris: 'card://42' },
  video_conversation_cards: {
    media_key: '13_42',
    poster_media_key: '3_42',
    unlocked_image_media_key: '3_42',
    unlocked_video_media_key: '13_42',
  },
  image_conversation_cards: { media_key: '3_42', unlocked_image_media_key: '3_42' },
  line_item_curated_categories: { curated_category_id: CURATED_CATEGORIES.find(isAmerican)!.id },
};

/** A value of a parameter that is good together with those of the others. */
export function goodValue(operation: Operation, name: string): string {
  return GOOD[operation.group]?.[name] ?? sampleOf(operation.parameters[name]!);
}

/** The components of a good card. */
export const COMPONENTS = [
  { type: 'MEDIA', media_key: '3_42' },
  { type: 'DETAILS', title: 'Sample', destination: { type: 'WEBSITE', url: 'https://example.com/seen' } },
] as const;

let cardNumber = 0;

function soundAudience({ name = null }: Record<string, StoredValue | null>): Record<string, StoredValue | null> {
  return { name_trimmed: String(name).trim(), audience_type: 'CRM', segments: null };
}

function soundConversation(): Record<string, StoredValue | null> {
  const others = ['second', 'third', 'fourth'].flatMap((each) => [`${each}_cta`, `${each}_cta_post`]);
  return {
    ...Object.fromEntries(others.map((name) => [name, null])),
    card_uri: `card://${++cardNumber}`,
    title: 'Sample',
    first_cta: '#Sample',
    first_cta_post: 'Sample',
    thank_you_text: 'Sample',
    thank_you_url: null,
    unlocked_image_media_key: null,
  };
}

/** Texts that sort differently by bytes, by UTF-16 units, by case and by language. */
const NAMES = [
  'apple',
  'Apple',
  'Äpfel',
  'apple',
  'zebra',
  '\u{1f600} face',
  '\uff21 wide',
  'apple pie',
  'ZEBRA',
  'éclair',
  // Refused by now.
  '  ',
];

/** What makes seeded values fit each other, as rules would have it, where a test writes them back. */
export const SOUND: Readonly<
  Record<string, (values: Record<string, StoredValue | null>) => Record<string, StoredValue | null>>
> = {
  // The account has its one of type FULL already.
  promotable_users: () => ({ promotable_user_type: 'REPOSTS_ONLY' }),
  line_items(values) {
    const {
      objective,
      bid_amount_local_micro: bid,
      start_time,
      total_budget_amount_local_micro: total = null,
    } = values;
    const { goals, strategyWithBid: withBid } = findObjective(String(objective));
    const [goal, ways] = Object.entries(goals)[0]!;
    return {
      product_type: objective === 'PREROLL_VIEWS' ? 'MEDIA' : 'PROMOTED_POSTS',
      placements: '["ALL_ON_SERVICE"]',
      categories: '["IAB7"]',
      currency: 'USD',
      goal,
      bid_strategy: bid === null ? 'AUTO' : withBid,
      pay_by: ways[0]!,
      end_time: start_time === null ? null : '2027-06-01T00:00:00Z',
      daily_budget_amount_local_micro: total,
      frequency_cap: null,
      duration_in_days: null,
      advertiser_domain: 'example.com',
      android_store_identifier: 'com.example.sample',
    };
  },
  targeting_criteria: ({ targeting_value = null }) => ({
    targeting_type: 'PHRASE_KEYWORD',
    targeting_value,
    operator_type: 'EQ',
  }),
  cards: () => ({
    card_uri: `card://${++cardNumber}`,
    card_type: 'IMAGE_WEBSITE',
    components: JSON.stringify(COMPONENTS),
    slides: null,
  }),
  poll_cards: () => ({
    card_uri: `card://${++cardNumber}`,
    card_type: 'VIDEO_POLLS',
    duration_in_minutes: 1440,
    media_key: '13_42',
  }),
  video_conversation_cards: () => ({
    ...soundConversation(),
    media_key: '13_42',
    poster_media_key: null,
    unlocked_video_media_key: null,
  }),
  image_conversation_cards: () => ({ ...soundConversation(), media_key: '3_42' }),
  draft_posts: () => ({ user_id: FIRST_USER_ID, text: 'Sample', card_uri: null }),
  scheduled_posts: () => ({
    user_id: FIRST_USER_ID,
    text: 'Sample',
    card_uri: null,
    scheduled_at: '2026-06-01T00:00:00Z',
    scheduled_status: 'SCHEDULED',
    scheduled_by: FIRST_USER_ID,
    post_id: null,
    completed_at: null,
  }),
  media_library: () => ({ media_type: 'VIDEO', media_category: 'POST_VIDEO', poster_media_key: '3_42' }),
  line_item_curated_categories: () => ({ curated_category_id: CURATED_CATEGORIES[0]!.id }),
  custom_audiences: soundAudience,
  tailored_audiences: soundAudience,
};

/** A stored value for the row of this number: equal ones and different ones among them. */
export function seededValue(field: Field, index: number, targets: string[] | undefined): StoredValue {
  if (targets) return targets[index % targets.length]!;
  const schema = field.kind.schema as { anyOf?: { const: string }[] };
  switch (field.kind.name) {
    case 'text':
      return NAMES[index % NAMES.length]!;
    case 'enum':
    case 'currency':
      return schema.anyOf![index % schema.anyOf!.length]!.const;
    case 'micros':
    case 'integer':
      return [5_000_000, 1_000_000, 9_007_199_254_740_000, 5_000_000, 20_000_000][index % 5]!;
    case 'number enum':
      return Number(schema.anyOf![index % schema.anyOf!.length]!.const);
    case 'boolean':
      return index % 2;
    case 'instant':
      return `2026-0${1 + (index % 3)}-01T00:00:00Z`;
    case 'list':
      return '[]';
    case 'id':
      return `i${index % 3}`;
    case 'components':
    case 'slides':
    case 'segments':
      return '[]';
    default:
      return field.kind.read(sampleOf(field), 'seed') as string;
  }
}
