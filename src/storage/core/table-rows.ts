import type { Insertable, Selectable, Updateable } from 'kysely';
import { insertRows } from './bulk-insert.ts';
import type { Database, TableName } from './database.ts';
import { dynamic, returning } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Basic access to the rows of a table that is known at compile time; rows of resources: `updateDynamicRows`. */
export interface TableRows<Table extends TableName> {
  /** The row with a value in a column. */
  find<Column extends ColumnOf<Table>>(
    column: Column,
    value: Selectable<Database[Table]>[Column] & Value,
  ): Promise<Selectable<Database[Table]> | undefined>;
  /** The same, and locks the row: other units of work that lock it wait until this one ends. */
  lock<Column extends ColumnOf<Table>>(
    column: Column,
    value: Selectable<Database[Table]>[Column] & Value,
  ): Promise<Selectable<Database[Table]> | undefined>;
  insert(row: Insertable<Database[Table]>): Promise<void>;
  /** Changes columns of the row with an id. */
  update(id: string, changes: Updateable<Database[Table]>): Promise<void>;
}

type ColumnOf<Table extends TableName> = keyof Selectable<Database[Table]> & string;

/** Access to the rows of a table. */
export function tableRows<Table extends TableName>(session: Session, table: Table): TableRows<Table> {
  type Row = Selectable<Database[Table]>;
  const name: string = table;
  const find = (column: string, value: Value): Promise<Row | undefined> =>
    session.first(`${name} by ${column}`, { value }, (db, param) =>
      returning<Row>(dynamic(db).selectFrom(name).selectAll().where(column, '=', param('value')).limit(1)),
    );
  const lock = (column: string, value: Value): Promise<Row | undefined> =>
    session.first(`${name} lock by ${column}`, { value }, (db, param) =>
      returning<Row>(dynamic(db).selectFrom(name).selectAll().where(column, '=', param('value')).forUpdate()),
    );
  return {
    find,
    // SQLite has one writer at a time; PostgreSQL needs a row lock.
    lock: session.dialect === 'sqlite' ? find : lock,
    insert: (row) => insertRows(session, table, [row]),
    async update(id, changes) {
      await updateDynamicRows(session, table, changes as Changes, { id });
    },
  };
}

/**
 * Changes columns of the rows that match all values of `where`, none of which may be null; returns the number of rows.
 */
export function updateRows<Table extends TableName>(
  session: Session,
  table: Table,
  changes: Updateable<Database[Table]>,
  where: Partial<Selectable<Database[Table]>>,
): Promise<number> {
  return updateDynamicRows(session, table, changes as Changes, where as Changes);
}

type Changes = Readonly<Record<string, Value>>;

/** The same for a table whose name is a value. */
export function updateDynamicRows(session: Session, table: string, changes: Changes, where: Changes): Promise<number> {
  const columns = Object.keys(changes);
  const conditions = Object.keys(where);
  return session.run(
    `update ${table} ${columns} where ${conditions}`,
    { changes: [changes], where: [where] },
    (db, param) => {
      let update = dynamic(db)
        .updateTable(table)
        .set(Object.fromEntries(columns.map((name) => [name, param.cell('changes', 0, name)])));
      for (const name of conditions) update = update.where(name, '=', param.cell('where', 0, name));
      return update;
    },
  );
}
