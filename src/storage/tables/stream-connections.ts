import { sql } from 'kysely';
import type {
  ConnectionStatus,
  DisconnectReason,
  EndpointName,
  StreamConnection,
} from '../../contract/services/streams.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { allListed, inList, paddedSize } from '../core/in-lists.ts';
import { isOrphaned } from '../core/orphans.ts';
import type { Db, Param } from '../core/statements.ts';
import { CachedTable } from '../core/table.ts';

/** A page of an application's connections, latest first. */
interface ConnectionQuery {
  readonly application: string;
  readonly status: ConnectionStatus;
  readonly endpoints: readonly EndpointName[];
  /** Excludes connections that ended before this time. */
  readonly since: string;
  readonly after: Pick<StreamConnection, 'connected_at' | 'id'> | undefined;
  readonly limit: number;
}

/** Stored stream connections: all open ones, and closed ones for a while. */
export class StreamConnections extends CachedTable {
  /** The open connections of an application, oldest first. */
  listOpen(application: string) {
    return this.session.all('stream_connections open', { application }, (db, param) =>
      ofApplication(db, param).where('disconnected_at', 'is', null).orderBy('connected_at').orderBy('id'),
    );
  }

  /** The connections with these ids that exist, unordered. */
  list(ids: readonly string[]) {
    return allListed(this.session, 'stream_connections list', ids, {}, (db, ids) =>
      db
        .selectFrom('stream_connections')
        .selectAll()
        .where((eb) => inList(eb, 'id', ids)),
    );
  }

  async page({ application, status, endpoints, since, after, limit }: ConnectionQuery): Promise<StreamConnection[]> {
    if (endpoints.length === 0) return [];
    const size = paddedSize(endpoints.length);
    const shape = `stream_connections page ${status} ${size}${after ? ' after' : ''}`;
    const args = { application, since, after_time: after?.connected_at, after_id: after?.id, limit, endpoints };
    return this.session.all(shape, args, (db, param) => {
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
  }

  add(connection: StreamConnection) {
    return insertRows(this.session, 'stream_connections', [connection]);
  }

  /**
   * Records the end of a connection and invalidates `stream:<id>`; returns false when it had already ended, which
   * stands.
   */
  async end(id: string, reason: DisconnectReason, at: string) {
    const isEnded =
      (await this.session.run('stream_connections end', { id, reason, at }, (db, param) =>
        db
          .updateTable('stream_connections')
          .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
          .where('id', '=', param('id'))
          .where('disconnected_at', 'is', null),
      )) === 1;
    if (isEnded) this.invalidate(`stream:${id}`);
    return isEnded;
  }

  /** Records the end of the open connections of nodes that have ended; returns how many. @source decision 371, 752 */
  endOrphaned(reason: DisconnectReason, at: string) {
    return this.session.run('stream_connections end orphaned', { reason, at }, (db, param) =>
      db
        .updateTable('stream_connections')
        .set({ disconnected_at: param('at'), disconnect_reason: param('reason') })
        .where('disconnected_at', 'is', null)
        .where(isOrphaned('stream_connections')),
    );
  }
}

function ofApplication(db: Db, param: Param<{ readonly application: string }>) {
  return db.selectFrom('stream_connections').selectAll().where('application_id', '=', param('application'));
}
