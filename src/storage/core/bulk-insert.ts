import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Rows in one statement, from many to few: few shapes of a statement exist, and none has too many arguments. */
const SIZES = [100, 20, 5, 1];

/** Inserts rows that have the same columns, in few statements and in their order. */
export async function insertRows(
  session: Session,
  table: string,
  rows: readonly Readonly<Record<string, Value>>[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  for (let done = 0; done < rows.length; ) {
    const size = SIZES.find((each) => each <= rows.length - done)!;
    const statement = session.statements.cached(`insert ${table} ${size} ${columns}`, (db, param) =>
      db
        .insertInto(table)
        .values(
          Array.from({ length: size }, (_, index) =>
            Object.fromEntries(columns.map((name) => [name, param(`${name}.${index}`)])),
          ),
        ),
    );
    const args: Record<string, Value> = {};
    for (let index = 0; index < size; index++) {
      const row = rows[done + index]!;
      for (const name of columns) args[`${name}.${index}`] = row[name]!;
    }
    await session.run(statement, args);
    done += size;
  }
}
