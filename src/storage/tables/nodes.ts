import { sql } from 'kysely';
import type { Heartbeat, NewNode } from '../../contract/store/nodes.ts';
import { databaseTime } from '../core/database-time.ts';
import type { Param } from '../core/statements.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** Nodes. All times are of the clock of the database. @source decision 750 */
export class Nodes extends Table {
  readonly #now = databaseTime(this.session.dialect, sql.lit(0));

  /** The time of the database. */
  async findTime() {
    const row = await this.session.first('nodes time', {}, (db) => db.selectNoFrom(this.#now.as('now')));
    return row!.now;
  }

  /**
   * Adds a node, with a first heartbeat and the id of its Redis, empty when it is unknown. Others count with a heartbeat
   * within `silence_s`.
   */
  async add(
    { id, hostname, version, process, master_keys, roles, schema_level }: NewNode,
    silence_s: number,
    shared_server = '',
  ): Promise<Heartbeat> {
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
    const row = await this.session.first('nodes add', args, (db, param) =>
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
          started_at: this.#now,
          heartbeat_at: this.#now,
        })
        .returning(this.#counted(param)),
    );
    return heartbeat(row!, shared_server);
  }

  /**
   * Stores a heartbeat and the id of its Redis; undefined when the node was removed because it was taken for dead. Others count with one within
   * `silence_s`.
   */
  async beat(id: string, silence_s: number, shared_server = ''): Promise<Heartbeat | undefined> {
    const row = await this.session.first('nodes beat', { id, shared_server, plus_s: -silence_s }, (db, param) =>
      db
        .updateTable('nodes')
        .set({ heartbeat_at: this.#now, shared_server: param('shared_server') })
        .where('id', '=', param('id'))
        .returning(this.#counted(param)),
    );
    return row && heartbeat(row, shared_server);
  }

  /** All nodes except this one. */
  listOthers(id: string) {
    return this.session.all('nodes others', { id }, (db, param) =>
      db.selectFrom('nodes').where('id', '<>', param('id')).selectAll().orderBy('id'),
    );
  }

  /** The other nodes with a heartbeat within `silence_s`. */
  listLive(id: string, silence_s: number) {
    return this.session.all('nodes live', { id, plus_s: -silence_s }, (db, param) =>
      db
        .selectFrom('nodes')
        .where('id', '<>', param('id'))
        .where('heartbeat_at', '>', this.#since(param))
        .selectAll()
        .orderBy('id'),
    );
  }

  /** Removes a node. */
  async remove(id: string) {
    await deleteRows(this.session, 'nodes', { id });
  }

  /** Removes the nodes without a heartbeat for this long, except this one; returns them. */
  removeSilent(id: string, silence_s: number) {
    return this.session.all('nodes remove silent', { id, plus_s: -silence_s }, (db, param) =>
      db
        .deleteFrom('nodes')
        .where('id', '<>', param('id'))
        .where('heartbeat_at', '<=', this.#since(param))
        .returningAll(),
    );
  }

  /** A silence lasts since a heartbeat at this time. */
  #since(param: Param<{ readonly plus_s: number }>) {
    return databaseTime(this.session.dialect, param('plus_s'));
  }

  /** Counts in the same statement that stores a heartbeat. */
  #counted(param: Param<{ readonly id: string; readonly plus_s: number; readonly shared_server: string }>) {
    const live = sql`from nodes as other where other.id <> ${param('id')} and other.heartbeat_at > ${this.#since(param)}`;
    return [
      'heartbeat_at',
      sql<number>`(select count(*) ${live})`.as('others'),
      sql<number>`(select count(*) ${live} and other.roles <> 'worker')`.as('othersAnswering'),
      sql<number>`(select count(*) ${live} and other.shared_server not in ('', ${param('shared_server')}))`.as(
        'othersApart',
      ),
    ] as const;
  }
}

function heartbeat(
  row: { heartbeat_at: string } & Record<'others' | 'othersAnswering' | 'othersApart', number>,
  shared_server: string,
): Heartbeat {
  return {
    at: row.heartbeat_at,
    others: Number(row.others),
    othersAnswering: Number(row.othersAnswering),
    othersApart: shared_server === '' ? 0 : Number(row.othersApart),
  };
}
