import { sql } from 'kysely';
import type { Audit, AuditRecord } from '../../contract/store/audit.ts';
import { removeOldest } from '../core/remove-oldest.ts';
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
    removeBefore: (time, limit) => removeOldest(session, { table: TABLE, key: ['at', 'id'], time: 'at' }, time, limit),
  };
}

function stored(record: AuditRecord) {
  return { ...record, targets: JSON.stringify(record.targets) };
}
