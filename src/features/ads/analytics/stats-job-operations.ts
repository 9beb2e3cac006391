import { formatInstant, instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { id, integer, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation, Input, Operation } from '../../../contract/declare/operation.ts';
import { jobKeyOf } from '../../../contract/declare/resource.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import { checkId } from '../../../rows/keys.ts';
import { cursorParameter, cutPage, readTimeCursor } from '../time-cursor.ts';
import { hasFile } from './stats-files.ts';
import { STATS_JOB } from './stats-job.ts';
import {
  checkRole,
  checkSegments,
  checkStats,
  ORGANIC,
  parseStatsRequest,
  SEGMENT_PROBLEMS,
  STATS_AND_ORGANIC_READERS,
  STATS_PROBLEMS,
  segmentParameters,
  statsParameters,
} from './stats-parameters.ts';
import { jobRequestSchema, statsJobSchema } from './stats-schemas.ts';

const DAYS_MAX = 90;
const SEGMENTED_DAYS_MAX = 45;
const IDS_MAX = 200;
const COUNT = { preset: 200, max: 1000 };
/** Maximum number of unfinished jobs of an account. @source analytics 1 */
const UNFINISHED_MAX = 100;
/** Delay before a job starts; until then it can always be cancelled. @source analytics 8; decision 966 */
const DELAY_MS = 1000;
/** Ids have 16 digits, below 2^53. @source analytics 0 */
const IDS_FROM = 1_000_000_000_000_000;
const FILES_PATH = '/downloads/stats/';
/** Reply headers with the job limit. @source analytics 1 */
const LIMIT_HEADERS = ['x-concurrent-job-limit', 'x-concurrent-job-limit-remaining'] as const;

/** The request parameters in the reply to a new job, in its order. @source analytics 8 */
const REQUEST_MEMBERS = [
  'start_time',
  'entity_ids',
  'end_time',
  'country',
  'placement',
  'granularity',
  'entity',
  'platform',
  'segmentation_type',
  'metric_groups',
] as const;

const shared = {
  path: '/12/stats/jobs/accounts/:account_id',
  group: 'stats_jobs',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  body: 'form',
} as const satisfies Partial<Operation>;

/**
 * Creates a job that writes statistics to a file.
 * @source analytics 2, 4, 7 and 8; decision 966
 */
export const createStatsJob: AccountOperation = {
  ...shared,
  id: 'stats_jobs.create',
  method: 'POST',
  description: `Write what up to 20 entities delivered in up to ${DAYS_MAX} days, or ${SEGMENTED_DAYS_MAX} with segments, to a file.`,
  groupDescription: 'Jobs that write statistics to files.',
  rate: 'writes',
  parameters: { ...statsParameters, ...segmentParameters },
  shape: 'bare',
  reply: Type.Closed({
    request: Type.Closed({ params: jobRequestSchema }),
    data: statsJobSchema,
  }),
  replyHeaders: LIMIT_HEADERS,
  problems: [...STATS_PROBLEMS, ...SEGMENT_PROBLEMS, 'TOO_MANY_JOBS'],
  validate: (input, account) => [...checkStats(input, account, daysMax(input)), ...checkSegments(input)],
  async perform(call) {
    const { services, input, now } = call;
    const account = call.account;
    checkRole(call, input.entity);
    const request = parseStatsRequest(input, account.timezone);
    const [number] = await services.ids.take('stats_job', IDS_FROM, 1);
    const job: StatsJob = {
      ...request,
      id: String(Number.parseInt(number!, 36)),
      account_id: account.id,
      status: 'PROCESSING',
      file_name: null,
      object_key: null,
      expires_at: null,
      created_at: now,
      updated_at: now,
    };
    const unfinished = await services.store.write(async (tx) => {
      await tx.records.lockAccount(account.id);
      const others = await tx.statsJobs.findUnfinishedCount(account.id);
      if (others >= UNFINISHED_MAX) throw problem('TOO_MANY_JOBS', { words: { max: UNFINISHED_MAX } });
      await tx.statsJobs.add(job);
      const run_at = formatInstant(instantMs(now) + DELAY_MS);
      await tx.jobs.plan({ kind: STATS_JOB, key: jobKeyOf(job), run_at });
      return others + 1;
    });
    const sent = REQUEST_MEMBERS.filter((name) => request[name] !== null);
    return {
      data: `{"request":{"params":${JSON.stringify(request, sent)}},"data":${jobJson(job, call)}}`,
      headers: limitHeaders(unfinished),
    };
  },
};

/** Lists the jobs of an account, newest first. @source analytics 8 */
export const listStatsJobs: AccountOperation = {
  ...shared,
  id: 'stats_jobs.list',
  method: 'GET',
  description: 'List jobs and where their files are, newest first. Jobs are kept for 30 days, files for 48 hours.',
  rate: 'reads',
  parameters: {
    job_ids: listOf(id(), { max: IDS_MAX }).describe('Only these ids.'),
    count: integer({ min: 1, max: COUNT.max }).describe(`Page size; default ${COUNT.preset}.`),
    cursor: cursorParameter,
  },
  shape: 'list',
  reply: Type.Array(statsJobSchema),
  replyHeaders: LIMIT_HEADERS,
  problems: ['CURSOR_INVALID'],
  async perform(call) {
    const { services, input } = call;
    const account = call.account.id;
    const count = Number(input.count ?? COUNT.preset);
    const ids = input.job_ids == null ? undefined : itemsOf(input.job_ids);
    const query = { account, ids, entity: visibleEntity(call) };
    const list = JSON.stringify(query);
    const after = readTimeCursor(input.cursor, list);
    const { found, unfinished } = await services.store.read(async (tx) => ({
      found: await tx.statsJobs.page({ ...query, after, limit: count + 1 }),
      unfinished: await tx.statsJobs.findUnfinishedCount(account),
    }));
    const { rows, nextCursor } = cutPage(found, count, ({ created_at }) => created_at, list);
    return {
      data: `[${rows.map((job) => jobJson(job, call)).join(',')}]`,
      nextCursor,
      headers: limitHeaders(unfinished),
    };
  },
};

/** Cancels an unfinished job, which frees its slot immediately. @source analytics 4 and 8 */
export const cancelStatsJob: AccountOperation = {
  ...shared,
  id: 'stats_jobs.remove',
  method: 'DELETE',
  path: `${shared.path}/:job_id`,
  description: 'Cancel a job that has not ended.',
  rate: 'writes',
  parameters: {},
  shape: 'one',
  reply: statsJobSchema,
  problems: ['NOT_FOUND', 'ID_ILLEGAL', 'INVALID'],
  async perform(call) {
    const { services, account, path, now } = call;
    const id = path.job_id!;
    checkId(id, 'job_id', 'Job');
    const visible = visibleEntity(call);
    const cancelled = await services.store.write(async (tx): Promise<StatsJob> => {
      const job = await tx.statsJobs.find(account.id, id);
      if (!job || (visible !== undefined && job.entity !== visible)) {
        throw problem('NOT_FOUND', { parameter: 'job_id', value: id, words: { kind: 'Job' } });
      }
      const changes = { status: 'CANCELLED', updated_at: now } as const;
      if (job.status !== 'PROCESSING' || !(await tx.statsJobs.change(job, changes))) {
        const message = 'Only jobs that are queued or processing can be cancelled';
        throw problem('INVALID', { attribute: 'status', words: { message } });
      }
      await tx.jobs.cancel(STATS_JOB, jobKeyOf(job));
      return { ...job, ...changes };
    });
    return { data: jobJson(cancelled, call) };
  },
};

function daysMax({ segmentation_type }: Input): number {
  return segmentation_type == null ? DAYS_MAX : SEGMENTED_DAYS_MAX;
}

/** Returns the only entity kind whose jobs the caller may see; undefined for all. @source decision 959 */
function visibleEntity({ role }: AccountCall): string | undefined {
  return role === 'ANALYST' ? ORGANIC : undefined;
}

function limitHeaders(unfinished: number): Readonly<Record<(typeof LIMIT_HEADERS)[number], number>> {
  return {
    'x-concurrent-job-limit': UNFINISHED_MAX,
    'x-concurrent-job-limit-remaining': Math.max(0, UNFINISHED_MAX - unfinished),
  };
}

/** Serializes a job with the members and order of its schema. @source analytics 8 */
function jobJson(job: StatsJob, { services, environment, now }: AccountCall): string {
  const url = hasFile(job, now) ? services.pageUrl(environment, `${FILES_PATH}${job.file_name}`) : null;
  return JSON.stringify({ ...job, url, id_str: job.id, id: Number(job.id) }, Object.keys(statsJobSchema.properties));
}
