import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** What the tables beside those of resources have in common. */
export interface Rows {
  /** The row whose column has a value. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  find(column: string, value: Value): Promise<any>;
  /** The same, and other units that do this wait until this one ends. */
  // biome-ignore lint/suspicious/noExplicitAny: rows of every table
  lock(column: string, value: Value): Promise<any>;
  add(row: object): Promise<void>;
  /** Changes columns of the row of an id. */
  change(id: string, changes: object): Promise<void>;
}

/** Rows of a table. */
export function rowsOn(session: Session, table: string): Rows {
  const { statements } = session;
  const find: Rows['find'] = async (column, value) => {
    const statement = statements.of(`${table} by ${column}`, (queries, argument) =>
      queries.selectFrom(table).selectAll().where(column, '=', argument('value')).limit(1),
    );
    return (await session.all(statement, { value }))[0];
  };
  return {
    find,
    async lock(column, value) {
      // One writer at a time is all that SQLite has; the server needs to be told.
      if (statements.engine === 'sqlite') return find(column, value);
      const statement = statements.of(`${table} lock by ${column}`, (queries, argument) =>
        queries.selectFrom(table).selectAll().where(column, '=', argument('value')).forUpdate(),
      );
      return (await session.all(statement, { value }))[0];
    },
    async add(row) {
      const columns = Object.keys(row);
      const statement = statements.of(`${table} add ${columns}`, (queries, argument) =>
        queries.insertInto(table).values(Object.fromEntries(columns.map((name) => [name, argument(name)]))),
      );
      await session.run(statement, row as Record<string, Value>);
    },
    async change(id, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(`${table} change ${columns}`, (queries, argument) =>
        queries
          .updateTable(table)
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id', '=', argument('key_id')),
      );
      await session.run(statement, { ...changes, key_id: id } as Record<string, Value>);
    },
  };
}
