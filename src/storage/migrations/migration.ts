import type { Engine } from '../core/statements.ts';

/**
 * A step of the schema, forward only, one text for both databases. Names start with their number; a step that has been
 * released never changes.
 */
export interface Migration {
  readonly name: string;
  statements(words: SchemaWords): readonly string[];
}

/** What a migration can say. */
export interface SchemaWords {
  /** A strict table. Columns are not null unless they say so; key columns come first. */
  table(name: string, columns: (columns: Columns) => Columns): string;
  addColumn(table: string, column: (columns: Columns) => Columns): string;
  /** An index; with `where`, of the rows only whose columns have these values. */
  index(name: string, table: string, columns: readonly string[], where?: Record<string, string | number>): string;
  /** No two rows have the same values there, with `where` of the rows only whose columns have these; a null equals nothing. */
  uniqueIndex(name: string, table: string, columns: readonly string[], where?: Record<string, string | number>): string;
}

/** Columns in order; the words after a column speak of it. */
export interface Columns {
  /** Text that compares by its UTF-8 bytes. */
  text(name: string): Columns;
  /** A whole number of 64 bits. */
  integer(name: string): Columns;
  bytes(name: string): Columns;
  nullable(): Columns;
  /** Part of the primary key. */
  key(): Columns;
  unique(): Columns;
  /** The value that existing rows get. */
  preset(value: string | number): Columns;
  readonly list: readonly Column[];
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly suffix: string;
  readonly isNullable: boolean;
  readonly isKey: boolean;
}

// Byte order is what SQLite has by itself, and what makes both databases sort alike.
const TYPES = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea' },
} as const;

/** The schema words of a database. */
export function schemaWords(engine: Engine): SchemaWords {
  const none = columns(engine, []);
  return {
    table(name, declare) {
      const { list } = declare(none);
      const keys = list.filter((column) => column.isKey).map((column) => column.name);
      const body = [...list.map(columnText), `primary key (${keys.join(', ')})`].join(', ');
      return `create table ${name} (${body})${engine === 'sqlite' ? ' strict, without rowid' : ''}`;
    },
    addColumn: (table, declare) => `alter table ${table} add column ${columnText(declare(none).list[0]!)}`,
    index: (name, table, on, where) => `create index ${name} on ${table} (${on.join(', ')})${condition(where)}`,
    uniqueIndex: (name, table, on, where) =>
      `create unique index ${name} on ${table} (${on.join(', ')})${condition(where)}`,
  };
}

function columns(engine: Engine, list: readonly Column[]): Columns {
  const add = (name: string, type: string): Columns =>
    columns(engine, [...list, { name, type, suffix: '', isNullable: false, isKey: false }]);
  const change = (changed: Partial<Column>): Columns =>
    columns(engine, [...list.slice(0, -1), { ...list.at(-1)!, ...changed }]);
  return {
    list,
    text: (name) => add(name, TYPES[engine].text),
    integer: (name) => add(name, TYPES[engine].integer),
    bytes: (name) => add(name, TYPES[engine].bytes),
    nullable: () => change({ isNullable: true }),
    key: () => change({ isKey: true }),
    unique: () => change({ suffix: `${list.at(-1)!.suffix} unique` }),
    preset: (value) => change({ suffix: `${list.at(-1)!.suffix} default ${literal(value)}` }),
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
