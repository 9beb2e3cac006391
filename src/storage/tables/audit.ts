import { sql } from 'kysely';
import type { Audit, AuditRecord } from '../../contract/store/audit.ts';
import type { Builder } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

const TABLE = 'audit_events';
const KEY = sql`(${sql.ref('at')}, ${sql.ref('id')})`;

/** The records for auditors. */
export function auditOn(session: Session): Audit {
  const { statements } = session;
  const rows = tableRows(session, TABLE);
  return {
    async listRecords({ since, until, event, after, limit }) {
      const shape = `${TABLE} list ${[since && 'since', until && 'until', event && 'event', after && 'after']}`;
      const statement = statements.cached(shape, (db, param) => {
        let chosen: Builder = db.selectFrom(TABLE).selectAll();
        if (since) chosen = chosen.where('at', '>=', param('since'));
        if (until) chosen = chosen.where('at', '<', param('until'));
        if (event) chosen = chosen.where('event', '=', param('event'));
        if (after) chosen = chosen.where(sql<boolean>`${KEY} < (${param('after_at')}, ${param('after_id')})`);
        return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(param('limit'));
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
      for (const record of records) await rows.insert(stored(record));
    },
    async end({ at, id, outcome, targets }) {
      const statement = statements.cached(`${TABLE} end`, (db, param) =>
        db
          .updateTable(TABLE)
          .set({ outcome: param('outcome'), targets: param('targets') })
          .where('at', '=', param('at'))
          .where('id', '=', param('id')),
      );
      await session.run(statement, { at, id, outcome, targets: JSON.stringify(targets) });
    },
    removeBefore(time, limit) {
      const statement = statements.cached(`${TABLE} remove`, (db, param) => {
        const old = db
          .selectFrom(TABLE)
          .select(['at', 'id'])
          .where('at', '<', param('time'))
          .orderBy('at')
          .orderBy('id')
          .limit(param('limit'));
        return db.deleteFrom(TABLE).where(sql<boolean>`${KEY} in ${old}`);
      });
      return session.run(statement, { time, limit });
    },
  };
}

function stored(record: AuditRecord): object {
  return { ...record, targets: JSON.stringify(record.targets) };
}
