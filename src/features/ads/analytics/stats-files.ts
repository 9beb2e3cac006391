import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { rowOfJob } from '../../../contract/declare/resource.ts';
import type { FindDownload } from '../../../contract/services/downloads.ts';
import type { JobKind, PlannedJob } from '../../../contract/store/jobs.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import { STATS_FILE_EXPIRY, STATS_OBJECTS } from './stats-job.ts';

/** Tests whether the file of a job can still be read. @source analytics 8 */
export function hasFile({ expires_at }: Pick<StatsJob, 'expires_at'>, now: string): boolean {
  return expires_at !== null && now < expires_at;
}

/** Clients unzip files of exactly this type. @source analytics 8 */
const MIME = 'application/gzip';
/** The id of a job and an unguessable token. */
const PATH = /^\/stats\/(\d{16}-[\w-]{43}\.json\.gz)$/;

/** Serves files with statistics in both environments until they expire. @source analytics 8; decision 968 */
export function statsFileFinder({ store, clock, media }: Pick<Services, 'store' | 'clock' | 'media'>): FindDownload {
  return async (path) => {
    const [, name] = PATH.exec(path) ?? [];
    if (name === undefined) return undefined;
    const job = await store.read((tx) => tx.statsJobs.findByFileName(name));
    if (!job?.object_key || !hasFile(job, formatInstant(clock.now()))) return undefined;
    const object = await media.reader.open(job.object_key);
    return object && { object, mime: MIME };
  };
}

/** Removes the file of a job when it expires. @source analytics 8 */
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
/** How long jobs are listed. @source analytics 8 */
export const STATS_JOBS_KEPT_MS = 30 * DAY_MS;
/** Maximum number of rows removed in a unit of work, because other writes wait for it. */
const REMOVED_AT_ONCE = 2000;
/** Number of objects looked up at once. */
const BATCH = 500;

/**
 * Once a day, removes jobs that are too old to be listed, and orphaned files: of processes killed before they stored a
 * result, and of cancelled jobs.
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
      const named = new Set(await services.store.read((tx) => tx.statsJobs.listNamedKeys(batch)));
      const orphans = batch.filter((key) => !named.has(key));
      await services.objects.remove(orphans);
      removed += orphans.length;
      batch = [];
    };
    // A younger object may still get its job in a unit of work. Objects age by the machine clock.
    const before_ms = services.media.machineClock.now() - DAY_MS;
    for await (const { key, storedAt_ms } of services.objects.list(STATS_OBJECTS)) {
      if (storedAt_ms < before_ms) batch.push(key);
      if (batch.length === BATCH) await endBatch();
    }
    await endBatch();
    return removed;
  },
  async store(tx, _, removed, now) {
    const rows = await tx.removeOldest(
      'stats_jobs',
      formatInstant(instantMs(now) - STATS_JOBS_KEPT_MS),
      REMOVED_AT_ONCE,
    );
    const wait_ms = rows === REMOVED_AT_ONCE ? 0 : DAY_MS;
    await tx.jobs.plan(statsJobExpiry.plannedAt(formatInstant(instantMs(now) + wait_ms)));
    return removed + rows;
  },
};
