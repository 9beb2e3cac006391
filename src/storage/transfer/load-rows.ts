import type { Session } from '../core/session.ts';
import type { TransferRow } from './row-lines.ts';
import { type Column, execRaw, queryRaw, quoteIdentifier, type TableSchema } from './table-schema.ts';

const ARRAYS: Readonly<Record<Column['type'], string>> = { text: 'text[]', integer: 'bigint[]', bytes: 'bytea[]' };

/** Inserts any number of rows into a table. */
export async function loadRows(session: Session, table: TableSchema, rows: readonly TransferRow[]): Promise<void> {
  if (rows.length === 0) return;
  const into = `insert into ${quoteIdentifier(table.name)} (${table.columns.map(({ name }) => quoteIdentifier(name)).join(', ')})`;
  if (session.dialect === 'postgres') {
    // One array per column: a statement has few arguments, however many rows there are.
    const arrays = table.columns.map(({ type }) => `?::${ARRAYS[type]}`).join(', ');
    const values = table.columns.map((_, index) => rows.map((row) => row[index]!));
    await execRaw(session, `${into} select * from unnest(${arrays})`, values);
    return;
  }
  // The tables are strict: decimal text is stored as an integer, or refused.
  const sql = `${into} values (${table.columns.map(() => '?').join(', ')})`;
  for (const row of rows) await execRaw(session, sql, row);
}

/**
 * Drops the indexes that no constraint needs, because filling a table is faster without them; returns a function that
 * recreates them.
 */
export async function dropIndexes(session: Session, tables: readonly TableSchema[]): Promise<() => Promise<void>> {
  const names = new Set(tables.map(({ name }) => name));
  const list =
    session.dialect === 'sqlite'
      ? "select name, tbl_name as of, sql from sqlite_schema where type = 'index' and sql is not null"
      : `select indexname as name, tablename as of, indexdef as sql from pg_indexes
         where schemaname = current_schema() and not exists (
           select 1 from pg_constraint where conindid = to_regclass(quote_ident(indexname)))`;
  const indexes = (await queryRaw<{ name: string; of: string; sql: string }>(session, list)).filter((index) =>
    names.has(index.of),
  );
  for (const { name } of indexes) await execRaw(session, `drop index ${name}`);
  return async () => {
    for (const { sql } of indexes) await execRaw(session, sql);
  };
}
