import { addSeconds } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { prefixesOf } from './object-keys.ts';

/** Kind of the jobs that expire unused uploads. */
export const EXPIRY = 'media-expiry';
/** Kind of the jobs that convert uploads. */
export const CONVERSION = 'media-conversion';
const REMOVAL = 'media-removal';

/**
 * Removes an unused upload. Its objects are removed by another job, after the removal has committed.
 * @source decision 612
 */
export const mediaExpiry: JobKind<number> = {
  name: EXPIRY,
  isTimed: true,
  prepare: async (_, { media }) => media.removal_delay_s,
  async store(tx, { key }, delay_s, now) {
    if (await tx.uploads.removeExpired(key, now)) {
      // A running conversion loses its lease, and stops.
      await tx.jobs.cancel(CONVERSION, key);
      await tx.jobs.plan({ kind: REMOVAL, key, run_at: addSeconds(now, delay_s) });
    }
  },
};

/** Removes the segments of a processed upload, and plans the removal of objects that it no longer uses. */
export async function planRemoval(tx: WriteTransaction, id: string, run_at: string): Promise<void> {
  await tx.uploads.removeSegments(id);
  await tx.jobs.plan({ kind: REMOVAL, key: id, run_at });
}

/** Removes the objects of an upload that has ended or been removed, except those that it uses. */
export const mediaRemoval: JobKind<void> = {
  name: REMOVAL,
  prepare: ({ key }, services) => removeUnused(key, services),
  store: async () => {},
};

async function removeUnused(id: string, { objects, store }: Services): Promise<void> {
  const stored: string[] = [];
  for (const prefix of prefixesOf(id)) {
    for await (const { key } of objects.list(prefix)) stored.push(key);
  }
  // Read after the objects were listed: the rows of an upload that has ended name no others later.
  const upload = await store.read((tx) => tx.uploads.find(id));
  if (upload && upload.state !== 'succeeded' && upload.state !== 'failed') return;
  const used = [upload?.object_key, upload?.poster_key];
  await objects.remove(stored.filter((key) => !used.includes(key)));
}
