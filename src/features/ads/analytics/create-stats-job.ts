import { formatInstant, instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import type { Input, Operation } from '../../../contract/declare/operation.ts';
import { jobKeyOf } from '../../../contract/declare/resource.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import type { StatsRequest } from './stats-document.ts';
import { STATS_JOB } from './stats-job.ts';
import { JOB_LIMIT_HEADERS, jobLimitHeaders, statsJobJson, UNFINISHED_MAX } from './stats-job-json.ts';
import {
  checkRole,
  checkSegments,
  checkStats,
  SEGMENT_PROBLEMS,
  STATS_AND_ORGANIC_READERS,
  STATS_PROBLEMS,
  segmentParameters,
  statsParameters,
  statsRequestOf,
} from './stats-parameters.ts';
import { jobRequestSchema, statsJobSchema } from './stats-schemas.ts';

const DAYS_MAX = 90;
const SEGMENTED_DAYS_MAX = 45;
/** Until then a job can be cancelled. @source analytics 8; decision 966 */
const DELAY_MS = 1000;
/** Ids have 16 digits, below 2^53. @source analytics 0 */
const IDS_FROM = 1_000_000_000_000_000;

/**
 * Creates a job that writes statistics into a file.
 * @source analytics 2, 4, 7 and 8; decision 966
 */
export const createStatsJob: Operation = {
  id: 'stats_jobs.create',
  method: 'POST',
  path: '/12/stats/jobs/accounts/:account_id',
  description: `Write what up to 20 entities delivered in up to ${DAYS_MAX} days, or ${SEGMENTED_DAYS_MAX} with segments, into a file.`,
  group: 'stats_jobs',
  groupDescription: 'Jobs that write statistics into files.',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  rate: 'writes',
  parameters: { ...statsParameters, ...segmentParameters },
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({
    request: Type.Closed({ params: jobRequestSchema }),
    data: statsJobSchema,
  }),
  replyHeaders: JOB_LIMIT_HEADERS,
  problems: [...STATS_PROBLEMS, ...SEGMENT_PROBLEMS, 'TOO_MANY_JOBS'],
  validate: (input, account) => [...checkStats(input, account, daysMax(input)), ...checkSegments(input)],
  async perform(call) {
    const { services, account, environment, input, now } = call;
    checkRole(call, input.entity);
    const request = statsRequestOf(input, account!.timezone);
    const [number] = await services.ids.take('stats_job', IDS_FROM, 1);
    const job = newJob(String(Number.parseInt(number!, 36)), account!.id, request, now);
    const unfinished = await services.store.write(async (tx) => {
      await tx.records.lockAccount(account!.id);
      const others = await tx.statsJobs.findUnfinishedCount(account!.id);
      if (others >= UNFINISHED_MAX) throw problem('TOO_MANY_JOBS', { words: { max: UNFINISHED_MAX } });
      await tx.statsJobs.add(job);
      const run_at = formatInstant(instantMs(now) + DELAY_MS);
      await tx.jobs.plan({ kind: STATS_JOB, key: jobKeyOf(job), run_at });
      return others + 1;
    });
    const params = Object.fromEntries(
      REPEATED.flatMap((name) => (request[name] === null ? [] : [[name, request[name]]])),
    );
    return {
      data: `{"request":{"params":${JSON.stringify(params)}},"data":${statsJobJson(job, { services, environment, now })}}`,
      headers: jobLimitHeaders(unfinished),
    };
  },
};

/** The parameters that the reply repeats, in its order. @source analytics 8 */
const REPEATED = [
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

function daysMax({ segmentation_type }: Input): number {
  return segmentation_type == null ? DAYS_MAX : SEGMENTED_DAYS_MAX;
}

function newJob(id: string, account_id: string, request: StatsRequest, now: string): StatsJob {
  return {
    ...request,
    id,
    account_id,
    status: 'PROCESSING',
    file_name: null,
    object_key: null,
    expires_at: null,
    created_at: now,
    updated_at: now,
  };
}
