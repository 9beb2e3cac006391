import { sql } from 'kysely';
import type { Heartbeat, Nodes } from '../../contract/store/nodes.ts';
import { databaseTime } from '../core/database-time.ts';
import type { Session } from '../core/session.ts';
import type { Param } from '../core/statements.ts';

/** Nodes. All times are of the clock of the database. @source decision 750 */
export function nodesOn(session: Session): Nodes {
  const now = databaseTime(session.dialect, sql.lit(0));
  /** A silence lasts since a heartbeat at this time. */
  const since = (param: Param<{ readonly plus_s: number }>) => databaseTime(session.dialect, param('plus_s'));
  /** Counts in the same statement that stores a heartbeat. */
  const counted = (param: Param<{ readonly id: string; readonly plus_s: number; readonly shared_server: string }>) => {
    const live = sql`from nodes as other where other.id <> ${param('id')} and other.heartbeat_at > ${since(param)}`;
    return [
      'heartbeat_at',
      sql<number>`(select count(*) ${live})`.as('others'),
      sql<number>`(select count(*) ${live} and other.roles <> 'worker')`.as('othersAnswering'),
      sql<number>`(select count(*) ${live} and other.shared_server not in ('', ${param('shared_server')}))`.as(
        'othersApart',
      ),
    ] as const;
  };
  const heartbeat = (
    row: { heartbeat_at: string } & Record<'others' | 'othersAnswering' | 'othersApart', number>,
    shared_server: string,
  ): Heartbeat => ({
    at: row.heartbeat_at,
    others: Number(row.others),
    othersAnswering: Number(row.othersAnswering),
    othersApart: shared_server === '' ? 0 : Number(row.othersApart),
  });
  return {
    async findTime() {
      const row = await session.first('nodes time', {}, (db) => db.selectNoFrom(now.as('now')));
      return row!.now;
    },
    async add({ id, hostname, version, process, master_keys, roles, schema_level }, silence_s, shared_server = '') {
      const args = {
        id,
        hostname,
        version,
        process,
        master_keys,
        roles,
        schema_level,
        shared_server,
        plus_s: -silence_s,
      };
      const row = await session.first('nodes add', args, (db, param) =>
        db
          .insertInto('nodes')
          .values({
            id: param('id'),
            hostname: param('hostname'),
            version: param('version'),
            process: param('process'),
            master_keys: param('master_keys'),
            roles: param('roles'),
            shared_server: param('shared_server'),
            schema_level: param('schema_level'),
            started_at: now,
            heartbeat_at: now,
          })
          .returning(counted(param)),
      );
      return heartbeat(row!, shared_server);
    },
    async beat(id, silence_s, shared_server = '') {
      const row = await session.first('nodes beat', { id, shared_server, plus_s: -silence_s }, (db, param) =>
        db
          .updateTable('nodes')
          .set({ heartbeat_at: now, shared_server: param('shared_server') })
          .where('id', '=', param('id'))
          .returning(counted(param)),
      );
      return row && heartbeat(row, shared_server);
    },
    listOthers: (id) =>
      session.all('nodes others', { id }, (db, param) =>
        db.selectFrom('nodes').where('id', '<>', param('id')).selectAll().orderBy('id'),
      ),
    listLive: (id, silence_s) =>
      session.all('nodes live', { id, plus_s: -silence_s }, (db, param) =>
        db
          .selectFrom('nodes')
          .where('id', '<>', param('id'))
          .where('heartbeat_at', '>', since(param))
          .selectAll()
          .orderBy('id'),
      ),
    async remove(id) {
      await session.run('nodes remove', { id }, (db, param) => db.deleteFrom('nodes').where('id', '=', param('id')));
    },
    removeSilent: (id, silence_s) =>
      session.all('nodes remove silent', { id, plus_s: -silence_s }, (db, param) =>
        db.deleteFrom('nodes').where('id', '<>', param('id')).where('heartbeat_at', '<=', since(param)).returningAll(),
      ),
  };
}
