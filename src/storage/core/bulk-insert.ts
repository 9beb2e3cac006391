import { sql } from 'kysely';
import type { Database, NewRow, TableName } from './database.ts';
import { dynamic } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Rows per statement, largest first: a few sizes keep the number of statements and of arguments small. */
const SIZES = [100, 20, 5, 1];

/** How rows are inserted. */
export interface InsertOptions<Column extends string> {
  /** The columns to write; defaults to those of the first row. */
  readonly columns?: readonly Column[];
  /** When a row with this key exists, these columns of it are replaced instead. */
  readonly onConflict?: { readonly key: readonly Column[]; readonly replace: readonly Column[] };
}

/** Inserts rows that have the same columns, in order, with few statements. */
export async function insertRows<Table extends TableName>(
  session: Session,
  table: Table,
  rows: readonly NewRow<Table>[],
  options: InsertOptions<keyof Database[Table] & string> = {},
): Promise<void> {
  await insertDynamicRows(session, table, rows as readonly Readonly<Record<string, Value>>[], options);
}

/** Inserts a row unless one with its key exists; returns whether it was inserted. */
export async function insertNew<Table extends TableName>(
  session: Session,
  table: Table,
  row: NewRow<Table>,
): Promise<boolean> {
  const name: string = table;
  const columns = Object.keys(row);
  const args = { row: [row as Readonly<Record<string, Value>>] };
  const added = await session.run(`insert new ${name} ${columns}`, args, (db, param) =>
    dynamic(db)
      .insertInto(name)
      .values(Object.fromEntries(columns.map((column) => [column, param.cell('row', 0, column)])))
      .onConflict((conflict) => conflict.doNothing()),
  );
  return added === 1;
}

/** `insertRows` for a table whose name is known only at run time. */
export async function insertDynamicRows(
  session: Session,
  table: string,
  rows: readonly Readonly<Record<string, Value>>[],
  { columns = Object.keys(rows[0] ?? {}), onConflict }: InsertOptions<string> = {},
): Promise<void> {
  if (session.deferInsert && !onConflict) return session.deferInsert(table, columns, rows);
  for (let done = 0; done < rows.length; ) {
    const size = SIZES.find((each) => each <= rows.length - done)!;
    const args = { rows: size === rows.length ? rows : rows.slice(done, done + size) };
    const key = `insert ${size} ${table} ${columns}${onConflict ? `, at ${onConflict.key} ${onConflict.replace}` : ''}`;
    await session.run(key, args, (db, param) => {
      const insert = dynamic(db)
        .insertInto(table)
        .values(
          Array.from({ length: size }, (_, index) =>
            Object.fromEntries(columns.map((name) => [name, param.cell('rows', index, name)])),
          ),
        );
      if (!onConflict) return insert;
      const replaced = onConflict.replace.map((name) => [name, sql<Value>`${sql.ref(`excluded.${name}`)}`]);
      return insert.onConflict((conflict) =>
        conflict.columns([...onConflict.key]).doUpdateSet(Object.fromEntries(replaced)),
      );
    });
    done += size;
  }
}
