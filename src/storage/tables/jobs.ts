import { type ExpressionBuilder, sql } from 'kysely';
import type { Job, Jobs } from '../../contract/store/jobs.ts';
import type { Database } from '../core/database.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';

interface Key {
  readonly kind: string;
  readonly key: string;
}

type JobsBuilder = ExpressionBuilder<Database, 'jobs'>;

/** Jobs. A leased job is not taken by another worker until the lease ends. @source decision 182, 183 */
export function jobsOn(session: Session): Jobs {
  const isJob = (param: Param<Key>) => (eb: JobsBuilder) =>
    eb.and([eb('kind', '=', param('kind')), eb('key', '=', param('key'))]);
  const isHeld = (param: Param<Key & { readonly lease: string }>) => (eb: JobsBuilder) =>
    eb.and([eb('kind', '=', param('kind')), eb('key', '=', param('key')), eb('lease', '=', param('lease'))]);
  const free = (db: Db, param: Param<{ readonly now: string }>) =>
    db
      .selectFrom('jobs')
      .where('run_at', '<=', param('now'))
      .where((eb) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', param('now'))]));
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
              lease: sql.lit(null),
              leased_until: sql.lit(null),
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
    async take({ kinds, now, until, lease, max }) {
      if (kinds.length === 0) return [];
      const size = paddedSize(kinds.length);
      const taken: Job[] = [];
      for (const { kind, key, run_at, attempts } of await session.all(
        `jobs due ${size}`,
        { now, max, kinds },
        (db, param) => {
          const due = free(db, param)
            .where((eb) => inList(eb, 'kind', param.list('kinds', size)))
            .selectAll()
            .orderBy('run_at')
            .orderBy('kind')
            .orderBy('key');
          const first = due.limit(param('max'));
          return session.dialect === 'postgres' ? first.forUpdate().skipLocked() : first;
        },
      )) {
        await session.run('jobs take', { lease, until, kind, key }, (db, param) =>
          db
            .updateTable('jobs')
            .set({ lease: param('lease'), leased_until: param('until'), attempts: sql<number>`attempts + 1` })
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
          .set({ run_at: param('run_at'), lease: sql.lit(null), leased_until: sql.lit(null) })
          .where(isHeld(param)),
      );
    },
    // Run when a server starts: no other process can hold a lease then. @source decision 289
    async releaseAll() {
      await session.run('jobs free', {}, (db) =>
        db
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', 'is not', null),
      );
    },
    async releaseLease(lease) {
      await session.run('jobs free lease', { lease }, (db, param) =>
        db
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', '=', param('lease')),
      );
    },
    async renew(lease, until) {
      await session.run('jobs renew', { lease, until }, (db, param) =>
        db
          .updateTable('jobs')
          .set({ leased_until: param('until') })
          .where('lease', '=', param('lease')),
      );
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
    async findNext(kinds) {
      if (kinds.length === 0) return undefined;
      const size = paddedSize(kinds.length);
      return (
        (
          await session.first(`jobs next ${size}`, { kinds }, (db, param) =>
            db
              .selectFrom('jobs')
              .where((eb) => inList(eb, 'kind', param.list('kinds', size)))
              .select(sql<string | null>`min(coalesce(leased_until, run_at))`.as('next')),
          )
        )?.next ?? undefined
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
