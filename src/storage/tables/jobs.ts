import { sql } from 'kysely';
import type { Job, Jobs } from '../../contract/store/jobs.ts';
import { type Builder, bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Param, QueryBuilder, Value } from '../core/statements.ts';

/** Work for later. Nobody takes what another has taken, until that lease ends. */
export function jobsOn(session: Session): Jobs {
  const { statements } = session;
  const ofKey = (query: Builder, param: Param) =>
    query.where('kind', '=', param('kind')).where('key', '=', param('key'));
  const ours = (query: Builder, param: Param) => ofKey(query, param).where('lease', '=', param('lease'));
  const free = (db: QueryBuilder, param: Param): Builder =>
    db
      .selectFrom('jobs')
      .where('run_at', '<=', param('now'))
      .where((eb: Builder) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', param('now'))]));
  return {
    async plan({ kind, key, run_at }) {
      const statement = statements.cached('jobs plan', (db, param) =>
        db
          .insertInto('jobs')
          .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict: Builder) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: param('run_at'),
              attempts: sql.lit(0),
              lease: sql.lit(null),
              leased_until: sql.lit(null),
            }),
          ),
      );
      await session.run(statement, { kind, key, run_at });
    },
    async planNoLaterThan({ kind, key, run_at }) {
      const statement = statements.cached('jobs plan by', (db, param) =>
        db
          .insertInto('jobs')
          .values({ kind: param('kind'), key: param('key'), run_at: param('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict: Builder) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: sql`case when jobs.lease is null and excluded.run_at < jobs.run_at
                then excluded.run_at else jobs.run_at end`,
            }),
          ),
      );
      await session.run(statement, { kind, key, run_at });
    },
    async cancel(kind, key) {
      const statement = statements.cached('jobs call off', (db, param) => ofKey(db.deleteFrom('jobs'), param));
      await session.run(statement, { kind, key });
    },
    async take({ kinds, now, until, lease, max }) {
      if (kinds.length === 0) return [];
      const size = paddedSize(kinds.length);
      const find = statements.cached(`jobs due ${size}`, (db, param) => {
        const due = whereIn(free(db, param), 'kind', size, param)
          .selectAll()
          .orderBy('run_at')
          .orderBy('kind')
          .orderBy('key');
        const first = due.limit(param('max'));
        return statements.dialect === 'postgres' ? first.forUpdate().skipLocked() : first;
      });
      const take = statements.cached('jobs take', (db, param) =>
        ofKey(
          db
            .updateTable('jobs')
            .set({ lease: param('lease'), leased_until: param('until'), attempts: sql`attempts + 1` }),
          param,
        ),
      );
      const args: Record<string, Value> = { now, max };
      bindList(args, 'kind', kinds, size);
      const taken: Job[] = [];
      for (const { kind, key, run_at, attempts } of await session.all(find, args)) {
        await session.run(take, { lease, until, kind, key });
        taken.push({ kind, key, run_at, lease, attempts: attempts + 1 });
      }
      return taken;
    },
    async finish({ kind, key, lease }) {
      const statement = statements.cached('jobs finish', (db, param) => ours(db.deleteFrom('jobs'), param));
      return (await session.run(statement, { kind, key, lease })) === 1;
    },
    async release({ kind, key, lease }, run_at) {
      const statement = statements.cached('jobs give back', (db, param) =>
        ours(
          db.updateTable('jobs').set({ run_at: param('run_at'), lease: sql.lit(null), leased_until: sql.lit(null) }),
          param,
        ),
      );
      await session.run(statement, { kind, key, lease, run_at });
    },
    async releaseAll() {
      const statement = statements.cached('jobs free', (db) =>
        db
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', 'is not', null),
      );
      await session.run(statement, {});
    },
    async releaseLease(lease) {
      const statement = statements.cached('jobs free lease', (db, param) =>
        db
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', '=', param('lease')),
      );
      await session.run(statement, { lease });
    },
    async renew(lease, until) {
      const statement = statements.cached('jobs renew', (db, param) =>
        db
          .updateTable('jobs')
          .set({ leased_until: param('until') })
          .where('lease', '=', param('lease')),
      );
      await session.run(statement, { lease, until });
    },
    async bringForward(kinds, now, after) {
      if (kinds.length === 0) return 0;
      const size = paddedSize(kinds.length);
      const statement = statements.cached(`jobs bring forward ${size}`, (db, param) =>
        whereIn(db.updateTable('jobs').set({ run_at: param('now') }), 'kind', size, param)
          .where('run_at', '>', param('after'))
          .where('lease', 'is', null),
      );
      const args: Record<string, Value> = { now, after };
      bindList(args, 'kind', kinds, size);
      return session.run(statement, args);
    },
    async findNext(kinds) {
      if (kinds.length === 0) return undefined;
      const size = paddedSize(kinds.length);
      // A job that was taken is due again when its lease ends.
      const statement = statements.cached(`jobs next ${size}`, (db, param) =>
        whereIn(db.selectFrom('jobs'), 'kind', size, param).select(sql`min(coalesce(leased_until, run_at))`.as('next')),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'kind', kinds, size);
      return (await session.all(statement, args))[0]?.next ?? undefined;
    },
    async listBacklogs(now) {
      const statement = statements.cached('jobs backlogs', (db, param) =>
        db
          .selectFrom('jobs')
          .where('run_at', '<=', param('now'))
          .groupBy('kind')
          .select(['kind', sql`count(*)`.as('count'), sql`min(run_at)`.as('since')]),
      );
      return (await session.all(statement, { now })).map(({ kind, count, since }) => ({
        kind,
        count: Number(count),
        since,
      }));
    },
    async find(kind, key) {
      const statement = statements.cached('jobs find', (db, param) =>
        ofKey(db.selectFrom('jobs').select('run_at'), param),
      );
      return (await session.all(statement, { kind, key }))[0]?.run_at;
    },
  };
}
