import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';

const NAME = 'audit-expiry';
/** Seconds between two runs. */
const PERIOD_S = 3600;
const DAY_S = 86_400;
/** Records that one unit of work removes at most, because other writes wait for it. */
const REMOVED_AT_ONCE = 2000;

/** The job that removes old audit records. It is planned once, then plans itself. */
export function auditExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'all', run_at };
}

/** Removes audit records that are older than the configured retention, in batches. */
export const auditExpiry: JobKind<number> = {
  name: NAME,
  prepare: async (_, { audit: { retention_days: auditRetention_days } }) => auditRetention_days,
  async store(tx, _, retention_days, now) {
    const removed =
      retention_days === 0
        ? 0
        : await tx.audit.removeBefore(
            formatMillisecond(instantMs(now) - retention_days * DAY_S * 1000),
            REMOVED_AT_ONCE,
          );
    const isMore = removed === REMOVED_AT_ONCE;
    await tx.jobs.plan(auditExpiryAt(isMore ? now : formatInstant(instantMs(now) + PERIOD_S * 1000)));
    return removed;
  },
};
