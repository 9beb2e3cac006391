import { sql } from 'kysely';
import type { StreamConnections } from '../../contract/services/streams.ts';
import { type Builder, bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Param, QueryBuilder, Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Connections of streams. */
export function streamConnectionsOn(session: Session, touch: (tag: string) => void): StreamConnections {
  const { statements } = session;
  const rows = tableRows(session, 'stream_connections');
  const ofApplication = (db: QueryBuilder, param: Param): Builder =>
    db.selectFrom('stream_connections').selectAll().where('application_id', '=', param('application'));
  return {
    async listOpen(application) {
      const statement = statements.cached('stream_connections open', (db, param) =>
        ofApplication(db, param).where('disconnected_at', 'is', null).orderBy('connected_at').orderBy('id'),
      );
      return session.all(statement, { application });
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const statement = statements.cached(`stream_connections list ${size}`, (db, param) =>
        whereIn(db.selectFrom('stream_connections').selectAll(), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async page({ application, status, endpoints, since, after, limit }) {
      if (endpoints.length === 0) return [];
      const size = paddedSize(endpoints.length);
      const shape = `stream_connections page ${status} ${size} ${after === undefined}`;
      const statement = statements.cached(shape, (db, param) => {
        let chosen = whereIn(ofApplication(db, param), 'endpoint_name', size, param);
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
      const args: Record<string, Value> = {
        application,
        since,
        after_time: after?.connected_at ?? null,
        after_id: after?.id ?? null,
        limit,
      };
      bindList(args, 'endpoint_name', endpoints, size);
      return session.all(statement, args);
    },
    add: (connection) => rows.insert(connection),
    async end(id, reason, at) {
      const statement = statements.cached('stream_connections end', (db, param) =>
        db
          .updateTable('stream_connections')
          .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
          .where('id', '=', param('id'))
          .where('disconnected_at', 'is', null),
      );
      const isEnded = (await session.run(statement, { id, reason, at })) === 1;
      if (isEnded) touch(`stream:${id}`);
      return isEnded;
    },
    async endAll(reason, at) {
      const statement = statements.cached('stream_connections end all', (db, param) =>
        db
          .updateTable('stream_connections')
          .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
          .where('disconnected_at', 'is', null),
      );
      await session.run(statement, { reason, at });
    },
    async removeEnded(before, limit) {
      const statement = statements.cached('stream_connections remove', (db, param) =>
        db
          .deleteFrom('stream_connections')
          .where(
            'id',
            'in',
            db
              .selectFrom('stream_connections')
              .select('id')
              .where('disconnected_at', '<', param('before'))
              .orderBy('disconnected_at')
              .limit(param('limit')),
          ),
      );
      return session.run(statement, { before, limit });
    },
  };
}
