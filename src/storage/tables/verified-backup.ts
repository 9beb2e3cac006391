import { sql } from 'kysely';
import type { VerifiedBackup } from '../../contract/store/verified-backup.ts';
import type { Session } from '../core/session.ts';

/** The time of the last verified backup. @source decision 1061 */
export function verifiedBackupOn(session: Session): VerifiedBackup {
  return {
    async find() {
      const row = await session.first('verified backup', {}, (db) =>
        db.selectFrom('verified_backup').select('verified_at'),
      );
      return row?.verified_at;
    },
    async record(verified_at) {
      await session.run('verified backup record', { at: verified_at }, (db, param) =>
        db
          .insertInto('verified_backup')
          .values({ row: sql.lit(1), verified_at: param('at') })
          .onConflict((conflict) => conflict.column('row').doUpdateSet({ verified_at: param('at') })),
      );
    },
  };
}
