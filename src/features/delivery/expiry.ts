import { addSeconds, instantMs } from '../../base/instants.ts';
import { addDays } from '../../base/zones.ts';
import { VIEW_THROUGH_WINDOWS } from '../ads/web-event-tags.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../platform/expiry-job.ts';
import { CLICK_ID_TTL_S } from './conversions/click-id.ts';

const DAY_S = 86_400;
const CLICK_DAYS = CLICK_ID_TTL_S / DAY_S;
const VIEW_DAYS = Math.max(...VIEW_THROUGH_WINDOWS);

/**
 * Retention of rows of the ledger, in days. Reach and changes can be requested for 90 days, and the longest frequency cap
 * covers 30.
 */
export const LEDGER_DAYS = { views: 130, changes: 100 } as const;

/**
 * Retention of touchpoints, counted conversions, and conversions that wait for their click, in days. A conversion may be
 * reported as long after it happened as the longest click window, and then still looks for touchpoints within its windows.
 * @source decision 996
 */
export const CONVERSION_DAYS = {
  clicks: 2 * CLICK_DAYS,
  views: CLICK_DAYS + VIEW_DAYS,
  counted: CLICK_DAYS + 1,
  waiting: 1,
} as const;

/** How long beacons are kept after their tokens expire. */
export const LATE_MS = 3_600_000;

const HOURLY = { key: 'all', period_s: 3600, settingOf: () => {} };

/**
 * Removes impressions of people and the record of changes once they can no longer be requested. Days stay, because
 * total budgets count all of them.
 * @source decision 924
 */
export const ledgerExpiry = expiryJob<void>({
  ...HOURLY,
  name: 'delivery-expiry',
  remove: async (tx, _, now) => [
    await tx.removeOldest('delivery_views', addDays(now.slice(0, 10), -LEDGER_DAYS.views), REMOVED_AT_ONCE),
    await tx.removeOldest('delivery_changes', addSeconds(now, -LEDGER_DAYS.changes * DAY_S), REMOVED_AT_ONCE),
  ],
});

/** Removes touchpoints and counted conversions that no report can need. @source decision 996 */
export const conversionExpiry = expiryJob<void>({
  ...HOURLY,
  name: 'conversion-expiry',
  async remove(tx, _, now) {
    const before = (rows: keyof typeof CONVERSION_DAYS): string => addSeconds(now, -CONVERSION_DAYS[rows] * DAY_S);
    const counted = before('counted');
    return [
      await tx.removeOldest('delivery_touches', before('clicks'), REMOVED_AT_ONCE, { kind: ['=', 'click'] }),
      await tx.removeOldest('delivery_touches', before('views'), REMOVED_AT_ONCE, { kind: ['=', 'view'] }),
      await tx.removeOldest('counted_conversions', counted, REMOVED_AT_ONCE),
      // Its click id is no longer valid.
      await tx.removeOldest('click_conversions', counted, REMOVED_AT_ONCE),
      await tx.removeOldest('counted_clicks', counted, REMOVED_AT_ONCE),
      await tx.removeOldest('waiting_conversions', before('waiting'), REMOVED_AT_ONCE),
    ];
  },
});

/** Removes beacons whose tokens expired long enough ago that none can be in flight. @source decision 980 */
export const beaconExpiry = expiryJob<void>({
  ...HOURLY,
  name: 'delivery.beacon_expiry',
  remove: async (tx, _, now) => [
    await tx.removeOldest('delivery_beacons', instantMs(now) - LATE_MS + 1, REMOVED_AT_ONCE),
  ],
});
