import { encodeCursor } from '../../../base/cursor.ts';
import { Type } from '../../../base/json-schema.ts';
import { id, integer, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { Call, Operation } from '../../../contract/declare/operation.ts';
import { cursorParameter, readTimeCursor } from '../time-cursor.ts';
import { JOB_LIMIT_HEADERS, jobLimitHeaders, statsJobJson } from './stats-job-json.ts';
import { ORGANIC, STATS_AND_ORGANIC_READERS } from './stats-parameters.ts';
import { statsJobSchema } from './stats-schemas.ts';

const IDS_MAX = 200;
const COUNT = { preset: 200, max: 1000 };

/** The jobs of an account, newest first. @source analytics 8 */
export const listStatsJobs: Operation = {
  id: 'stats_jobs.list',
  method: 'GET',
  path: '/12/stats/jobs/accounts/:account_id',
  description: 'List jobs and where their files are, newest first. Jobs are kept for 30 days, files for 48 hours.',
  group: 'stats_jobs',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  rate: 'reads',
  parameters: {
    job_ids: listOf(id(), { max: IDS_MAX }).describe('Only these ids.'),
    count: integer({ min: 1, max: COUNT.max }).describe(`Page size; default ${COUNT.preset}.`),
    cursor: cursorParameter,
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(statsJobSchema),
  replyHeaders: JOB_LIMIT_HEADERS,
  problems: ['CURSOR_INVALID'],
  async perform(call) {
    const { services, account, environment, input, now } = call;
    const count = Number(input.count ?? COUNT.preset);
    const query = {
      account: account!.id,
      ids: input.job_ids == null ? undefined : itemsOf(String(input.job_ids)),
      entity: visibleEntity(call),
    };
    const list = JSON.stringify(query);
    const after = readTimeCursor(input.cursor, list);
    const { found, unfinished } = await services.store.read(async (tx) => ({
      found: await tx.statsJobs.page({ ...query, after, limit: count + 1 }),
      unfinished: await tx.statsJobs.findUnfinishedCount(account!.id),
    }));
    const jobs = found.slice(0, count);
    const last = found.length > count ? jobs.at(-1) : undefined;
    return {
      data: `[${jobs.map((job) => statsJobJson(job, { services, environment, now })).join(',')}]`,
      nextCursor: last ? encodeCursor({ after: [last.created_at, last.id] }, list) : null,
      headers: jobLimitHeaders(unfinished),
    };
  },
};

/** The only kind of entity whose jobs the caller sees; undefined for all. @source decision 959 */
export function visibleEntity({ role }: Pick<Call, 'role'>): string | undefined {
  return role === 'ANALYST' ? ORGANIC : undefined;
}
