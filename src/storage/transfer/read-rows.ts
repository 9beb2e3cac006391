import { createHash } from 'node:crypto';
import type { Session } from '../core/session.ts';
import { rowToLine, type TransferRow } from './row-lines.ts';
import { queryRaw, quoteIdentifier, type TableSchema, TRANSIENT_COLUMNS } from './table-schema.ts';

/** Rows per query: fewer where a row may have megabytes. */
const ROWS = 500;
const ROWS_WITH_BYTES = 16;
/** Size at which a chunk of lines is passed on, in bytes. */
const LINES_BYTES = 1_048_576;

/** The number of rows of a table, and the SHA-256 of their lines in primary key order. @source decision 450 */
export interface TableChecksum {
  readonly rows: number;
  readonly sha256: string;
}

/**
 * Reads a table in primary key order, which is the same on both databases, and passes its lines on in chunks of about a
 * megabyte, so that memory does not grow with the table.
 */
export async function readTable(
  session: Session,
  table: TableSchema,
  take: (lines: Buffer, rows: number) => Promise<void>,
): Promise<TableChecksum> {
  const sum = createHash('sha256');
  let lines: string[] = [];
  let length = 0;
  let total = 0;
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const bytes = Buffer.from(lines.join(''));
    sum.update(bytes);
    total += lines.length;
    const { length: rows } = lines;
    lines = [];
    length = 0;
    await take(bytes, rows);
  };
  for await (const row of rowsInOrder(session, table)) {
    const line = rowToLine(table.columns, row);
    lines.push(line);
    length += line.length;
    if (length >= LINES_BYTES) await flush();
  }
  await flush();
  return { rows: total, sha256: sum.digest('hex') };
}

async function* rowsInOrder(session: Session, table: TableSchema): AsyncGenerator<TransferRow> {
  const { columns, key } = table;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const isInteger = (name: string): boolean => types.get(name) === 'integer';
  const transient = TRANSIENT_COLUMNS[table.name] ?? [];
  // Integers are read as text, since JavaScript numbers would lose digits.
  const selected = columns.map(({ name }) =>
    transient.includes(name)
      ? `null as ${quoteIdentifier(name)}`
      : isInteger(name)
        ? `cast(${quoteIdentifier(name)} as text) as ${quoteIdentifier(name)}`
        : quoteIdentifier(name),
  );
  const places = key.map((name) => (isInteger(name) ? 'cast(? as bigint)' : '?'));
  const keys = key.map((name) => `${quoteIdentifier(table.name)}.${quoteIdentifier(name)}`).join(', ');
  const after = `where (${keys}) > (${places.join(', ')})`;
  const limit = columns.some(({ type }) => type === 'bytes') ? ROWS_WITH_BYTES : ROWS;
  const select = `select ${selected.join(', ')} from ${quoteIdentifier(table.name)}`;
  let last: readonly (string | Uint8Array | null)[] | undefined;
  for (;;) {
    const sql = `${select} ${last ? after : ''} order by ${keys} limit ${limit}`;
    const rows = await queryRaw<Readonly<Record<string, string | Uint8Array | null>>>(session, sql, last);
    for (const row of rows) yield columns.map(({ name }) => row[name]!);
    if (rows.length < limit) return;
    const end = rows.at(-1)!;
    last = key.map((name) => end[name]!);
  }
}
