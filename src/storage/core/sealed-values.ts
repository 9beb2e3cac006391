import type { SealedColumn } from '../../contract/store/sealed-columns.ts';
import type { Session } from './session.ts';

/** A sealed secret, and the key of its row. */
export interface SealedValue {
  readonly key: string;
  readonly value: string;
}

/** The sealed secrets of a column, by the keys of their rows: the next `limit` after one. */
export async function sealedValues(
  session: Session,
  { table, column, key }: SealedColumn,
  after: string,
  limit: number,
): Promise<SealedValue[]> {
  const statement = session.statements.of(`sealed ${table} ${column}`, (queries, argument) =>
    queries
      .selectFrom(table)
      .select([`${key} as key`, `${column} as value`])
      .where(column, 'is not', null)
      .where(column, '<>', '')
      .where(key, '>', argument('after'))
      .orderBy(key)
      .limit(argument('limit')),
  );
  return session.all(statement, { after, limit });
}

/** Puts a value in the place of another; false when somebody else has changed or wiped it meanwhile. */
export async function replaceSealed(
  session: Session,
  { table, column, key }: SealedColumn,
  { of, former, value }: { readonly of: string; readonly former: string; readonly value: string },
): Promise<boolean> {
  const statement = session.statements.of(`sealed replace ${table} ${column}`, (queries, argument) =>
    queries
      .updateTable(table)
      .set({ [column]: argument('value') })
      .where(key, '=', argument('of'))
      .where(column, '=', argument('former')),
  );
  return (await session.run(statement, { of, former, value })) > 0;
}
