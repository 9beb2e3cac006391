import { appliedMigrations, tablesOfMigrations } from '../core/migrate.ts';
import type { RawValue, Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** A column, with one of the three types that the schema uses. */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'bytes';
}

/** A table as it exists in a database, whichever migrations have been applied. */
export interface TableSchema {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
}

/** Quotes the name of a table or column. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The rows of raw SQL; `?` marks the places of its values on both databases. */
export function queryRaw<Row = Readonly<Record<string, Value>>>(
  session: Session,
  sql: string,
  values: readonly RawValue[] = [],
): Promise<Row[]> {
  return session.allRaw(placesOf(session, sql), values);
}

/** Runs raw SQL without result rows; returns the number of changed rows. */
export function execRaw(session: Session, sql: string, values: readonly RawValue[] = []): Promise<number> {
  return session.runRaw(placesOf(session, sql), values);
}

function placesOf(session: Session, sql: string): string {
  let count = 0;
  return session.dialect === 'sqlite' ? sql : sql.replace(/\?/g, () => `$${++count}`);
}

/** Tables with state of running processes or of the objects of one database, which copies omit. */
export const TRANSIENT_TABLES: readonly string[] = ['server_claim', 'nodes', 'cache_changes', 'object_stores'];

/**
 * Columns with state of running processes, which copies leave empty, such as leases of webhooks.
 * @source decision 775
 */
export const TRANSIENT_COLUMNS: Readonly<Record<string, readonly string[]>> = { webhooks: ['leased_until', 'node'] };

/**
 * The tables of a database that a copy includes, sorted by name, with the table of migrations; none if the database is
 * empty.
 */
export async function readTableSchemas(session: Session): Promise<TableSchema[]> {
  if ((await appliedMigrations(session)).length === 0) return [];
  const here = new Set(await tableNames(session));
  const names = tablesOfMigrations().filter((name) => here.has(name) && !TRANSIENT_TABLES.includes(name));
  const shapes: TableSchema[] = [];
  for (const name of names.sort()) {
    shapes.push(session.dialect === 'sqlite' ? await sqliteShape(session, name) : await postgresShape(session, name));
  }
  return shapes;
}

async function tableNames(session: Session): Promise<string[]> {
  const list =
    session.dialect === 'sqlite'
      ? "select name from sqlite_schema where type = 'table'"
      : "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'";
  return (await queryRaw<{ name: string }>(session, list)).map(({ name }) => name);
}

const TYPES: Readonly<Record<string, Column['type']>> = {
  text: 'text',
  integer: 'integer',
  blob: 'bytes',
  bigint: 'integer',
  bytea: 'bytes',
};

function columnOf(table: string, name: string, type: string): Column {
  const known = TYPES[type.toLowerCase()];
  if (!known) throw new Error(`column ${table}.${name} has the type ${type}, which backups cannot hold`);
  return { name, type: known };
}

async function sqliteShape(session: Session, name: string): Promise<TableSchema> {
  const rows = await queryRaw<{ name: string; type: string; pk: number }>(
    session,
    `select name, type, pk from pragma_table_info('${name}') order by name`,
  );
  const keys = rows.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return {
    name,
    columns: rows.map((row) => columnOf(name, row.name, row.type)),
    key: keys.map((row) => row.name),
  };
}

async function postgresShape(session: Session, name: string): Promise<TableSchema> {
  const columns = `select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ? order by column_name collate "C"`;
  const key = `select attname as name from pg_index
    join lateral unnest(indkey) with ordinality as keys (attnum, place) on true
    join pg_attribute on attrelid = indrelid and pg_attribute.attnum = keys.attnum
    where indrelid = to_regclass(?) and indisprimary order by place`;
  return {
    name,
    columns: (await queryRaw<{ name: string; type: string }>(session, columns, [name])).map((row) =>
      columnOf(name, row.name, row.type),
    ),
    key: (await queryRaw<{ name: string }>(session, key, [name])).map((row) => row.name),
  };
}
