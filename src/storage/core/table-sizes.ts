import type { Driver } from './driver.ts';
import type { Session } from './session.ts';

/** How large a table is. */
export interface TableSize {
  readonly rows: number;
  /** Including indexes. */
  readonly bytes: number;
  /** The minimum of the time column; null if there is none. */
  readonly oldest: string | number | null;
}

/** Larger tables are estimated on PostgreSQL. */
const COUNTED_MAX = 100_000;

/** Measures tables. Names are of the schema. */
export async function tableSizes(
  driver: Driver,
  tables: Readonly<Record<string, { readonly time: string }>>,
): Promise<Map<string, TableSize>> {
  const found = new Map<string, TableSize>();
  for (const [table, { time }] of Object.entries(tables)) {
    found.set(table, await driver.read((session) => sizeOf(session, table, time)));
  }
  return found;
}

async function sizeOf(session: Session, table: string, time: string): Promise<TableSize> {
  const one = async (sql: string, ...values: string[]): Promise<string | number | null> =>
    (await session.allRaw<{ value: string | number | null }>(`select ${sql} as value`, values))[0]!.value;
  const oldest = await one(`(select min(${time}) from ${table})`);
  const count = async (): Promise<number> => Number(await one(`(select count(*) from ${table})`));
  if (session.dialect === 'sqlite') {
    const trees = '(select name from sqlite_schema where tbl_name = ?)';
    const bytes = await one(`(select sum(pgsize) from dbstat where aggregate = true and name in ${trees})`, table);
    return { rows: await count(), bytes: Number(bytes), oldest };
  }
  const estimate = Number(await one('(select reltuples from pg_class where oid = $1::regclass)', table));
  const bytes = await one('pg_total_relation_size($1::regclass)', table);
  return { rows: estimate > COUNTED_MAX ? estimate : await count(), bytes: Number(bytes), oldest };
}
