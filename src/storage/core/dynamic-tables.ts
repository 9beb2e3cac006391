import type { Compilable, Kysely } from 'kysely';
import type { Db, Value } from './statements.ts';

/** Tables and columns whose names are values at run time. */
export interface DynamicTables {
  readonly [table: string]: { readonly [column: string]: Value };
}

/**
 * The query builder for tables whose names are values: those of declared resources and sealed columns, and rows that
 * are written by the names of their members. Only here does the compiler not check the names of tables and columns;
 * callers take them from declarations or typed parameters, never from a request. Values are checked to be values.
 */
export function dynamic(db: Db): Kysely<DynamicTables> {
  return db.$extendTables<DynamicTables>().$pickTables<string>();
}

/** Declares the row type of a statement over dynamic tables: the columns that it selects. */
export function returning<Row>(query: Compilable<unknown>): Compilable<Row> {
  return query as Compilable<Row>;
}
