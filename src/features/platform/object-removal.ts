import { addSeconds, formatInstant } from '../../base/instants.ts';
import { OBJECT_REMOVAL } from '../../contract/store/derived-files.ts';
import type { PlannedJob } from '../../contract/store/jobs.ts';
import type { ExpiryJobKind } from './expiry-job.ts';

/** Objects removed at once. */
const REMOVED_AT_ONCE = 200;
const PERIOD_S = 600;

const plannedAt = (run_at: string): PlannedJob => ({ kind: OBJECT_REMOVAL, key: 'all', run_at });

/**
 * Removes unreferenced objects, including those of processes that ended before they could record them. While the object
 * store is unavailable, they stay listed.
 * @source decision 793
 */
export const objectRemoval: ExpiryJobKind<readonly string[]> = {
  name: OBJECT_REMOVAL,
  lane: 'remote',
  isHousekeeping: true,
  plannedAt,
  async prepare(_, { store, objects, clock }) {
    const keys = await store.read((tx) => tx.derivedFiles.listUnused(formatInstant(clock.now()), REMOVED_AT_ONCE));
    await objects.remove(keys);
    return keys;
  },
  async store(tx, _, keys, now) {
    await tx.derivedFiles.forgetUnused(keys);
    const later = addSeconds(now, PERIOD_S);
    const next = (await tx.derivedFiles.findNextRemoval()) ?? later;
    await tx.jobs.planNoLaterThan(plannedAt(next < now ? now : next < later ? next : later));
    return keys.length;
  },
};
