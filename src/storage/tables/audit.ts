import { sql } from 'kysely';
import type { Audit, AuditRecord } from '../../contract/store/audit.ts';
import type { Builder } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

const TABLE = 'audit_events';
const KEY = sql`(${sql.ref('at')}, ${sql.ref('id')})`;

/** The records for auditors. */
export function auditOn(session: Session): Audit {
  const { statements } = session;
  const rows = rowsOn(session, TABLE);
  return {
    async listRecords({ since, until, event, after, limit }) {
      const shape = `${TABLE} list ${[since && 'since', until && 'until', event && 'event', after && 'after']}`;
      const statement = statements.of(shape, (queries, argument) => {
        let chosen: Builder = queries.selectFrom(TABLE).selectAll();
        if (since) chosen = chosen.where('at', '>=', argument('since'));
        if (until) chosen = chosen.where('at', '<', argument('until'));
        if (event) chosen = chosen.where('event', '=', argument('event'));
        if (after) chosen = chosen.where(sql<boolean>`${KEY} < (${argument('after_at')}, ${argument('after_id')})`);
        return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(argument('limit'));
      });
      const found = await session.all(statement, {
        ...(since && { since }),
        ...(until && { until }),
        ...(event && { event }),
        ...(after && { after_at: after.at, after_id: after.id }),
        limit,
      } as Record<string, Value>);
      return found.map((row) => ({ ...row, targets: JSON.parse(row.targets) }));
    },
    async append(records) {
      for (const record of records) await rows.add(stored(record));
    },
    async end({ at, id, outcome, targets }) {
      const statement = statements.of(`${TABLE} end`, (queries, argument) =>
        queries
          .updateTable(TABLE)
          .set({ outcome: argument('outcome'), targets: argument('targets') })
          .where('at', '=', argument('at'))
          .where('id', '=', argument('id')),
      );
      await session.run(statement, { at, id, outcome, targets: JSON.stringify(targets) });
    },
    removeBefore(time, limit) {
      const statement = statements.of(`${TABLE} remove`, (queries, argument) => {
        const old = queries
          .selectFrom(TABLE)
          .select(['at', 'id'])
          .where('at', '<', argument('time'))
          .orderBy('at')
          .orderBy('id')
          .limit(argument('limit'));
        return queries.deleteFrom(TABLE).where(sql<boolean>`${KEY} in ${old}`);
      });
      return session.run(statement, { time, limit });
    },
  };
}

function stored(record: AuditRecord): object {
  return { ...record, targets: JSON.stringify(record.targets) };
}
