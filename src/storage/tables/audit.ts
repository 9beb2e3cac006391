import { sql } from 'kysely';
import type { Audit, AuditRecord } from '../../contract/store/audit.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

const TABLE = 'audit_events';
const KEY = sql`(${sql.ref('at')}, ${sql.ref('id')})`;

/** Audit records. @source decision 590 */
export function auditOn(session: Session): Audit {
  const rows = tableRows(session, TABLE);
  return {
    async listRecords({ since, until, event, after, limit }) {
      const shape = `${TABLE} list ${[since && 'since', until && 'until', event && 'event', after && 'after']}`;
      const found = await session.all(
        shape,
        {
          ...(since && { since }),
          ...(until && { until }),
          ...(event && { event }),
          ...(after && { after_at: after.at, after_id: after.id }),
          limit,
        },
        (db, param) => {
          let chosen = db.selectFrom(TABLE).selectAll();
          if (since) chosen = chosen.where('at', '>=', param('since'));
          if (until) chosen = chosen.where('at', '<', param('until'));
          if (event) chosen = chosen.where('event', '=', param('event'));
          if (after) chosen = chosen.where(sql<boolean>`${KEY} < (${param('after_at')}, ${param('after_id')})`);
          return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(param('limit'));
        },
      );
      return found.map((row) => ({ ...row, targets: JSON.parse(row.targets) }));
    },
    async append(records) {
      for (const record of records) await rows.insert(stored(record));
    },
    async end({ at, id, outcome, targets }) {
      await session.run(`${TABLE} end`, { at, id, outcome, targets: JSON.stringify(targets) }, (db, param) =>
        db
          .updateTable(TABLE)
          .set({ outcome: param('outcome'), targets: param('targets') })
          .where('at', '=', param('at'))
          .where('id', '=', param('id')),
      );
    },
    removeBefore(time, limit) {
      return session.run(`${TABLE} remove`, { time, limit }, (db, param) => {
        const old = db
          .selectFrom(TABLE)
          .select(['at', 'id'])
          .where('at', '<', param('time'))
          .orderBy('at')
          .orderBy('id')
          .limit(param('limit'));
        return db.deleteFrom(TABLE).where(sql<boolean>`${KEY} in ${old}`);
      });
    },
  };
}

function stored(record: AuditRecord) {
  return { ...record, targets: JSON.stringify(record.targets) };
}
