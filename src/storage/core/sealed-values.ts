import type { SealedColumn } from '../../contract/store/sealed-columns.ts';
import { dynamic, returning } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import { updateDynamicRows } from './table-rows.ts';

/** A sealed secret and the key of its row. */
export interface SealedValue {
  readonly key: string;
  readonly value: string;
}

/** The sealed secrets of a column in the order of their row keys: the next `limit` after a key. */
export async function listSealedValues(
  session: Session,
  { table, column, key }: SealedColumn,
  after: string,
  limit: number,
): Promise<SealedValue[]> {
  return session.all(`sealed ${table} ${column}`, { after, limit }, (db, param) =>
    returning<SealedValue>(
      dynamic(db)
        .selectFrom(table)
        .select([`${key} as key`, `${column} as value`])
        .where(column, 'is not', null)
        .where(column, '<>', '')
        .where(key, '>', param('after'))
        .orderBy(key)
        .limit(param('limit')),
    ),
  );
}

/** Replaces a value if it is still the `former` one; false if somebody else has changed or deleted it. */
export async function replaceSealedValue(
  session: Session,
  { table, column, key }: SealedColumn,
  { of, former, value }: { readonly of: string; readonly former: string; readonly value: string },
): Promise<boolean> {
  return (await updateDynamicRows(session, table, { [column]: value }, { [key]: of, [column]: former })) > 0;
}
