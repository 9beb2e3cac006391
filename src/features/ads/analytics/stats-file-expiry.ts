import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { rowOfJob } from '../../../contract/declare/resource.ts';
import type { JobKind, PlannedJob } from '../../../contract/store/jobs.ts';
import { STATS_FILE_EXPIRY, STATS_OBJECTS } from './stats-job.ts';

/** Removes the file of a job when its time is over. @source analytics 8 */
export const statsFileExpiry: JobKind<void> = {
  name: STATS_FILE_EXPIRY,
  isTimed: true,
  isHousekeeping: true,
  async prepare({ key }, { store, objects }) {
    const { account, id } = rowOfJob(key);
    const job = await store.read((tx) => tx.statsJobs.find(account, id));
    if (job?.object_key) await objects.remove([job.object_key]);
  },
  async store(tx, { key }) {
    const { account, id } = rowOfJob(key);
    await tx.statsJobs.change({ account_id: account, id, status: 'SUCCESS' }, { object_key: null });
  },
};

const NAME = 'stats-job-expiry';
const DAY_MS = 86_400_000;
/** Jobs are listed for this long. @source analytics 8 */
export const STATS_JOBS_KEPT_MS = 30 * DAY_MS;
/** Rows that one unit of work removes at most, because other writes wait for it. */
const REMOVED_AT_ONCE = 2000;
/** Objects that are looked up at once. */
const BATCH = 500;

/**
 * Removes jobs that are too old to be listed, once a day, and the files that no job names: those of processes that were
 * killed before they could store a result, and of jobs that were cancelled meanwhile.
 * @source analytics 8; decision 967
 */
export const statsJobExpiry: JobKind<number> & { plannedAt(run_at: string): PlannedJob } = {
  name: NAME,
  isHousekeeping: true,
  plannedAt: (run_at) => ({ kind: NAME, key: 'all', run_at }),
  async prepare(_, services, signal) {
    let removed = 0;
    let batch: string[] = [];
    const endBatch = async (): Promise<void> => {
      signal.throwIfAborted();
      const orphans = await orphansAmong(batch, services);
      await services.objects.remove(orphans);
      removed += orphans.length;
      batch = [];
    };
    // Younger objects may be waiting for the unit of work that names them. Files have the time of the machine.
    const before_ms = services.media.machineClock.now() - DAY_MS;
    for await (const { key, storedAt_ms } of services.objects.list(STATS_OBJECTS)) {
      if (storedAt_ms < before_ms) batch.push(key);
      if (batch.length === BATCH) await endBatch();
    }
    await endBatch();
    return removed;
  },
  async store(tx, _, removed, now) {
    const rows = await tx.statsJobs.removeBefore(formatInstant(instantMs(now) - STATS_JOBS_KEPT_MS), REMOVED_AT_ONCE);
    const wait_ms = rows === REMOVED_AT_ONCE ? 0 : DAY_MS;
    await tx.jobs.plan(statsJobExpiry.plannedAt(formatInstant(instantMs(now) + wait_ms)));
    return removed + rows;
  },
};

/** The keys that no job names. */
async function orphansAmong(keys: readonly string[], { store }: Services): Promise<string[]> {
  const named = new Set(await store.read((tx) => tx.statsJobs.listNamedKeys(keys)));
  return keys.filter((key) => !named.has(key));
}
