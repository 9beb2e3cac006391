import { expiryJob, REMOVED_AT_ONCE } from './expiry-job.ts';

/** Removes announced cache changes that every process has seen. @source decision 740 */
export const cacheChangeExpiry = expiryJob<void>({
  name: 'cache-change-expiry',
  key: 'all',
  period_s: 600,
  settingOf: () => {},
  remove: async (tx) => [await tx.cacheChanges.removeOld(REMOVED_AT_ONCE)],
});
