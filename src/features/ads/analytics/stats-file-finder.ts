import { formatInstant } from '../../../base/instants.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { FindDownload } from '../../../contract/services/downloads.ts';
import { hasFile } from './stats-job-json.ts';

/** Clients unzip files of exactly this type. @source analytics 8 */
const MIME = 'application/gzip';
/** The id of a job and an unguessable token. */
const PATH = /^\/stats\/(\d{16}-[\w-]{43}\.json\.gz)$/;

/** Finds files with statistics, alike in both environments, until they expire. @source analytics 8; decision 968 */
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
