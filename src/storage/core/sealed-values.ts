import type { SealedColumn } from '../../contract/store/sealed-columns.ts';
import type { Session } from './session.ts';

/** A sealed secret, and the key of its row. */
export interface SealedValue {
  readonly key: string;
  readonly value: string;
}

/** The sealed secrets of a column, by the keys of their rows: the next `limit` after one. */
export async function listSealedValues(
  session: Session,
  { table, column, key }: SealedColumn,
  after: string,
  limit: number,
): Promise<SealedValue[]> {
  const statement = session.statements.cached(`sealed ${table} ${column}`, (db, param) =>
    db
      .selectFrom(table)
      .select([`${key} as key`, `${column} as value`])
      .where(column, 'is not', null)
      .where(column, '<>', '')
      .where(key, '>', param('after'))
      .orderBy(key)
      .limit(param('limit')),
  );
  return session.all(statement, { after, limit });
}

/** Puts a value in the place of another; false when somebody else has changed or wiped it meanwhile. */
export async function replaceSealedValue(
  session: Session,
  { table, column, key }: SealedColumn,
  { of, former, value }: { readonly of: string; readonly former: string; readonly value: string },
): Promise<boolean> {
  const statement = session.statements.cached(`sealed replace ${table} ${column}`, (db, param) =>
    db
      .updateTable(table)
      .set({ [column]: param('value') })
      .where(key, '=', param('of'))
      .where(column, '=', param('former')),
  );
  return (await session.run(statement, { of, former, value })) > 0;
}
