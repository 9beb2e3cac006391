import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** What the tables beside those of resources have in common. */
export interface TableRows {
  /** The row whose column has a value. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  find(column: string, value: Value): Promise<any>;
  /** The same, and other units that do this wait until this one ends. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  lock(column: string, value: Value): Promise<any>;
  insert(row: object): Promise<void>;
  /** Changes columns of the row of an id. */
  update(id: string, changes: object): Promise<void>;
}

/** Rows of a table. */
export function tableRows(session: Session, table: string): TableRows {
  const { statements } = session;
  const find: TableRows['find'] = async (column, value) => {
    const statement = statements.cached(`${table} by ${column}`, (db, param) =>
      db.selectFrom(table).selectAll().where(column, '=', param('value')).limit(1),
    );
    return (await session.all(statement, { value }))[0];
  };
  return {
    find,
    async lock(column, value) {
      // One writer at a time is all that SQLite has; the server needs to be told.
      if (statements.dialect === 'sqlite') return find(column, value);
      const statement = statements.cached(`${table} lock by ${column}`, (db, param) =>
        db.selectFrom(table).selectAll().where(column, '=', param('value')).forUpdate(),
      );
      return (await session.all(statement, { value }))[0];
    },
    async insert(row) {
      const columns = Object.keys(row);
      const statement = statements.cached(`${table} add ${columns}`, (db, param) =>
        db.insertInto(table).values(Object.fromEntries(columns.map((name) => [name, param(name)]))),
      );
      await session.run(statement, row as Record<string, Value>);
    },
    async update(id, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`${table} change ${columns}`, (db, param) =>
        db
          .updateTable(table)
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id', '=', param('key_id')),
      );
      await session.run(statement, { ...changes, key_id: id } as Record<string, Value>);
    },
  };
}
