import { type Selectable, sql } from 'kysely';
import type { StatsJob } from '../../contract/store/stats-jobs.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Database } from '../core/database.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { Table } from '../core/table.ts';
import { findRow, updateRows } from '../core/table-rows.ts';

/** A job as the port declares it. */
function jobOf(row: Selectable<Database['stats_jobs']>): StatsJob {
  return {
    ...row,
    entity_ids: JSON.parse(row.entity_ids) as string[],
    metric_groups: JSON.parse(row.metric_groups) as string[],
  };
}

/** A page of the jobs of an account, newest first. */
interface StatsJobQuery {
  readonly account: string;
  /** Only these. */
  readonly ids: readonly string[] | undefined;
  /** Only those about this kind of entity. */
  readonly entity?: string | undefined;
  /** Time and id of the last job of the previous page. */
  readonly after: readonly [created_at: string, id: string] | undefined;
  readonly limit: number;
}

/** The jobs for statistics of all accounts. */
export class StatsJobs extends Table {
  async add(job: StatsJob) {
    const [entity_ids, metric_groups] = [JSON.stringify(job.entity_ids), JSON.stringify(job.metric_groups)];
    await insertRows(this.session, 'stats_jobs', [{ ...job, entity_ids, metric_groups }]);
  }

  async find(account: string, id: string): Promise<StatsJob | undefined> {
    const row = await findRow(this.session, 'stats_jobs', { account_id: account, id });
    return row && jobOf(row);
  }

  async findByFileName(name: string): Promise<StatsJob | undefined> {
    const row = await findRow(this.session, 'stats_jobs', { file_name: name });
    return row && jobOf(row);
  }

  async page({ account, ids, entity, after, limit }: StatsJobQuery): Promise<StatsJob[]> {
    if (ids?.length === 0) return [];
    const size = ids ? paddedSize(ids.length) : 0;
    const [time = '', id = ''] = after ?? [];
    const args = { account, ids: ids ?? [], entity: entity ?? '', time, id, limit };
    const rows = await this.session.all(
      `stats jobs ${[ids && `${size} ids`, entity && 'entity', after && 'after']}`,
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
  }

  /** How many jobs of an account have not ended. */
  async findUnfinishedCount(account: string) {
    const found = await this.session.first('stats jobs unfinished', { account }, (db, param) =>
      db
        .selectFrom('stats_jobs')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .where('account_id', '=', param('account'))
        .where('status', '=', 'PROCESSING'),
    );
    return Number(found?.total ?? 0);
  }

  /** Changes a job that has a status; returns whether there is one. */
  async change(
    { account_id, id, status }: Pick<StatsJob, 'account_id' | 'id' | 'status'>,
    changes: Partial<Pick<StatsJob, 'status' | 'file_name' | 'object_key' | 'expires_at' | 'updated_at'>>,
  ) {
    return (await updateRows(this.session, 'stats_jobs', changes, { account_id, id, status })) === 1;
  }

  /** Those of these keys of objects that a job names. */
  async listNamedKeys(keys: readonly string[]) {
    const rows = await allListed(this.session, 'stats jobs keys', keys, {}, (db, keys) =>
      db
        .selectFrom('stats_jobs')
        .select('object_key')
        .where((eb) => inList(eb, 'object_key', keys)),
    );
    return rows.flatMap(({ object_key }) => object_key ?? []);
  }
}
