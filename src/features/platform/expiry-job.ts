import { addSeconds, formatMillisecond, instantMs } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';

/** Maximum number of rows of a table that one unit of work removes, because other writes wait for it. */
export const REMOVED_AT_ONCE = 2000;

/** The declaration of an expiry job. */
interface ExpiryRules<Setting> {
  readonly name: string;
  readonly key: string;
  /** Seconds between two runs. */
  readonly period_s: number;
  /** The setting that `remove` depends on. */
  settingOf(services: Services): Setting;
  /** Removes at most `REMOVED_AT_ONCE` rows of each table; returns how many of each. */
  remove(tx: WriteTransaction, setting: Setting, now: string): Promise<readonly number[]>;
}

/** A kind of jobs that remove expired rows. Its job is planned once, and then plans itself. */
export interface ExpiryJobKind<Setting> extends JobKind<Setting> {
  plannedAt(run_at: string): PlannedJob;
}

/** Removes expired rows in batches: again at once after a full batch, otherwise after the period. */
export function expiryJob<Setting>(rules: ExpiryRules<Setting>): ExpiryJobKind<Setting> {
  const { name, key, period_s } = rules;
  const plannedAt = (run_at: string): PlannedJob => ({ kind: name, key, run_at });
  return {
    name,
    isHousekeeping: true,
    plannedAt,
    prepare: async (_, services) => rules.settingOf(services),
    async store(tx, _, setting, now) {
      const removed = await rules.remove(tx, setting, now);
      const isMore = removed.includes(REMOVED_AT_ONCE);
      await tx.jobs.plan(plannedAt(isMore ? now : addSeconds(now, period_s)));
      return removed.reduce((sum, rows) => sum + rows);
    },
  };
}

const DAY_S = 86_400;

/** Retention of rows without a setting of their own, in days. @source decision 1225 */
export const KEPT_DAYS = { usage: 8, notifications: 90, endedRequestTokens: 1, revokedTokens: 90 } as const;

/**
 * Removes changes of accounts after the configured retention, none when it is 0 days; calls of applications, notifications,
 * and tokens that have ended or were revoked.
 * @source decision 1225
 */
export const historyExpiry = expiryJob<number>({
  name: 'history-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: ({ history }) => history.retention_days,
  async remove(tx, retention_days, now) {
    const before = (days: number): string => addSeconds(now, -days * DAY_S);
    const revoked = before(KEPT_DAYS.revokedTokens);
    return [
      retention_days === 0 ? 0 : await tx.removeOldest('account_changes', before(retention_days), REMOVED_AT_ONCE),
      await tx.removeOldest('application_usage', before(KEPT_DAYS.usage), REMOVED_AT_ONCE),
      await tx.removeOldest('notifications', before(KEPT_DAYS.notifications), REMOVED_AT_ONCE),
      await tx.removeOldest('request_tokens', before(KEPT_DAYS.endedRequestTokens), REMOVED_AT_ONCE),
      await tx.removeOldest('bearer_tokens', revoked, REMOVED_AT_ONCE),
      await tx.removeOldest('access_tokens', revoked, REMOVED_AT_ONCE),
    ];
  },
});

/** Removes audit records that are older than the configured retention; none when it is 0 days. */
export const auditExpiry = expiryJob<number>({
  name: 'audit-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: ({ audit }) => audit.retention_days,
  async remove(tx, retention_days, now) {
    if (retention_days === 0) return [0];
    const before = formatMillisecond(instantMs(now) - retention_days * DAY_S * 1000);
    return [await tx.removeOldest('audit_events', before, REMOVED_AT_ONCE)];
  },
});

/** Removes announced cache changes that every process has seen. @source decision 740 */
export const cacheChangeExpiry = expiryJob<void>({
  name: 'cache-change-expiry',
  key: 'all',
  period_s: 600,
  settingOf: () => {},
  remove: async (tx) => [await tx.cacheChanges.removeOld(REMOVED_AT_ONCE)],
});
