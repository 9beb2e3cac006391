import { addSeconds } from '../../base/instants.ts';
import { plusDays } from '../../base/zones.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../platform/expiry-job.ts';

const DAY_S = 86_400;
/**
 * How long rows are kept. Reach and changes can be requested for 90 days, and the longest frequency cap
 * covers 30.
 */
export const LEDGER_DAYS = { views: 130, changes: 100 } as const;

/**
 * Removes views of people and the record of changes once they cannot be requested any more. Days stay: total budgets count
 * all of them.
 * @source decision 924
 */
export const ledgerExpiry = expiryJob<void>({
  name: 'delivery-expiry',
  key: 'all',
  period_s: 3600,
  settingOf: () => {},
  async remove({ deliveryLedger: ledger }, _, now) {
    const hour = addSeconds(now, -LEDGER_DAYS.changes * DAY_S);
    return [
      await ledger.removeViewsBefore(plusDays(now.slice(0, 10), -LEDGER_DAYS.views), REMOVED_AT_ONCE),
      await ledger.removeChangesBefore(hour, REMOVED_AT_ONCE),
    ];
  },
});
