import type { Environment } from './account-state.ts';

const MINUTE = 60;
const QUARTER = 900;

/** A category of calls that share a rate limit. */
export interface RateCategory<Setting extends string = RateSetting> {
  /** The setting with the number of calls; the unit at its end is the window. */
  readonly setting: Setting;
  readonly window_s: number;
  /** Whether the reads of a resource may draw on it. */
  readonly isForResources?: boolean;
  /** Counted per account instead of per user; the user's window is then the large general quota. */
  readonly perAccount: boolean;
  /**
   * Counted per application, for all of its users together. By default per user and application, or per application that
   * calls for itself.
   * @source decision 56
   */
  readonly perApplication?: boolean;
  /** The setting of a second window, per client address. */
  readonly address?: Setting;
  /** Whether all operations of the category share a window, or each has its own. */
  readonly together: boolean;
  /** Whether production and sandbox share windows, because they share the requested data. @source decision 1113 */
  readonly ofBothListeners?: boolean;
}

/**
 * The only list of rate categories. Two of them are for the pipeline: a user's general quota beside account windows,
 * and calls that count all matches.
 * @source campaigns 3.2; authentication 13; decision 57; decision 155
 */
const TABLE = {
  writes: { setting: 'rate_writes_per_min', window_s: MINUTE, perAccount: false, together: true },
  account_reads: {
    setting: 'rate_account_reads_per_15min',
    window_s: QUARTER,
    isForResources: true,
    perAccount: true,
    together: false,
  },
  account_reads_small: {
    setting: 'rate_account_reads_small_per_15min',
    window_s: QUARTER,
    isForResources: true,
    perAccount: true,
    together: false,
  },
  reads: {
    setting: 'rate_reads_per_15min',
    window_s: QUARTER,
    isForResources: true,
    perAccount: false,
    together: false,
  },
  global_reads: {
    setting: 'rate_global_reads_per_15min',
    window_s: QUARTER,
    isForResources: true,
    perAccount: false,
    together: false,
  },
  lookups: { setting: 'rate_lookups_per_15min', window_s: QUARTER, perAccount: false, together: true },
  keyword_insights: {
    setting: 'rate_keyword_insights_per_15min',
    window_s: QUARTER,
    perAccount: false,
    together: true,
  },
  analytics_sync: { setting: 'rate_analytics_sync_per_15min', window_s: QUARTER, perAccount: false, together: true },
  revocations: {
    setting: 'rate_revocations_per_15min',
    window_s: QUARTER,
    perAccount: false,
    together: true,
    ofBothListeners: true,
  },
  request_tokens: {
    ...ofApplications('rate_request_tokens_per_15min'),
    address: 'rate_request_tokens_per_address_15min',
    ofBothListeners: true,
  },
  access_tokens: { ...ofApplications('rate_access_tokens_per_15min'), ofBothListeners: true },
  bearer_tokens: { ...ofApplications('rate_bearer_tokens_per_15min'), ofBothListeners: true },
  bearer_revocations: { ...ofApplications('rate_bearer_revocations_per_15min'), ofBothListeners: true },
  activity_streams: ofApplications('rate_activity_streams_per_15min'),
  connections: { ...ofApplications('rate_connections_per_15min'), together: false },
  connections_all: { ...ofApplications('rate_connections_all_per_15min'), together: false },
  own_profile: { setting: 'rate_own_profile_per_15min', window_s: QUARTER, perAccount: false, together: false },
  profiles: { setting: 'rate_profiles_per_15min', window_s: QUARTER, perAccount: false, together: false },
  media_uploads: { setting: 'rate_media_uploads_per_min', window_s: MINUTE, perAccount: false, together: true },
  conversions: { setting: 'rate_conversions_per_15min', window_s: QUARTER, perAccount: true, together: true },
  audience_uploads: { setting: 'rate_audience_uploads_per_min', window_s: MINUTE, perAccount: true, together: true },
  subscriptions: { setting: 'rate_subscriptions_per_15min', window_s: QUARTER, perAccount: false, together: false },
  profile_updates: { setting: 'rate_profile_updates_per_15min', window_s: QUARTER, perAccount: false, together: true },
  messages: { setting: 'rate_messages_per_15min', window_s: QUARTER, perAccount: false, together: false },
  webhooks: { setting: 'rate_webhooks_per_15min', window_s: QUARTER, perAccount: false, together: false },
  replays: { setting: 'rate_replays_per_15min', window_s: QUARTER, perAccount: false, together: true },
  decisions: { setting: 'rate_decisions_per_min', window_s: MINUTE, perAccount: false, together: true },
  user_quota: { setting: 'rate_user_quota_per_15min', window_s: QUARTER, perAccount: false, together: true },
  total_count: { setting: 'rate_total_count_per_15min', window_s: QUARTER, perAccount: false, together: false },
} as const satisfies Readonly<Record<string, RateCategory<string>>>;

type Table = typeof TABLE;
type Row = Table[keyof Table];

/** The names of the categories that operations draw on. */
export type RateName = Exclude<keyof Table, 'user_quota' | 'total_count'>;

/** The categories that the reads of a resource may draw on. */
export type ReadRate = { [Name in RateName]: Table[Name] extends { isForResources: true } ? Name : never }[RateName];

/** The settings with numbers of calls; their defaults are in `src/settings/rates.ts`. */
export type RateSetting = Row['setting'] | Extract<Row, { address: string }>['address'];

/** The categories by name. */
export const RATES: Readonly<Record<keyof Table, RateCategory>> = TABLE;

/** The state of a rate limit window. `reset` is in Unix seconds; a window starts with its first call. */
export interface RateWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** A partly used rate window. */
export interface UsedWindow extends RateWindow {
  /** The listeners whose calls it counts. */
  readonly environments: readonly Environment[];
  /** The rate category, or the path of the only operation. */
  readonly name: string;
  readonly whose: 'user' | 'application';
}

function ofApplications<const Setting extends string>(setting: Setting) {
  return { setting, window_s: QUARTER, perAccount: false, perApplication: true, together: true } as const;
}
