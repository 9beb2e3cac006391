import { instantMs } from '../../../base/instants.ts';
import { expiryJob, REMOVED_AT_ONCE } from '../../platform/expiry-job.ts';

/** How long beacons are kept after their tokens expire. */
export const LATE_MS = 3_600_000;

/** Removes beacons whose tokens expired long enough ago that none can be in flight. @source decision 980 */
export const beaconExpiry = expiryJob<undefined>({
  name: 'delivery.beacon_expiry',
  key: 'all',
  period_s: 3600,
  settingOf: () => undefined,
  remove: async (tx, _, now) => [await tx.deliveryBeacons.removeExpired(instantMs(now) - LATE_MS, REMOVED_AT_ONCE)],
});
