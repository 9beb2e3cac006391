import { SESSION_IDLE_S } from '../contract/store/logins.ts';
import { CONNECTION_HISTORY_S } from '../features/activity/stream/streams.ts';
import { REPLAYS_KEPT_S } from '../features/activity/webhooks/webhook-jobs.ts';
import { STATS_JOBS_KEPT_MS } from '../features/ads/analytics/stats-files.ts';
import { SENT_FORM_S } from '../features/auth/logins/login-expiry.ts';
import { CONVERSION_DAYS, LATE_MS, LEDGER_DAYS } from '../features/delivery/expiry.ts';
import { KEPT_DAYS } from '../features/platform/expiry-job.ts';
import type { SettingName, Settings } from '../settings.ts';
import type { TableName } from '../storage/core/database.ts';

/** How long rows of a table are kept. */
export interface Retention {
  /** The column from whose time retention counts. */
  readonly time: string;
  /** The format of the column: UTC text, or whole milliseconds, seconds or days since 1970. */
  readonly as: 'text' | 'ms' | 's' | 'days';
  /** Seconds; Infinity means forever. */
  kept_s(settings: Settings): number;
  /** The setting that controls it. */
  readonly setting?: SettingName;
}

const DAY_S = 86_400;

const kept = (time: string, seconds: number, as: Retention['as'] = 'text'): Retention => ({
  time,
  as,
  kept_s: () => seconds,
});

/** Kept for the number of days of a setting; 0 means forever. */
const keptBy = (
  time: string,
  setting: 'audit_retention_days' | 'history_retention_days' | 'keyword_retention_days',
  as: Retention['as'] = 'text',
): Retention => ({ time, as, setting, kept_s: (settings) => (settings[setting] || Infinity) * DAY_S });

const events: Retention = {
  ...{ time: 'created_at', as: 'text', setting: 'event_retention_s' },
  kept_s: ({ event_retention_s }) => event_retention_s,
};

/**
 * The retention of tables that grow with activity rather than with what users own. `barker doctor` prints their sizes.
 * @source decision 1225
 */
export const RETENTION = {
  access_tokens: kept('revoked_at', KEPT_DAYS.revokedTokens * DAY_S),
  account_changes: keptBy('change_time', 'history_retention_days'),
  application_usage: kept('hour', KEPT_DAYS.usage * DAY_S),
  audit_events: keptBy('at', 'audit_retention_days'),
  bearer_tokens: kept('revoked_at', KEPT_DAYS.revokedTokens * DAY_S),
  click_conversions: kept('clicked_at', CONVERSION_DAYS.counted * DAY_S),
  corpus_pages: keptBy('day', 'keyword_retention_days', 'days'),
  counted_clicks: kept('clicked_at', CONVERSION_DAYS.counted * DAY_S),
  counted_conversions: kept('converted_at', CONVERSION_DAYS.counted * DAY_S),
  delivery_beacons: kept('expires_ms', LATE_MS / 1000, 'ms'),
  delivery_changes: kept('recorded_hour', LEDGER_DAYS.changes * DAY_S),
  delivery_touches: kept('touched_at', CONVERSION_DAYS.clicks * DAY_S),
  delivery_views: kept('day', LEDGER_DAYS.views * DAY_S),
  events,
  login_tallies: kept('ends_s', 0, 's'),
  messages: events,
  notifications: kept('created_at', KEPT_DAYS.notifications * DAY_S),
  operator_links: kept('expires_at', 0),
  operator_sessions: kept('last_seen_at', SESSION_IDLE_S),
  password_links: kept('expires_at', 0),
  replays: kept('ended_at', REPLAYS_KEPT_S),
  request_tokens: kept('expires_at', KEPT_DAYS.endedRequestTokens * DAY_S),
  sent_forms: kept('sent_at', SENT_FORM_S),
  sessions: kept('last_seen_at', SESSION_IDLE_S),
  stats_jobs: kept('created_at', STATS_JOBS_KEPT_MS / 1000),
  stream_connections: kept('disconnected_at', CONNECTION_HISTORY_S),
  waiting_conversions: kept('reported_at', CONVERSION_DAYS.waiting * DAY_S),
  webhook_deliveries: events,
} as const satisfies Partial<Record<TableName, Retention>>;
