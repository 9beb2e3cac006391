import { sql } from 'kysely';
import type { Job, Jobs } from '../../contract/store/jobs.ts';
import { addValues, among, type Builder, sizeFor } from '../core/lists.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Queries, Value } from '../core/statements.ts';

/** Work for later. Nobody takes what another has taken, until that lease ends. */
export function jobsOn(session: Session): Jobs {
  const { statements } = session;
  const ofKey = (query: Builder, argument: Argument) =>
    query.where('kind', '=', argument('kind')).where('key', '=', argument('key'));
  const ours = (query: Builder, argument: Argument) => ofKey(query, argument).where('lease', '=', argument('lease'));
  const free = (queries: Queries, argument: Argument): Builder =>
    queries
      .selectFrom('jobs')
      .where('run_at', '<=', argument('now'))
      .where((eb: Builder) => eb.or([eb('leased_until', 'is', null), eb('leased_until', '<=', argument('now'))]));
  return {
    async plan({ kind, key, run_at }) {
      const statement = statements.of('jobs plan', (queries, argument) =>
        queries
          .insertInto('jobs')
          .values({ kind: argument('kind'), key: argument('key'), run_at: argument('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict: Builder) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: argument('run_at'),
              attempts: sql.lit(0),
              lease: sql.lit(null),
              leased_until: sql.lit(null),
            }),
          ),
      );
      await session.run(statement, { kind, key, run_at });
    },
    async planBy({ kind, key, run_at }) {
      const statement = statements.of('jobs plan by', (queries, argument) =>
        queries
          .insertInto('jobs')
          .values({ kind: argument('kind'), key: argument('key'), run_at: argument('run_at'), attempts: sql.lit(0) })
          .onConflict((conflict: Builder) =>
            conflict.columns(['kind', 'key']).doUpdateSet({
              run_at: sql`case when jobs.lease is null and excluded.run_at < jobs.run_at
                then excluded.run_at else jobs.run_at end`,
            }),
          ),
      );
      await session.run(statement, { kind, key, run_at });
    },
    async callOff(kind, key) {
      const statement = statements.of('jobs call off', (queries, argument) =>
        ofKey(queries.deleteFrom('jobs'), argument),
      );
      await session.run(statement, { kind, key });
    },
    async take({ kinds, now, until, lease, max }) {
      if (kinds.length === 0) return [];
      const size = sizeFor(kinds.length);
      const find = statements.of(`jobs due ${size}`, (queries, argument) => {
        const due = among(free(queries, argument), 'kind', size, argument)
          .selectAll()
          .orderBy('run_at')
          .orderBy('kind')
          .orderBy('key');
        const first = due.limit(argument('max'));
        return statements.engine === 'postgres' ? first.forUpdate().skipLocked() : first;
      });
      const take = statements.of('jobs take', (queries, argument) =>
        ofKey(
          queries
            .updateTable('jobs')
            .set({ lease: argument('lease'), leased_until: argument('until'), attempts: sql`attempts + 1` }),
          argument,
        ),
      );
      const args: Record<string, Value> = { now, max };
      addValues(args, 'kind', kinds, size);
      const taken: Job[] = [];
      for (const { kind, key, run_at, attempts } of await session.all(find, args)) {
        await session.run(take, { lease, until, kind, key });
        taken.push({ kind, key, run_at, lease, attempts: attempts + 1 });
      }
      return taken;
    },
    async finish({ kind, key, lease }) {
      const statement = statements.of('jobs finish', (queries, argument) => ours(queries.deleteFrom('jobs'), argument));
      return (await session.run(statement, { kind, key, lease })) === 1;
    },
    async giveBack({ kind, key, lease }, run_at) {
      const statement = statements.of('jobs give back', (queries, argument) =>
        ours(
          queries
            .updateTable('jobs')
            .set({ run_at: argument('run_at'), lease: sql.lit(null), leased_until: sql.lit(null) }),
          argument,
        ),
      );
      await session.run(statement, { kind, key, lease, run_at });
    },
    async freeAll() {
      const statement = statements.of('jobs free', (queries) =>
        queries
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', 'is not', null),
      );
      await session.run(statement, {});
    },
    async free(lease) {
      const statement = statements.of('jobs free lease', (queries, argument) =>
        queries
          .updateTable('jobs')
          .set({ lease: sql.lit(null), leased_until: sql.lit(null) })
          .where('lease', '=', argument('lease')),
      );
      await session.run(statement, { lease });
    },
    async renew(lease, until) {
      const statement = statements.of('jobs renew', (queries, argument) =>
        queries
          .updateTable('jobs')
          .set({ leased_until: argument('until') })
          .where('lease', '=', argument('lease')),
      );
      await session.run(statement, { lease, until });
    },
    async bringForward(kinds, now, after) {
      if (kinds.length === 0) return 0;
      const size = sizeFor(kinds.length);
      const statement = statements.of(`jobs bring forward ${size}`, (queries, argument) =>
        among(queries.updateTable('jobs').set({ run_at: argument('now') }), 'kind', size, argument)
          .where('run_at', '>', argument('after'))
          .where('lease', 'is', null),
      );
      const args: Record<string, Value> = { now, after };
      addValues(args, 'kind', kinds, size);
      return session.run(statement, args);
    },
    async findNext(kinds) {
      if (kinds.length === 0) return undefined;
      const size = sizeFor(kinds.length);
      // A job that was taken is due again when its lease ends.
      const statement = statements.of(`jobs next ${size}`, (queries, argument) =>
        among(queries.selectFrom('jobs'), 'kind', size, argument).select(
          sql`min(coalesce(leased_until, run_at))`.as('next'),
        ),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'kind', kinds, size);
      return (await session.all(statement, args))[0]?.next ?? undefined;
    },
    async listBacklogs(now) {
      const statement = statements.of('jobs backlogs', (queries, argument) =>
        queries
          .selectFrom('jobs')
          .where('run_at', '<=', argument('now'))
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
      const statement = statements.of('jobs find', (queries, argument) =>
        ofKey(queries.selectFrom('jobs').select('run_at'), argument),
      );
      return (await session.all(statement, { kind, key }))[0]?.run_at;
    },
  };
}
