import { formatInstant, formatMillisecond, instantMs } from '../../base/instants.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';

const NAME = 'audit-expiry';
/** How often what is too old is looked for, in seconds. */
const PERIOD_S = 3600;
const DAY_S = 86_400;
/** Records that are removed in one unit: others wait for it. */
const REMOVED_AT_ONCE = 2000;

/** The job that removes old audit records; it is planned once, and then plans itself. */
export function auditExpiryAt(run_at: string): PlannedJob {
  return { kind: NAME, key: 'all', run_at };
}

/** Removes, piece by piece, audit records that are older than the settings say. */
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
