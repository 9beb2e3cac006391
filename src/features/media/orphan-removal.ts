import { addSeconds } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';

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
  isLong: true,
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
