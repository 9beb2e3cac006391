import { sql } from 'kysely';
import type { StreamConnections } from '../../contract/services/streams.ts';
import { addValues, among, type Builder, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Queries, Value } from '../core/statements.ts';

/** Connections of streams. */
export function streamConnectionsOn(session: Session, touch: (tag: string) => void): StreamConnections {
  const { statements } = session;
  const rows = rowsOn(session, 'stream_connections');
  const ofApplication = (queries: Queries, argument: Argument): Builder =>
    queries.selectFrom('stream_connections').selectAll().where('application_id', '=', argument('application'));
  return {
    async listOpen(application) {
      const statement = statements.of('stream_connections open', (queries, argument) =>
        ofApplication(queries, argument).where('disconnected_at', 'is', null).orderBy('connected_at').orderBy('id'),
      );
      return session.all(statement, { application });
    },
    async list(ids) {
      if (ids.length === 0) return [];
      const size = sizeFor(ids.length);
      const statement = statements.of(`stream_connections list ${size}`, (queries, argument) =>
        among(queries.selectFrom('stream_connections').selectAll(), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      return session.all(statement, args);
    },
    async page({ application, status, endpoints, since, after, limit }) {
      if (endpoints.length === 0) return [];
      const size = sizeFor(endpoints.length);
      const shape = `stream_connections page ${status} ${size} ${after === undefined}`;
      const statement = statements.of(shape, (queries, argument) => {
        let chosen = among(ofApplication(queries, argument), 'endpoint_name', size, argument);
        const isOpen = sql<boolean>`disconnected_at is null`;
        const isKept = sql<boolean>`disconnected_at >= ${argument('since')}`;
        if (status === 'active') chosen = chosen.where(isOpen);
        else if (status === 'inactive') chosen = chosen.where(isKept);
        else chosen = chosen.where(sql<boolean>`(${isOpen} or ${isKept})`);
        if (after) {
          chosen = chosen.where(
            sql<boolean>`(connected_at, id) < (${argument('after_time')}, ${argument('after_id')})`,
          );
        }
        return chosen.orderBy('connected_at', 'desc').orderBy('id', 'desc').limit(argument('limit'));
      });
      const args: Record<string, Value> = {
        application,
        since,
        after_time: after?.connected_at ?? null,
        after_id: after?.id ?? null,
        limit,
      };
      addValues(args, 'endpoint_name', endpoints, size);
      return session.all(statement, args);
    },
    add: (connection) => rows.add(connection),
    async end(id, reason, at) {
      const statement = statements.of('stream_connections end', (queries, argument) =>
        queries
          .updateTable('stream_connections')
          .set({ disconnected_at: argument('at'), disconnect_reason: argument('reason') })
          .where('id', '=', argument('id'))
          .where('disconnected_at', 'is', null),
      );
      const isEnded = (await session.run(statement, { id, reason, at })) === 1;
      if (isEnded) touch(`stream:${id}`);
      return isEnded;
    },
    async endAll(reason, at) {
      const statement = statements.of('stream_connections end all', (queries, argument) =>
        queries
          .updateTable('stream_connections')
          .set({ disconnected_at: argument('at'), disconnect_reason: argument('reason') })
          .where('disconnected_at', 'is', null),
      );
      await session.run(statement, { reason, at });
    },
    async removeEnded(before, limit) {
      const statement = statements.of('stream_connections remove', (queries, argument) =>
        queries
          .deleteFrom('stream_connections')
          .where(
            'id',
            'in',
            queries
              .selectFrom('stream_connections')
              .select('id')
              .where('disconnected_at', '<', argument('before'))
              .orderBy('disconnected_at')
              .limit(argument('limit')),
          ),
      );
      return session.run(statement, { before, limit });
    },
  };
}
