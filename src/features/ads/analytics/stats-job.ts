import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { type AnyResource, jobKeyOf, rowOfJob } from '../../../contract/declare/resource.ts';
import { ObjectsUnavailable } from '../../../contract/problems/objects-unavailable.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import { contentOfBytes } from '../../../contract/services/objects.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import { accounts } from '../accounts.ts';
import { readStats, type Stats, type StatsQuery } from './read-stats.ts';
import { statsDocument } from './stats-document.ts';
import { toStatsQuery } from './stats-parameters.ts';

/** Kind of the jobs that write files with statistics. */
export const STATS_JOB = 'stats-job';
/** Kind of the jobs that remove these files. */
export const STATS_FILE_EXPIRY = 'stats-file-expiry';
/** Key prefix of the objects with files. */
export const STATS_OBJECTS = 'stats/';

/** How long a file can be read. @source analytics 8 */
const FILE_TTL_MS = 48 * 3_600_000;
/** Number of attempts before a job fails. @source analytics 8 */
const ATTEMPTS_MAX = 3;
/** Takes a third of the time of the default level, for a sixth more bytes. */
const GZIP_LEVEL = 4;
/** Random bytes of an unguessable name: 43 characters. @source analytics 8 */
const NAME_BYTES = 32;

/** The outcome of a job; undefined if it had already ended. */
type Outcome = { readonly file_name: string; readonly object_key: string } | 'failed' | undefined;

/** Writes a file with statistics: the document of the synchronous call, with segments if requested. @source analytics 8 */
export const statsJob: JobKind<Outcome> = {
  name: STATS_JOB,
  lane: 'awaited',
  async prepare({ key, attempts }, services, signal) {
    const { account, id } = rowOfJob(key);
    const job = await services.store.read((tx) => tx.statsJobs.find(account, id));
    if (job?.status !== 'PROCESSING') return undefined;
    try {
      return await writeFile(job, services, signal);
    } catch (error) {
      const isOutage = error instanceof StoreUnavailable || error instanceof ObjectsUnavailable;
      if (isOutage || signal.aborted || attempts < ATTEMPTS_MAX) throw error;
      return 'failed';
    }
  },
  async store(tx, { key }, outcome, now) {
    const { account, id } = rowOfJob(key);
    if (outcome === undefined) return;
    const job = { account_id: account, id, status: 'PROCESSING' } as const;
    if (outcome === 'failed') {
      await tx.statsJobs.change(job, { status: 'FAILED', updated_at: now });
      return;
    }
    const expires_at = formatInstant(instantMs(now) + FILE_TTL_MS);
    const isDone = await tx.statsJobs.change(job, { ...outcome, status: 'SUCCESS', expires_at, updated_at: now });
    if (isDone) await tx.jobs.plan({ kind: STATS_FILE_EXPIRY, key: jobKeyOf(job), run_at: expires_at });
  },
};

async function writeFile(job: StatsJob, services: Services, signal: AbortSignal): Promise<Outcome> {
  const account = await accountOf(job.account_id, services);
  await services.delivery.settle(account);
  const query = toStatsQuery(job, account);
  const tags = services.resources.get('web_event_tags') as AnyResource | undefined;
  const answers = entityByEntity(query, (each) => readStats(services.store, each, { tags, signal }));
  const bytes = await gzip(services.ads.statsWords(statsDocument(answers, query.groups, job)), signal);
  const file_name = `${job.id}-${services.secrets.bytes(NAME_BYTES).toString('base64url')}.json.gz`;
  // Each attempt has a key of its own, so that objects never change.
  const object_key = `${STATS_OBJECTS}${job.id}/${services.random.bytes(8).toString('hex')}`;
  await services.objects.put(object_key, contentOfBytes(bytes), signal);
  return { file_name, object_key };
}

/** Reads the statistics of one entity at a time, to bound memory. */
async function* entityByEntity(query: StatsQuery, read: (query: StatsQuery) => Promise<Stats>): AsyncGenerator<Stats> {
  for (const id of query.entity_ids) yield await read({ ...query, entity_ids: [id] });
}

/** Compresses pieces of text as they are produced. */
async function gzip(pieces: AsyncIterable<string>, signal: AbortSignal): Promise<Buffer> {
  const bytes: Buffer[] = [];
  const text = Readable.from(pieces, { highWaterMark: 1 });
  await pipeline(text, createGzip({ level: GZIP_LEVEL }), new Writable({ write: collect }), { signal });
  return Buffer.concat(bytes);

  function collect(chunk: Buffer, _: string, done: () => void): void {
    bytes.push(chunk);
    done();
  }
}

function accountOf(id: string, { store }: Services): Promise<Pick<AccountState, 'id' | 'environment' | 'timezone'>> {
  return store.read(async (tx) => {
    const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'shown' });
    const found = await tx.accountMembers.findLimits(id);
    if (!row || !found) throw new Error(`the account ${id} of a job for statistics is gone`);
    return { id, environment: found.environment as Environment, timezone: String(row.timezone) };
  });
}
