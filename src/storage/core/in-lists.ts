import {
  type Compilable,
  type Expression,
  type ExpressionBuilder,
  type ExtractTypeFromReferenceExpression,
  type ReferenceExpression,
  type SqlBool,
  sql,
} from 'kysely';
import type { DynamicTables } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import type { Args, Db, Dialect, Param, Value } from './statements.ts';

const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** How many placeholders a list of this length takes: lists are padded to a few sizes, so that few statements exist. */
export function paddedSize(length: number): number {
  return SIZES.find((size) => size >= length) ?? length;
}

/** The rows of a statement about a list of values; without values there are none. */
export async function allListed<Item extends Value, A extends Args, Row>(
  session: Session,
  key: string,
  values: readonly Item[],
  args: A,
  build: (db: Db, values: Item[], param: Param<A>) => Compilable<Row>,
): Promise<Row[]> {
  if (values.length === 0) return [];
  const size = paddedSize(values.length);
  return session.all(`${key} ${size}`, { ...args, values }, (db, param) =>
    build(db, param.list('values', size), param),
  );
}

/** Whether a column has one of several values. SQLite builds a temporary table for `in`, even for one value. */
export function inList<DB, TB extends keyof DB, Column extends ReferenceExpression<DB, TB>>(
  eb: ExpressionBuilder<DB, TB>,
  column: Column,
  values: readonly ExtractTypeFromReferenceExpression<DB, TB, Column>[],
): Expression<SqlBool> {
  const [first] = values;
  return values.length === 1 ? eb(column, '=', first!) : eb(column, 'in', values);
}

/**
 * Tests the account and a column that follows it in an index against several values. SQLite's planner prefers to scan
 * the whole account; row values make it look up each pair.
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
  return sql<SqlBool>`unlikely((${sql.ref('account_id')}, ${sql.ref(column)}) in (values ${sql.join(pairs)}))`;
}
