import type { SealedColumn } from '../../contract/store/sealed-columns.ts';
import { dynamic, returning } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import { updateDynamicRows } from './table-rows.ts';

/** A sealed secret with the key of its row. */
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

/** Finds a secret sealed with none of these keys; undefined if there is none. Scans the whole column. */
export async function findSealedOtherwise(
  session: Session,
  { table, column }: SealedColumn,
  keyIds: readonly string[],
): Promise<string | undefined> {
  const ids = keyIds.map((id) => ({ form: `${id}.%` }));
  const row = await session.first(`sealed otherwise ${table} ${column} ${ids.length}`, { ids }, (db, param) => {
    let found = dynamic(db).selectFrom(table).select(`${column} as value`).where(column, '<>', '').limit(1);
    for (const at of ids.keys()) found = found.where(column, 'not like', param.cell('ids', at, 'form'));
    return returning<{ value: string }>(found);
  });
  return row?.value;
}

/** Replaces a value if it is still `former`; false if it has been changed or deleted. */
export async function replaceSealedValue(
  session: Session,
  { table, column, key }: SealedColumn,
  { of, former, value }: { readonly of: string; readonly former: string; readonly value: string },
): Promise<boolean> {
  return (await updateDynamicRows(session, table, { [column]: value }, { [key]: of, [column]: former })) > 0;
}
