import type { Compilable, Kysely } from 'kysely';
import type { Db, Value } from './statements.ts';

/** Tables and columns whose names are values of the program, and not written in its text. */
export interface DynamicTables {
  readonly [table: string]: { readonly [column: string]: Value };
}

/**
 * The query builder for tables that come as values: those of declared resources and of sealed columns, and rows that are
 * written by the names of their members. Here alone the compiler does not check the names of tables and columns; their callers
 * take them from declarations or from typed parameters, never from a request. Values are checked to be values.
 */
export function dynamic(db: Db): Kysely<DynamicTables> {
  return db.$extendTables<DynamicTables>().$pickTables<string>();
}

/** Says which rows a statement over dynamic tables returns: those of the columns that it was made to select. */
export function returning<Row>(query: Compilable<unknown>): Compilable<Row> {
  return query as Compilable<Row>;
}
