/** Operators of criteria. */
type Operator = 'EQ' | 'NE' | 'GTE' | 'LT';

/** Age ranges that can be targeted. @source campaigns 10.4 */
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

/** Past engagements with a campaign or user. */
export const ENGAGEMENTS = [
  'IMPRESSION',
  'ENGAGEMENT',
  'VIDEO_VIEW',
  'VIDEO_VIEW_PARTIAL',
  'VIDEO_VIEW_COMPLETE',
] as const;

/**
 * The values of a type. `looked-up`: an entry of the reference data of the type. `word`: an enum with display names.
 * `number`: an integer. `text`: any text. `user`: any user. `advertiser`: the user whom the account advertises.
 * `audience`, `campaign`: one available to the account. `iab`: an IAB category. `id`: an id that is not resolved here.
 * @source decision 137
 */
type ValueKind =
  | {
      readonly is: 'word';
      readonly words: Readonly<Record<string, string>>;
      readonly aliases?: Readonly<Record<string, string>>;
    }
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'looked-up' | 'text' | 'user' | 'advertiser' | 'audience' | 'campaign' | 'iab' | 'id' };

/** The definition of a targeting type. */
export interface TargetingType {
  readonly value: ValueKind;
  readonly operators: readonly Operator[];
  /** Maximum per line item, counting types of the same group together; unlimited when unset. */
  readonly limit?: { readonly rows: number; readonly group?: string; readonly perOperator?: true };
  /** Primary types are combined with OR; others narrow them down. */
  readonly isPrimary: boolean;
  /** Can only be created in batches. */
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
/** Maximum of excluded publishers of line items with a curated category. */
export const EXCLUDED_PUBLISHERS_OF_CURATED_MAX = 5;

/**
 * Every targeting type with its values, operators and limit.
 * @source campaigns 10.3
 */
export const TARGETING_TYPES = {
  LOCATION: { value: lookedUp, operators: EITHER, limit: { rows: 2000 }, isPrimary: false },
  // The reference gives no display names for these values. @source decision 147
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
  // Lookalikes cannot be excluded. @source creatives 18.2; decision 256
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

/** The name of a targeting type. */
export type TargetingTypeName = keyof typeof TARGETING_TYPES;

/** Accepted aliases of targeting types. */
export const TYPE_ALIASES: Readonly<Record<string, TargetingTypeName>> = {
  CONTENT_PUBLISHER_ID: 'CONTENT_PUBLISHER_USER',
  APP_STORE_CATEGORY: 'STORE_CATEGORY',
  APP_STORE_CATEGORY_LOOKALIKE: 'STORE_CATEGORY_LOOKALIKE',
};

/** Returns the definition of an existing type. */
export function targetingType(name: string): TargetingType {
  return TARGETING_TYPES[name as TargetingTypeName];
}
