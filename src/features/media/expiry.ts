import { addSeconds } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';
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

const NAME = 'media-orphan-removal';
const PERIOD_S = 86_400;
/** Younger objects may be named by a unit of work in progress. */
const AGE_MIN_MS = 86_400_000;
const BATCH = 500;

/**
 * Removes objects of media that no row names, once a day: those that were stored by a process that was killed before it
 * could store the row, and what interrupted calls left in the object store.
 * @source decision 788
 */
export const mediaOrphanRemoval: JobKind<number> & { plannedAt(run_at: string): PlannedJob } = {
  name: NAME,
  lane: 'long',
  isHousekeeping: true,
  plannedAt: (run_at) => ({ kind: NAME, key: 'all', run_at }),
  async prepare(_, services, signal) {
    const { objects, media } = services;
    // Files have the time of the machine.
    const before_ms = media.machineClock.now() - AGE_MIN_MS;
    await objects.removeIncomplete(before_ms);
    let removed = 0;
    let batch: string[] = [];
    const endBatch = async (): Promise<void> => {
      signal.throwIfAborted();
      const orphans = await orphansAmong(batch, services);
      await objects.remove(orphans);
      removed += orphans.length;
      batch = [];
    };
    for (const area of ['parts', 'sealed', 'ready']) {
      for await (const { key, storedAt_ms } of objects.list(`media/${area}/`)) {
        if (storedAt_ms < before_ms) batch.push(key);
        if (batch.length === BATCH) await endBatch();
      }
    }
    await endBatch();
    return removed;
  },
  async store(tx, _, removed, now) {
    await tx.jobs.plan(mediaOrphanRemoval.plannedAt(addSeconds(now, PERIOD_S)));
    return removed;
  },
};

/** The keys that no row names. */
async function orphansAmong(keys: readonly string[], { store }: Services): Promise<string[]> {
  const ids = [...new Set(keys.map((key) => key.split('/')[2]!))];
  const used = await store.read(async (tx) => {
    const named = new Set<string | null>();
    for (const { id, state, object_key, poster_key } of await tx.uploads.list(ids)) {
      named.add(object_key).add(poster_key);
      if (state === 'succeeded' || state === 'failed') continue;
      for (const segment of await tx.uploads.listSegments(id)) named.add(segment.object_key);
    }
    return named;
  });
  return keys.filter((key) => !used.has(key));
}
