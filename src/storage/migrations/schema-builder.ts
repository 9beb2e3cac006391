import type { Dialect } from '../core/statements.ts';

/**
 * A forward-only step of the schema, the same declaration for both databases. Names start with their number; a released
 * step never changes.
 */
export interface Migration {
  readonly name: string;
  statements(words: SchemaBuilder): readonly string[];
}

/** Builds the statements of migrations. */
export interface SchemaBuilder {
  /** A strict table. Columns are not null unless `nullable()`; key columns come first. */
  table(name: string, columns: (columns: ColumnBuilder) => ColumnBuilder): string;
  addColumn(table: string, column: (columns: ColumnBuilder) => ColumnBuilder): string;
  /** An index; with `where`, a partial one of the rows with these values. */
  index(name: string, table: string, columns: readonly string[], where?: Record<string, string | number>): string;
  /** A unique index; with `where`, a partial one of the rows with these values. Nulls never equal each other. */
  uniqueIndex(name: string, table: string, columns: readonly string[], where?: Record<string, string | number>): string;
  dropIndex(name: string): string;
}

/** Columns in order; modifiers apply to the column before them. */
export interface ColumnBuilder {
  /** Text that compares by its UTF-8 bytes. */
  text(name: string): ColumnBuilder;
  /** A whole number of 64 bits. */
  integer(name: string): ColumnBuilder;
  bytes(name: string): ColumnBuilder;
  nullable(): ColumnBuilder;
  /** Part of the primary key. */
  key(): ColumnBuilder;
  unique(): ColumnBuilder;
  /** The value of existing rows, and of new rows without one. */
  defaultTo(value: string | number): ColumnBuilder;
  readonly list: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly suffix: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
}

// Byte order is SQLite's default; with it, both databases sort alike. @source decision 43
const TYPES = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea' },
} as const;

/** The schema builder for a dialect. */
export function schemaBuilder(dialect: Dialect): SchemaBuilder {
  const none = columns(dialect, []);
  return {
    table(name, declare) {
      const { list } = declare(none);
      const keys = list.filter((column) => column.isKey).map((column) => column.name);
      const body = [...list.map(columnText), `primary key (${keys.join(', ')})`].join(', ');
      return `create table ${name} (${body})${dialect === 'sqlite' ? ' strict, without rowid' : ''}`;
    },
    addColumn: (table, declare) => `alter table ${table} add column ${columnText(declare(none).list[0]!)}`,
    index: (name, table, on, where) => `create index ${name} on ${table} (${on.join(', ')})${condition(where)}`,
    uniqueIndex: (name, table, on, where) =>
      `create unique index ${name} on ${table} (${on.join(', ')})${condition(where)}`,
    dropIndex: (name) => `drop index ${name}`,
  };
}

function columns(dialect: Dialect, list: readonly Column[]): ColumnBuilder {
  const add = (name: string, type: string): ColumnBuilder =>
    columns(dialect, [...list, { name, type, suffix: '', isNullable: false, isKey: false }]);
  const change = (changed: Partial<Column>): ColumnBuilder =>
    columns(dialect, [...list.slice(0, -1), { ...list.at(-1)!, ...changed }]);
  return {
    list,
    text: (name) => add(name, TYPES[dialect].text),
    integer: (name) => add(name, TYPES[dialect].integer),
    bytes: (name) => add(name, TYPES[dialect].bytes),
    nullable: () => change({ isNullable: true }),
    key: () => change({ isKey: true }),
    unique: () => change({ suffix: `${list.at(-1)!.suffix} unique` }),
    defaultTo: (value) => change({ suffix: `${list.at(-1)!.suffix} default ${literal(value)}` }),
  };
}

function condition(where: Record<string, string | number> = {}): string {
  const conditions = Object.entries(where).map(([column, value]) => `${column} = ${literal(value)}`);
  return conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
}

function columnText(column: Column): string {
  return `${column.name} ${column.type}${column.isNullable ? '' : ' not null'}${column.suffix}`;
}

function literal(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
