import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';

/** Jobs of an account that may be unfinished at a time. @source analytics 1 */
export const UNFINISHED_MAX = 100;

/** The headers of replies about jobs. @source analytics 1 */
export const JOB_LIMIT_HEADERS = ['x-concurrent-job-limit', 'x-concurrent-job-limit-remaining'] as const;

/** The values of these headers. */
export function jobLimitHeaders(unfinished: number): Readonly<Record<(typeof JOB_LIMIT_HEADERS)[number], number>> {
  return {
    'x-concurrent-job-limit': UNFINISHED_MAX,
    'x-concurrent-job-limit-remaining': Math.max(0, UNFINISHED_MAX - unfinished),
  };
}

/** The path below which files are served. */
const FILES_PATH = '/downloads/stats/';

/** Whether the file of a job can still be read. @source analytics 8 */
export function hasFile({ expires_at }: Pick<StatsJob, 'expires_at'>, now: string): boolean {
  return expires_at !== null && now < expires_at;
}

/** A job as replies show it. @source analytics 8 */
export function statsJobJson(
  job: StatsJob,
  {
    services,
    environment,
    now,
  }: { readonly services: Services; readonly environment: Environment; readonly now: string },
): string {
  const url = hasFile(job, now) ? services.pageUrl(environment, `${FILES_PATH}${job.file_name}`) : null;
  const { id, account_id, status, entity, entity_ids, granularity, placement, platform, country } = job;
  return JSON.stringify({
    start_time: job.start_time,
    segmentation_type: job.segmentation_type,
    url,
    id_str: id,
    entity_ids,
    end_time: job.end_time,
    country,
    placement,
    id: Number(id),
    expires_at: job.expires_at,
    account_id,
    status,
    granularity,
    entity,
    created_at: job.created_at,
    platform,
    updated_at: job.updated_at,
    metric_groups: job.metric_groups,
  });
}
