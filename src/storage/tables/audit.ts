import { sql } from 'kysely';
import type { AuditEvent, AuditRecord } from '../../contract/store/audit.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { updateRows } from '../core/table-rows.ts';

const TABLE = 'audit_events';
const KEY = sql`(${sql.ref('at')}, ${sql.ref('id')})`;

/** Filters of audit records, which are listed newest first. */
interface AuditQuery {
  /** UTC text, inclusive. */
  readonly since?: string | undefined;
  /** UTC text, exclusive. */
  readonly until?: string | undefined;
  readonly event?: AuditEvent | undefined;
  /** The actor or an affected object: `kind:id`. */
  readonly about?: string | undefined;
  /** The last record of the previous page. */
  readonly after?: Pick<AuditRecord, 'at' | 'id'> | undefined;
  readonly limit: number;
}

/** The audit log. A record changes only when an action that was begun ends, and is removed only by age. @source decision 590 */
export class Audit extends Table {
  async listRecords({ since, until, event, about, after, limit }: AuditQuery): Promise<AuditRecord[]> {
    const shape = `${TABLE} list ${[since && 'since', until && 'until', event && 'event', about && 'about', after && 'after']}`;
    const found = await this.session.all(
      shape,
      {
        ...(since && { since }),
        ...(until && { until }),
        ...(event && { event }),
        ...(about && { about, target: JSON.stringify(about) }),
        ...(after && { after_at: after.at, after_id: after.id }),
        limit,
      },
      (db, param) => {
        let chosen = db.selectFrom(TABLE).selectAll();
        if (since) chosen = chosen.where('at', '>=', param('since'));
        if (until) chosen = chosen.where('at', '<', param('until'));
        if (event) chosen = chosen.where('event', '=', param('event'));
        if (about) {
          chosen = chosen.where((by) =>
            // Without wildcards, and alike on both databases.
            by.or([
              by('actor', '=', param('about')),
              sql<boolean>`replace(targets, ${param('target')}, '') <> targets`,
            ]),
          );
        }
        if (after) chosen = chosen.where(sql<boolean>`${KEY} < (${param('after_at')}, ${param('after_id')})`);
        return chosen.orderBy('at', 'desc').orderBy('id', 'desc').limit(param('limit'));
      },
    );
    return found.map((row) => ({ ...row, targets: JSON.parse(row.targets) }));
  }

  async append(records: readonly AuditRecord[]) {
    for (const record of records) await insertRows(this.session, TABLE, [stored(record)]);
  }

  /** Records how an action ended and what it affected. */
  async end({ at, id, outcome, targets }: AuditRecord) {
    await updateRows(this.session, TABLE, { outcome, targets: JSON.stringify(targets) }, { at, id });
  }
}

function stored(record: AuditRecord) {
  return { ...record, targets: JSON.stringify(record.targets) };
}
