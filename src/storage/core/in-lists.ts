import {
  type Expression,
  type ExpressionBuilder,
  type ExtractTypeFromReferenceExpression,
  type ReferenceExpression,
  type SqlBool,
  sql,
} from 'kysely';
import type { DynamicTables } from './dynamic-tables.ts';
import type { Dialect, Value } from './statements.ts';

const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** How many places a list of this length takes: lists are padded to a few sizes, so that few statements exist. */
export function paddedSize(length: number): number {
  return SIZES.find((size) => size >= length) ?? length;
}

/** Whether a column has one of some values. SQLite makes a table for `in`, even of one. */
export function inList<DB, TB extends keyof DB, Column extends ReferenceExpression<DB, TB>>(
  eb: ExpressionBuilder<DB, TB>,
  column: Column,
  values: readonly ExtractTypeFromReferenceExpression<DB, TB, Column>[],
): Expression<SqlBool> {
  const [first] = values;
  return values.length === 1 ? eb(column, '=', first!) : eb(column, 'in', values);
}

/**
 * Whether a row is of an account and its column has one of some values, in a column that an index has behind the account. SQLite
 * would rather read the whole account than look once for each value; pairs leave it no choice.
 */
export function inListOfAccount(
  eb: ExpressionBuilder<DynamicTables, string>,
  account: Value,
  column: string,
  values: readonly Value[],
  dialect: Dialect,
): Expression<SqlBool> {
  if (values.length === 1 || dialect === 'postgres') {
    return eb.and([eb('account_id', '=', account), inList(eb, column, values)]);
  }
  const pairs = values.map((value) => sql`(${account}, ${value})`);
  return sql<SqlBool>`(${sql.ref('account_id')}, ${sql.ref(column)}) in (values ${sql.join(pairs)})`;
}
