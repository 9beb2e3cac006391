import { type Selectable, sql } from 'kysely';
import type { StatsJob, StatsJobs } from '../../contract/store/stats-jobs.ts';
import type { Database } from '../core/database.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows, updateRows } from '../core/table-rows.ts';

/** A job as the port declares it. */
function jobOf(row: Selectable<Database['stats_jobs']>): StatsJob {
  return {
    ...row,
    status: row.status as StatsJob['status'],
    entity_ids: JSON.parse(row.entity_ids) as string[],
    metric_groups: JSON.parse(row.metric_groups) as string[],
  };
}

/** Jobs for statistics. */
export function statsJobsOn(session: Session): StatsJobs {
  const table = tableRows(session, 'stats_jobs');
  return {
    async add(job) {
      const [entity_ids, metric_groups] = [JSON.stringify(job.entity_ids), JSON.stringify(job.metric_groups)];
      await table.insert({ ...job, entity_ids, metric_groups });
    },
    async find(account, id) {
      const row = await session.first('stats job', { account, id }, (db, param) =>
        db
          .selectFrom('stats_jobs')
          .selectAll()
          .where('account_id', '=', param('account'))
          .where('id', '=', param('id')),
      );
      return row && jobOf(row);
    },
    async findByFileName(name) {
      const row = await table.find('file_name', name);
      return row && jobOf(row);
    },
    async page({ account, ids, entity, after, limit }) {
      if (ids?.length === 0) return [];
      const size = ids ? paddedSize(ids.length) : 0;
      const [time = '', id = ''] = after ?? [];
      const args = { account, ids: ids ?? [], entity: entity ?? '', time, id, limit };
      const rows = await session.all(
        `stats jobs ${size} ${entity !== undefined} ${after !== undefined}`,
        args,
        (db, param) => {
          let chosen = db.selectFrom('stats_jobs').selectAll().where('account_id', '=', param('account'));
          if (size > 0) chosen = chosen.where((eb) => inList(eb, 'id', param.list('ids', size)));
          if (entity !== undefined) chosen = chosen.where('entity', '=', param('entity'));
          if (after) {
            const last = sql`(${sql.ref('created_at')}, ${sql.ref('id')})`;
            chosen = chosen.where(sql<boolean>`${last} < (${param('time')}, ${param('id')})`);
          }
          return chosen.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(param('limit'));
        },
      );
      return rows.map(jobOf);
    },
    async countUnfinished(account) {
      const found = await session.first('stats jobs unfinished', { account }, (db, param) =>
        db
          .selectFrom('stats_jobs')
          .select(({ fn }) => fn.countAll<number>().as('total'))
          .where('account_id', '=', param('account'))
          .where('status', '=', 'PROCESSING'),
      );
      return Number(found?.total ?? 0);
    },
    async change({ account_id, id, status }, changes) {
      return (await updateRows(session, 'stats_jobs', changes, { account_id, id, status })) === 1;
    },
    async listNamedKeys(keys) {
      if (keys.length === 0) return [];
      const size = paddedSize(keys.length);
      const rows = await session.all(`stats jobs keys ${size}`, { keys }, (db, param) =>
        db
          .selectFrom('stats_jobs')
          .select('object_key')
          .where((eb) => inList(eb, 'object_key', param.list('keys', size))),
      );
      return rows.flatMap(({ object_key }) => object_key ?? []);
    },
    removeBefore: (created_at, max) =>
      removeOldest(session, { table: 'stats_jobs', key: ['account_id', 'id'], time: 'created_at' }, created_at, max),
  };
}
