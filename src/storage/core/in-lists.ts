import { sql } from 'kysely';
import type { Dialect, Param, Value } from './statements.ts';

/** A query that is being built. */
// biome-ignore lint/suspicious/noExplicitAny: builders of tables that are not typed here
export type Builder = any;

const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** How many places a list of this length takes: lists are padded to a few sizes, so that few shapes of a statement exist. */
export function paddedSize(length: number): number {
  return SIZES.find((size) => size >= length) ?? length;
}

/** Rows whose column has one of some values. SQLite makes a table for `in`, even of one. */
export function whereIn(start: Builder, column: string, size: number, param: Param): Builder {
  if (size === 1) return start.where(column, '=', param(`${column}.0`));
  const values = Array.from({ length: size }, (_, index) => param(`${column}.${index}`));
  return start.where(column, 'in', values);
}

/**
 * Rows of an account whose column has one of some values, in a column that an index has behind the account. SQLite
 * would rather read the whole account than look once for each value; pairs leave it no choice.
 */
export function whereInOfAccount(
  start: Builder,
  column: string,
  size: number,
  param: Param,
  dialect: Dialect,
): Builder {
  if (size === 1 || dialect === 'postgres') {
    return whereIn(start.where('account_id', '=', param('account')), column, size, param);
  }
  const pairs = Array.from({ length: size }, (_, index) => sql`(${param('account')}, ${param(`${column}.${index}`)})`);
  return start.where(sql<boolean>`(${sql.ref('account_id')}, ${sql.ref(column)}) in (values ${sql.join(pairs)})`);
}

/** Names the values of a list; the places beyond its end repeat the first. */
export function bindList(args: Record<string, Value>, column: string, values: readonly Value[], size: number): void {
  for (let index = 0; index < size; index++) args[`${column}.${index}`] = values[index] ?? values[0]!;
}
