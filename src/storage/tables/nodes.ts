import { sql } from 'kysely';
import type { Nodes } from '../../contract/store/nodes.ts';
import { databaseTime } from '../core/database-time.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';

/** Nodes. All times are of the clock of the database. @source decision 750 */
export function nodesOn(session: Session): Nodes {
  const now = databaseTime(session.dialect, sql.lit(0));
  /** A silence lasts since a heartbeat at this time. */
  const since = (param: Param<{ readonly plus_s: number }>) => databaseTime(session.dialect, param('plus_s'));
  const others = (db: Db, param: Param<{ readonly id: string }>) =>
    db.deleteFrom('nodes').where('id', '<>', param('id')).returningAll();
  return {
    async findTime() {
      const row = await session.first('nodes time', {}, (db) => db.selectNoFrom(now.as('now')));
      return row!.now;
    },
    async findCount(silence_s) {
      const row = await session.first('nodes count', { plus_s: -silence_s }, (db, param) =>
        db.selectFrom('nodes').where('heartbeat_at', '>', since(param)).select(sql<number>`count(*)`.as('count')),
      );
      return Number(row!.count);
    },
    async add({ id, hostname, version }) {
      await session.run('nodes add', { id, hostname, version }, (db, param) =>
        db.insertInto('nodes').values({
          id: param('id'),
          hostname: param('hostname'),
          version: param('version'),
          started_at: now,
          heartbeat_at: now,
        }),
      );
    },
    async beat(id) {
      const row = await session.first('nodes beat', { id }, (db, param) =>
        db.updateTable('nodes').set({ heartbeat_at: now }).where('id', '=', param('id')).returning('heartbeat_at'),
      );
      return row?.heartbeat_at;
    },
    async remove(id) {
      await session.run('nodes remove', { id }, (db, param) => db.deleteFrom('nodes').where('id', '=', param('id')));
    },
    removeOthers: (id) => session.all('nodes remove others', { id }, others),
    removeSilent: (id, silence_s) =>
      session.all('nodes remove silent', { id, plus_s: -silence_s }, (db, param) =>
        others(db, param).where('heartbeat_at', '<=', since(param)),
      ),
  };
}
