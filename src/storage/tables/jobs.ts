import { type Expression, type ExpressionBuilder, sql } from 'kysely';
import type { Job, Jobs } from '../../contract/store/jobs.ts';
import type { Database } from '../core/database.ts';
import { databaseTime } from '../core/database-time.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';

interface Key {
  readonly kind: string;
  readonly key: string;
}

type Leased = Pick<Job, 'kind' | 'key' | 'lease'>;
type JobsBuilder = ExpressionBuilder<Database, 'jobs'>;

/** Jobs. A leased job is not taken by another worker until the lease ends. @source decision 182, 183 */
export function jobsOn(session: Session): Jobs {
  const isJob = (param: Param<Key>) => (eb: JobsBuilder) =>
    eb.and([eb('kind', '=', param('kind')), eb('key', '=', param('key'))]);
  const isHeld = (param: Param<Key & { readonly lease: string }>) => (eb: JobsBuilder) =>
    eb.and([eb('kind', '=', param('kind')), eb('key', '=', param('key')), eb('lease', '=', param('lease'))]);
  const time = (plus_s: number | Expression<number>) => databaseTime(session.dialect, plus_s);
  /** Jobs are due by the clock of the service, and leased by that of the database. @source decision 750 */
  const isFree = (eb: JobsBuilder) =>
    eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', time(sql.lit(0)))]);
  const free = (db: Db, param: Param<{ readonly now: string }>) =>
    db.selectFrom('jobs').where('run_at', '<=', param('now')).where(isFree);
  /**
   * Whether a due job is of these kinds. Few jobs are due and many may wait: SQLite would read all of these kinds, unless
   * the plus keeps it from looking for the column.
   */
  const isOfKind = (kinds: readonly string[]) =>
    session.dialect === 'sqlite'
      ? sql<boolean>`+${sql.ref('kind')} in (${sql.join(kinds)})`
      : sql<boolean>`${sql.ref('kind')} in (${sql.join(kinds)})`;
  /** The primary key finds each: the table may be long. */
  const isOneOf = (size: number, param: Param<{ readonly jobs: readonly Leased[] }>) => (eb: JobsBuilder) =>
    eb.or(
      Array.from({ length: size }, (_, index) =>
        eb.and([
          eb('kind', '=', param.cell('jobs', index, 'kind')),
          eb('key', '=', param.cell('jobs', index, 'key')),
          eb('lease', '=', param.cell('jobs', index, 'lease')),
        ]),
      ),
    );
  /** The jobs whose lease is held: any, or only those that no other unit of work is changing, which are locked. */
  const held = async (jobs: readonly Job[], which: 'any' | 'free'): Promise<readonly Job[]> => {
    const rows = padded(jobs);
    if (rows.length === 0) return [];
    const found = await session.all(`jobs held ${which} ${rows.length}`, { jobs: rows }, (db, param) => {
      const leased = db.selectFrom('jobs').where(isOneOf(rows.length, param)).select(['kind', 'key', 'lease']);
      return which === 'free' ? leased.forUpdate().skipLocked() : leased;
    });
    return among(jobs, found);
  };
  const FREE = { lease: sql.lit(null), leased_until: sql.lit(null), node: sql.lit(null) };
  return {
    async plan({ kind, key, run_at }) {
      await session.run('jobs plan', { kind, key, run_at }, (db, param) =>
        db
          .insertInto('jobs')
          .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: param('run_at'),
              attempts: sql.lit(0),
              ...FREE,
            }),
          ),
      );
    },
    async planNoLaterThan({ kind, key, run_at }) {
      await session.run('jobs plan by', { kind, key, run_at }, (db, param) =>
        db
          .insertInto('jobs')
          .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: sql<string>`case when jobs.lease is null and excluded.run_at < jobs.run_at
                then excluded.run_at else jobs.run_at end`,
            }),
          ),
      );
    },
    async cancel(kind, key) {
      await session.run('jobs call off', { kind, key }, (db, param) => db.deleteFrom('jobs').where(isJob(param)));
    },
    async take({ kinds, now, lease, node, lease_s, max }) {
      if (kinds.length === 0) return [];
      const size = paddedSize(kinds.length);
      const taken: Job[] = [];
      for (const { kind, key, run_at, attempts } of await session.all(
        `jobs due ${size}`,
        { now, max, kinds },
        (db, param) => {
          const due = free(db, param)
            .where(isOfKind(param.list('kinds', size)))
            .selectAll()
            .orderBy('run_at')
            .orderBy('kind')
            .orderBy('key');
          const first = due.limit(param('max'));
          return session.dialect === 'postgres' ? first.forUpdate().skipLocked() : first;
        },
      )) {
        await session.run('jobs take', { lease, node, lease_s, kind, key }, (db, param) =>
          db
            .updateTable('jobs')
            .set({
              lease: param('lease'),
              node: param('node'),
              leased_until: time(param('lease_s')),
              attempts: sql<number>`attempts + 1`,
            })
            .where(isJob(param)),
        );
        taken.push({ kind, key, run_at, lease, attempts: attempts + 1 });
      }
      return taken;
    },
    // False if the lease was lost: the caller's unit of work must then not be stored. @source decision 183
    async finish({ kind, key, lease }) {
      return (
        (await session.run('jobs finish', { kind, key, lease }, (db, param) =>
          db.deleteFrom('jobs').where(isHeld(param)),
        )) === 1
      );
    },
    async release({ kind, key, lease }, run_at) {
      await session.run('jobs give back', { kind, key, lease, run_at }, (db, param) =>
        db
          .updateTable('jobs')
          .set({ run_at: param('run_at'), ...FREE })
          .where(isHeld(param)),
      );
    },
    // @source decision 289, 752
    releaseOrphaned: () =>
      session.run('jobs free orphaned', {}, (db) =>
        db.updateTable('jobs').set(FREE).where('lease', 'is not', null).where(isOrphaned('jobs')),
      ),
    async releaseLease(lease) {
      await session.run('jobs free lease', { lease }, (db, param) =>
        db.updateTable('jobs').set(FREE).where('lease', '=', param('lease')),
      );
    },
    async renew(jobs, lease_s) {
      // Heartbeats use the same connection: it must wait for no unit of work. @source decision 801
      const free = session.dialect === 'postgres' ? await held(jobs, 'free') : jobs;
      const rows = padded(free);
      if (rows.length === 0) return { renewed: [], changing: await held(jobs, 'any') };
      const found = await session.all(`jobs renew ${rows.length}`, { lease_s, jobs: rows }, (db, param) =>
        db
          .updateTable('jobs')
          .set({ leased_until: time(param('lease_s')) })
          .where(isOneOf(rows.length, param))
          .returning(['kind', 'key', 'lease']),
      );
      const renewed = among(jobs, found);
      if (session.dialect === 'sqlite' || renewed.length === jobs.length) return { renewed, changing: [] };
      const others = jobs.filter((job) => !renewed.includes(job));
      return { renewed, changing: await held(others, 'any') };
    },
    // Run when the clock was set back. @source decision 612
    async bringForward(kinds, now, after) {
      if (kinds.length === 0) return 0;
      const size = paddedSize(kinds.length);
      return session.run(`jobs bring forward ${size}`, { now, after, kinds }, (db, param) =>
        db
          .updateTable('jobs')
          .set({ run_at: param('now') })
          .where((eb) => inList(eb, 'kind', param.list('kinds', size)))
          .where('run_at', '>', param('after'))
          .where('lease', 'is', null),
      );
    },
    async hasDue(kinds, now) {
      if (kinds.length === 0) return false;
      const size = paddedSize(kinds.length);
      const found = await session.first(`jobs has due ${size}`, { now, kinds }, (db, param) =>
        free(db, param)
          .where(isOfKind(param.list('kinds', size)))
          .select('kind')
          .limit(sql.lit(1)),
      );
      return found !== undefined;
    },
    async findNext(kinds) {
      if (kinds.length === 0) return undefined;
      const size = paddedSize(kinds.length);
      return session.first(`jobs next ${size}`, { kinds }, (db, param) =>
        db
          .selectFrom('jobs')
          .where(isFree)
          .where(isOfKind(param.list('kinds', size)))
          .select(['kind', 'key', 'run_at'])
          .orderBy('run_at')
          .orderBy('kind')
          .orderBy('key')
          .limit(sql.lit(1)),
      );
    },
    async listBacklogs(now) {
      return (
        await session.all('jobs backlogs', { now }, (db, param) =>
          db
            .selectFrom('jobs')
            .where('run_at', '<=', param('now'))
            .groupBy('kind')
            .select(['kind', sql<number>`count(*)`.as('count'), sql<string>`min(run_at)`.as('since')]),
        )
      ).map(({ kind, count, since }) => ({
        kind,
        count: Number(count),
        since,
      }));
    },
    async find(kind, key) {
      return (
        await session.first('jobs find', { kind, key }, (db, param) =>
          db.selectFrom('jobs').select('run_at').where(isJob(param)),
        )
      )?.run_at;
    },
  };
}

const idOf = ({ kind, key, lease }: Key & { readonly lease: string | null }): string =>
  JSON.stringify([kind, key, lease]);

/** Those of the jobs that were found. */
function among(jobs: readonly Job[], found: readonly (Key & { readonly lease: string | null })[]): Job[] {
  const ids = new Set(found.map(idOf));
  return jobs.filter((job) => ids.has(idOf(job)));
}

/** Leases as arguments, with the first one repeated up to one of a few lengths. */
function padded(jobs: readonly Job[]): Leased[] {
  if (jobs.length === 0) return [];
  return Array.from({ length: paddedSize(jobs.length) }, (_, index) => {
    const { kind, key, lease } = jobs[index] ?? jobs[0]!;
    return { kind, key, lease };
  });
}
