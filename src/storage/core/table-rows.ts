import type { Selectable, Updateable } from 'kysely';
import type { Database, TableName } from './database.ts';
import { dynamic, returning } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

type RowOf<Table extends TableName> = Selectable<Database[Table]>;
type ColumnOf<Table extends TableName> = keyof RowOf<Table> & string;
/** Values by column, none null: a row matches if it has all of them. */
type Where<Table extends TableName> = Partial<RowOf<Table>>;
type Values = Readonly<Record<string, Value>>;

/** Finds the row of a table with these values. For resources, see `Records`. */
export function findRow<Table extends TableName>(
  session: Session,
  table: Table,
  where: Where<Table>,
): Promise<RowOf<Table> | undefined> {
  return findOne(session, table, where as Values, false);
}

/** `findRow` with a row lock: other units of work that lock it wait until this one ends. */
export function lockRow<Table extends TableName>(
  session: Session,
  table: Table,
  where: Where<Table>,
): Promise<RowOf<Table> | undefined> {
  // SQLite has one writer at a time; PostgreSQL needs a row lock.
  return findOne(session, table, where as Values, session.dialect === 'postgres');
}

function findOne<Row>(session: Session, table: string, where: Values, locks: boolean): Promise<Row | undefined> {
  const conditions = Object.keys(where);
  return session.first(`${table} by ${conditions}${locks ? ', locked' : ''}`, { where: [where] }, (db, param) => {
    let query = dynamic(db).selectFrom(table).selectAll();
    for (const name of conditions) query = query.where(name, '=', param.cell('where', 0, name));
    return returning<Row>(locks ? query.forUpdate() : query.limit(1));
  });
}

/** Lists the rows with these values in an order, at most `limit`. */
export function listRows<Table extends TableName>(
  session: Session,
  table: Table,
  where: Where<Table>,
  order: readonly (ColumnOf<Table> | `${ColumnOf<Table>} desc`)[],
  limit?: number,
): Promise<RowOf<Table>[]> {
  const conditions = Object.keys(where);
  const key = `${table} by ${conditions}, in order of ${order}${limit === undefined ? '' : ', the first'}`;
  return session.all(key, { where: [where as Values], limit }, (db, param) => {
    const name: string = table;
    let query = dynamic(db).selectFrom(name).selectAll();
    for (const column of conditions) query = query.where(column, '=', param.cell('where', 0, column));
    for (const each of order) {
      const [column, direction] = each.split(' ') as [string, 'desc' | undefined];
      query = query.orderBy(column, direction);
    }
    return returning<RowOf<Table>>(limit === undefined ? query : query.limit(param('limit')));
  });
}

/** Deletes the rows with these values; returns their number. */
export function deleteRows<Table extends TableName>(
  session: Session,
  table: Table,
  where: Where<Table>,
): Promise<number> {
  const name: string = table;
  const conditions = Object.keys(where);
  return session.run(`delete ${name} by ${conditions}`, { where: [where as Values] }, (db, param) => {
    let query = dynamic(db).deleteFrom(name);
    for (const column of conditions) query = query.where(column, '=', param.cell('where', 0, column));
    return query;
  });
}

/** Changes columns of the rows with these values; returns their number. */
export function updateRows<Table extends TableName>(
  session: Session,
  table: Table,
  changes: Updateable<Database[Table]>,
  where: Where<Table>,
): Promise<number> {
  return updateDynamicRows(session, table, changes as Values, where as Values);
}

/** `updateRows` for a table whose name is known only at run time. */
export function updateDynamicRows(session: Session, table: string, changes: Values, where: Values): Promise<number> {
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
