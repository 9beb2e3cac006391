import type { JobKind } from '../../contract/store/jobs.ts';

/** Kind of the jobs that expire unused uploads. */
export const EXPIRY = 'media-expiry';
const REMOVAL = 'media-removal';

/**
 * Removes an unused upload. Its files are removed by another job, after the removal has committed.
 * @source decision 612
 */
export const mediaExpiry: JobKind<void> = {
  name: EXPIRY,
  isTimed: true,
  async store(tx, { key }, _, now) {
    if (await tx.uploads.removeExpired(key, now)) await tx.jobs.plan({ kind: REMOVAL, key, run_at: now });
  },
};

/** Removes the files of removed uploads. */
export const mediaRemoval: JobKind<void> = {
  name: REMOVAL,
  prepare: ({ key }, { media: { blobs } }) => blobs.remove(key),
  store: async () => {},
};
