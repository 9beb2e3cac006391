import type { Compilable, Kysely } from 'kysely';
import type { Db, Value } from './statements.ts';

/** Tables and columns whose names are values at run time. */
export interface DynamicTables {
  readonly [table: string]: { readonly [column: string]: Value };
}

/**
 * The query builder for tables whose names are known only at run time, such as those of declared resources. The
 * compiler does not check names of tables and columns here: callers take them from declarations or typed parameters,
 * never from a request.
 */
export function dynamic(db: Db): Kysely<DynamicTables> {
  return db.$extendTables<DynamicTables>().$pickTables<string>();
}

/** Declares the row type of a statement over dynamic tables: the columns that it selects. */
export function returning<Row>(query: Compilable<unknown>): Compilable<Row> {
  return query as Compilable<Row>;
}
