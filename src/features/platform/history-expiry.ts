import { addSeconds } from '../../base/instants.ts';
import { expiryJob, REMOVED_AT_ONCE } from './expiry-job.ts';

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
      retention_days === 0 ? 0 : await tx.accountHistory.removeBefore(before(retention_days), REMOVED_AT_ONCE),
      await tx.applicationUsage.removeBefore(before(KEPT_DAYS.usage), REMOVED_AT_ONCE),
      await tx.notifications.removeBefore(before(KEPT_DAYS.notifications), REMOVED_AT_ONCE),
      await tx.requestTokens.removeEnded(before(KEPT_DAYS.endedRequestTokens), REMOVED_AT_ONCE),
      await tx.bearerTokens.removeRevoked(revoked, REMOVED_AT_ONCE),
      await tx.credentials.removeRevokedTokens(revoked, REMOVED_AT_ONCE),
    ];
  },
});
