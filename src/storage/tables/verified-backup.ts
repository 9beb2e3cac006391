import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';

/** The record of backups. Times are UTC texts, by the clock of the machine that backs up. @source decision 1061 */
export class VerifiedBackup extends Table {
  /** When a backup was last verified; undefined: never. */
  async find() {
    const row = await this.session.first('verified backup', {}, (db) =>
      db.selectFrom('verified_backup').select('verified_at'),
    );
    return row?.verified_at;
  }

  record(verified_at: string) {
    return insertRows(this.session, 'verified_backup', [{ row: 1, verified_at }], {
      onConflict: { key: ['row'], replace: ['verified_at'] },
    });
  }
}
