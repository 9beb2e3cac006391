import { sql } from 'kysely';
import type { StreamConnections } from '../../contract/services/streams.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import type { Db, Param } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Stream connections. */
export function streamConnectionsOn(session: Session, invalidate: (tag: string) => void): StreamConnections {
  const rows = tableRows(session, 'stream_connections');
  const ofApplication = (db: Db, param: Param<{ readonly application: string }>) =>
    db.selectFrom('stream_connections').selectAll().where('application_id', '=', param('application'));
  return {
    async listOpen(application) {
      return session.all('stream_connections open', { application }, (db, param) =>
        ofApplication(db, param).where('disconnected_at', 'is', null).orderBy('connected_at').orderBy('id'),
      );
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      return session.all(`stream_connections list ${size}`, { ids }, (db, param) =>
        db
          .selectFrom('stream_connections')
          .selectAll()
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
    },
    async page({ application, status, endpoints, since, after, limit }) {
      if (endpoints.length === 0) return [];
      const size = paddedSize(endpoints.length);
      const shape = `stream_connections page ${status} ${size} ${after === undefined}`;
      const args = { application, since, after_time: after?.connected_at, after_id: after?.id, limit, endpoints };
      return session.all(shape, args, (db, param) => {
        let chosen = ofApplication(db, param).where((eb) => inList(eb, 'endpoint_name', param.list('endpoints', size)));
        const isOpen = sql<boolean>`disconnected_at is null`;
        const isKept = sql<boolean>`disconnected_at >= ${param('since')}`;
        if (status === 'active') chosen = chosen.where(isOpen);
        else if (status === 'inactive') chosen = chosen.where(isKept);
        else chosen = chosen.where(sql<boolean>`(${isOpen} or ${isKept})`);
        if (after) {
          chosen = chosen.where(sql<boolean>`(connected_at, id) < (${param('after_time')}, ${param('after_id')})`);
        }
        return chosen.orderBy('connected_at', 'desc').orderBy('id', 'desc').limit(param('limit'));
      });
    },
    add: (connection) => rows.insert(connection),
    async end(id, reason, at) {
      const isEnded =
        (await session.run('stream_connections end', { id, reason, at }, (db, param) =>
          db
            .updateTable('stream_connections')
            .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
            .where('id', '=', param('id'))
            .where('disconnected_at', 'is', null),
        )) === 1;
      if (isEnded) invalidate(`stream:${id}`);
      return isEnded;
    },
    // @source decision 371, 752
    endOrphaned: (reason, at) =>
      session.run('stream_connections end orphaned', { reason, at }, (db, param) =>
        db
          .updateTable('stream_connections')
          .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
          .where('disconnected_at', 'is', null)
          .where(isOrphaned('stream_connections')),
      ),
    removeEnded: (before, limit) =>
      removeOldest(session, { table: 'stream_connections', key: ['id'], time: 'disconnected_at' }, before, limit),
  };
}
