import type { JobKind } from '../../contract/store/jobs.ts';

/** The kind of jobs that end what nobody used. */
export const EXPIRY = 'media-expiry';
const REMOVAL = 'media-removal';

/** Removes an upload that was not used in time; its files only when the row is gone for good. */
export const mediaExpiry: JobKind<void> = {
  name: EXPIRY,
  isTimed: true,
  async store(tx, { key }, _, now) {
    if (await tx.uploads.removeExpired(key, now)) await tx.jobs.plan({ kind: REMOVAL, key, run_at: now });
  },
};

/** Removes the files of what is gone. */
export const mediaRemoval: JobKind<void> = {
  name: REMOVAL,
  prepare: ({ key }, { blobs }) => blobs.remove(key),
  store: async () => {},
};
