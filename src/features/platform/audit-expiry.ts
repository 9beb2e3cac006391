import { formatMillisecond, instantMs } from '../../base/instants.ts';
import { expiryJob, REMOVED_AT_ONCE } from './expiry-job.ts';

const DAY_S = 86_400;

/** Removes audit records that are older than the configured retention; none when it is 0 days. */
export const auditExpiry = expiryJob<number>({
  name: 'audit-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: ({ audit }) => audit.retention_days,
  async remove(tx, retention_days, now) {
    if (retention_days === 0) return [0];
    const before = formatMillisecond(instantMs(now) - retention_days * DAY_S * 1000);
    return [await tx.audit.removeBefore(before, REMOVED_AT_ONCE)];
  },
});
