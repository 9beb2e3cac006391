import { sql } from 'kysely';
import type { Database, TableName } from './database.ts';
import { dynamic } from './dynamic-tables.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Describes rows to remove by age. */
interface AgingRows<Table extends TableName> {
  readonly table: Table;
  /** The columns of the primary key. */
  readonly key: readonly (keyof Database[Table] & string)[];
  /** The column with the time. */
  readonly time: keyof Database[Table] & string;
  /** Further conditions by column. */
  readonly and?: Readonly<Record<string, readonly ['=' | '<=', Value]>>;
}

/** Removes up to `max` of the oldest rows before a time, so that other writes wait only briefly; returns their number. */
export function removeOldest<Table extends TableName>(
  session: Session,
  { table, key, time, and = {} }: AgingRows<Table>,
  before: Value,
  max: number,
): Promise<number> {
  const [name, column]: [string, string] = [table, time];
  const conditions = Object.entries(and);
  const values = Object.fromEntries(conditions.map(([other, [, value]]) => [other, value]));
  const args = { before, max, values: [values] };
  return session.run(`${name} remove oldest by ${time} ${Object.keys(and)}`, args, (db, param) => {
    let old = dynamic(db)
      .selectFrom(name)
      .select([...key])
      .where(column, '<', param('before'));
    for (const [other, [operator]] of conditions) {
      old = old.where(other, operator, param.cell('values', 0, other));
    }
    const refs = sql.join(key.map((each) => sql.ref(each)));
    return (
      dynamic(db)
        .deleteFrom(name)
        .where(sql<boolean>`(${refs}) in ${old.orderBy(column).limit(param('max'))}`)
        // Checked again under the lock: the row may have been used meanwhile.
        .where(column, '<', param('before'))
    );
  });
}
