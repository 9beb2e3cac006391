import { sql } from 'kysely';
import type { ApplicationUsage } from '../../contract/store/application-usage.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';

const KEY = ['application_id', 'hour', 'operation', 'status', 'problem'] as const;

/** The calls of applications by hour. */
export function applicationUsageOn(session: Session): ApplicationUsage {
  return {
    async add(counts) {
      // In the order of the key: two servers that add at the same time must not wait for each other in a circle.
      for (const count of counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
        await session.run('application usage add', { ...count }, (db, param) =>
          db
            .insertInto('application_usage')
            .values({
              application_id: param('application_id'),
              hour: param('hour'),
              operation: param('operation'),
              status: param('status'),
              problem: param('problem'),
              calls: param('calls'),
            })
            .onConflict((conflict) =>
              conflict.columns([...KEY]).doUpdateSet({
                calls: sql<number>`${sql.ref('application_usage.calls')} + ${sql.ref('excluded.calls')}`,
              }),
            ),
        );
      }
    },
    async listSince(applications, hour, limit) {
      if (applications.length === 0) return [];
      const size = paddedSize(applications.length);
      const rows = await session.all(`application usage ${size}`, { applications, hour, limit }, (db, param) =>
        db
          .selectFrom('application_usage')
          .select(['application_id', 'operation', 'status', 'problem'])
          .select(({ fn }) => fn.sum<number>('calls').as('calls'))
          .where((eb) => inList(eb, 'application_id', param.list('applications', size)))
          .where('hour', '>=', param('hour'))
          .groupBy(['application_id', 'operation', 'status', 'problem'])
          .orderBy('calls', 'desc')
          .orderBy('application_id')
          .orderBy('operation')
          .orderBy('status')
          .orderBy('problem')
          .limit(param('limit')),
      );
      // PostgreSQL adds up to more than a number has room for, as text.
      return rows.map((row) => ({ ...row, calls: Number(row.calls) }));
    },
    removeBefore: (hour, max) =>
      removeOldest(session, { table: 'application_usage', key: KEY, time: 'hour' }, hour, max),
  };
}

const keyOf = (count: { readonly [name in (typeof KEY)[number]]: string | number }): string =>
  KEY.map((name) => count[name]).join(' ');
