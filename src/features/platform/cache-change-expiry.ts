import { expiryJob, REMOVED_AT_ONCE } from './expiry-job.ts';

/** Removes announced changes that no process looks for any more. @source decision 740 */
export const cacheChangeExpiry = expiryJob<void>({
  name: 'cache-change-expiry',
  key: 'all',
  period_s: 600,
  settingOf: () => {},
  remove: async (tx) => [await tx.cacheChanges.removeOld(REMOVED_AT_ONCE)],
});
