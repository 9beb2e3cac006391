import type { Operation } from '../../../contract/declare/operation.ts';
import { jobKeyOf } from '../../../contract/declare/resource.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { StatsJob } from '../../../contract/store/stats-jobs.ts';
import { checkId } from '../../../rows/keys.ts';
import { visibleEntity } from './list-stats-jobs.ts';
import { STATS_JOB } from './stats-job.ts';
import { statsJobJson } from './stats-job-json.ts';
import { STATS_AND_ORGANIC_READERS } from './stats-parameters.ts';
import { statsJobSchema } from './stats-schemas.ts';

/** Cancels a job that has not ended; its place is free at once. @source analytics 4 and 8 */
export const cancelStatsJob: Operation = {
  id: 'stats_jobs.remove',
  method: 'DELETE',
  path: '/12/stats/jobs/accounts/:account_id/:job_id',
  description: 'Cancel a job that has not ended.',
  group: 'stats_jobs',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  rate: 'writes',
  parameters: {},
  body: 'form',
  shape: 'one',
  reply: statsJobSchema,
  problems: ['NOT_FOUND', 'ID_ILLEGAL', 'INVALID'],
  async perform(call) {
    const { services, account, environment, path, now } = call;
    const id = path.job_id!;
    checkId(id, 'job_id', 'Job');
    const visible = visibleEntity(call);
    const cancelled = await services.store.write(async (tx): Promise<StatsJob> => {
      const job = await tx.statsJobs.find(account!.id, id);
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
    return { data: statsJobJson(cancelled, { services, environment, now }) };
  },
};
