import { sql } from 'kysely';
import type { Argument, Engine, Value } from './statements.ts';

/** A query that is being built. */
// biome-ignore lint/suspicious/noExplicitAny: builders of tables that are not typed here
export type Builder = any;

const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** How many places a list of this length takes: lists are padded to a few sizes, so that few shapes of a statement exist. */
export function sizeFor(length: number): number {
  return SIZES.find((size) => size >= length) ?? length;
}

/** Rows whose column has one of some values. SQLite makes a table for `in`, even of one. */
export function among(start: Builder, column: string, size: number, argument: Argument): Builder {
  if (size === 1) return start.where(column, '=', argument(`${column}.0`));
  const values = Array.from({ length: size }, (_, index) => argument(`${column}.${index}`));
  return start.where(column, 'in', values);
}

/**
 * Rows of an account whose column has one of some values, in a column that an index has behind the account. SQLite
 * would rather read the whole account than look once for each value; pairs leave it no choice.
 */
export function amongOfAccount(
  start: Builder,
  column: string,
  size: number,
  argument: Argument,
  engine: Engine,
): Builder {
  if (size === 1 || engine === 'postgres') {
    return among(start.where('account_id', '=', argument('account')), column, size, argument);
  }
  const pairs = Array.from(
    { length: size },
    (_, index) => sql`(${argument('account')}, ${argument(`${column}.${index}`)})`,
  );
  return start.where(sql<boolean>`(${sql.ref('account_id')}, ${sql.ref(column)}) in (values ${sql.join(pairs)})`);
}

/** Names the values of a list; the places beyond its end repeat the first. */
export function addValues(args: Record<string, Value>, column: string, values: readonly Value[], size: number): void {
  for (let index = 0; index < size; index++) args[`${column}.${index}`] = values[index] ?? values[0]!;
}
