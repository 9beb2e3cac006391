/** How a criterion compares. */
export type Operator = 'EQ' | 'NE' | 'GTE' | 'LT';

/** Ages that can be targeted; there is no other bucket. @source campaigns 10.4 */
export const AGE_BUCKETS = [
  'AGE_13_TO_24',
  'AGE_13_TO_34',
  'AGE_13_TO_49',
  'AGE_13_TO_54',
  'AGE_OVER_13',
  'AGE_18_TO_34',
  'AGE_18_TO_49',
  'AGE_18_TO_54',
  'AGE_OVER_18',
  'AGE_21_TO_34',
  'AGE_21_TO_49',
  'AGE_21_TO_54',
  'AGE_OVER_21',
  'AGE_25_TO_49',
  'AGE_25_TO_54',
  'AGE_OVER_25',
  'AGE_35_TO_49',
  'AGE_35_TO_54',
  'AGE_OVER_35',
  'AGE_OVER_50',
] as const;

/** What people did with a campaign or a user before. */
export const ENGAGEMENTS = [
  'IMPRESSION',
  'ENGAGEMENT',
  'VIDEO_VIEW',
  'VIDEO_VIEW_PARTIAL',
  'VIDEO_VIEW_COMPLETE',
] as const;

/**
 * What the values of a type are. `looked-up`: of the reference data, under the name of the type. `word`:
 * one of a few, by the name that is shown. `number`: a whole number. `text`: any text, which is its own name. `user`:
 * any user. `advertiser`: the user whom the account advertises. `id`: an id of something that is kept elsewhere.
 */
export type ValueKind =
  | {
      readonly is: 'word';
      readonly words: Readonly<Record<string, string>>;
      readonly aliases?: Readonly<Record<string, string>>;
    }
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'looked-up' | 'text' | 'user' | 'advertiser' | 'audience' | 'campaign' | 'iab' | 'id' };

/** One type of targeting: a row of the reference. */
export interface TargetingType {
  readonly value: ValueKind;
  readonly operators: readonly Operator[];
  /** How many criteria a line item may have; types of the same group count together. Any number when not said. */
  readonly limit?: { readonly rows: number; readonly group?: string; readonly perOperator?: true };
  /** Primary types are united with each other, all others narrow them down. */
  readonly isPrimary: boolean;
  /** Created by batches only. */
  readonly batchOnly?: true;
}

const EQ = ['EQ'] as const;
const NE = ['NE'] as const;
const EITHER = ['EQ', 'NE'] as const;

const lookedUp = { is: 'looked-up' } as const;
const word = (...words: readonly string[]) =>
  ({ is: 'word', words: Object.fromEntries(words.map((each) => [each, each])) }) as const;

const KEYWORDS = { rows: 1000, group: 'keyword' } as const;
const ONE = { rows: 1 } as const;
/** Publishers that a line item may exclude when it has a curated category. */
export const EXCLUDED_PUBLISHERS_OF_CURATED_MAX = 5;

/**
 * Every type of targeting: its values, its operators, how many a line item may have, and whether it is primary.
 * @source campaigns 10.3
 */
export const TARGETING_TYPES = {
  LOCATION: { value: lookedUp, operators: EITHER, limit: { rows: 2000 }, isPrimary: false },
  GENDER: { value: { is: 'word', words: { 1: 'Male', 2: 'Female' } }, operators: EQ, limit: ONE, isPrimary: false },
  AGE: { value: word(...AGE_BUCKETS), operators: EQ, limit: ONE, isPrimary: false },
  LANGUAGE: { value: lookedUp, operators: EQ, isPrimary: false },
  PLATFORM: { value: lookedUp, operators: EITHER, isPrimary: false },
  PLATFORM_VERSION: { value: lookedUp, operators: ['EQ', 'GTE', 'LT'], isPrimary: false },
  DEVICE: { value: lookedUp, operators: EITHER, isPrimary: false },
  WIFI_ONLY: {
    value: { is: 'word', words: { 1: 'Wi-Fi only' }, aliases: { true: '1' } },
    operators: EQ,
    limit: ONE,
    isPrimary: false,
  },
  NETWORK_OPERATOR: { value: lookedUp, operators: EITHER, isPrimary: false },
  NETWORK_ACTIVATION_DURATION: {
    value: { is: 'number', min: 1, max: 24 },
    operators: ['LT', 'GTE'],
    limit: { rows: 1, perOperator: true },
    isPrimary: false,
  },
  INTEREST: { value: lookedUp, operators: EITHER, limit: { rows: 100 }, isPrimary: true },
  FOLLOWERS_OF_USER: { value: { is: 'advertiser' }, operators: EITHER, isPrimary: true },
  SIMILAR_TO_FOLLOWERS_OF_USER: { value: { is: 'user' }, operators: EITHER, limit: { rows: 100 }, isPrimary: true },
  BROAD_KEYWORD: { value: { is: 'text' }, operators: EITHER, limit: KEYWORDS, isPrimary: true },
  PHRASE_KEYWORD: { value: { is: 'text' }, operators: EITHER, limit: KEYWORDS, isPrimary: true },
  EXACT_KEYWORD: { value: { is: 'text' }, operators: EITHER, limit: KEYWORDS, isPrimary: true },
  UNORDERED_KEYWORD: { value: { is: 'text' }, operators: EITHER, limit: KEYWORDS, isPrimary: true },
  CUSTOM_AUDIENCE: { value: { is: 'audience' }, operators: EITHER, isPrimary: true },
  // People like others cannot be excluded. @source creatives 18.2
  CUSTOM_AUDIENCE_EXPANDED: { value: { is: 'audience' }, operators: EQ, isPrimary: true },
  CONVERSATION: { value: lookedUp, operators: EITHER, isPrimary: true },
  EVENT: { value: lookedUp, operators: EQ, limit: ONE, isPrimary: true },
  TV_SHOW: { value: lookedUp, operators: EQ, isPrimary: true },
  LIVE_TV_EVENT: { value: { is: 'id' }, operators: EQ, isPrimary: true },
  STORE_CATEGORY: { value: lookedUp, operators: EITHER, isPrimary: true },
  STORE_CATEGORY_LOOKALIKE: { value: lookedUp, operators: EITHER, isPrimary: true },
  APP_LIST: { value: { is: 'id' }, operators: NE, isPrimary: false },
  ENGAGEMENT_TYPE: { value: word(...ENGAGEMENTS), operators: EITHER, isPrimary: false },
  CAMPAIGN_ENGAGEMENT: { value: { is: 'campaign' }, operators: EITHER, isPrimary: true },
  CAMPAIGN_ENGAGEMENT_LOOKALIKE: { value: { is: 'campaign' }, operators: EITHER, isPrimary: true },
  USER_ENGAGEMENT: { value: { is: 'advertiser' }, operators: EITHER, isPrimary: true },
  USER_ENGAGEMENT_LOOKALIKE: { value: { is: 'advertiser' }, operators: EITHER, isPrimary: true },
  IAB_CATEGORY: { value: { is: 'iab' }, operators: EITHER, isPrimary: false, batchOnly: true },
  CONTENT_PUBLISHER_USER: {
    value: { is: 'user' },
    operators: NE,
    limit: { rows: 50 },
    isPrimary: false,
    batchOnly: true,
  },
} as const satisfies Record<string, TargetingType>;

/** The name of a type of targeting. */
export type TargetingTypeName = keyof typeof TARGETING_TYPES;

/** Other names that callers may give to types. */
export const TYPE_ALIASES: Readonly<Record<string, TargetingTypeName>> = {
  CONTENT_PUBLISHER_ID: 'CONTENT_PUBLISHER_USER',
  APP_STORE_CATEGORY: 'STORE_CATEGORY',
  APP_STORE_CATEGORY_LOOKALIKE: 'STORE_CATEGORY_LOOKALIKE',
};

/** The row of a type that is known to exist. */
export function targetingType(name: string): TargetingType {
  return TARGETING_TYPES[name as TargetingTypeName];
}
