import { createHash } from 'node:crypto';
import type { Session } from '../core/session.ts';
import { rowToLine, type TransferRow } from './row-lines.ts';
import { queryRaw, quoteIdentifier, type TableSchema } from './table-schema.ts';

/** Rows read at once: fewer where one of them may have megabytes. */
const ROWS = 500;
const ROWS_WITH_BYTES = 16;
/** Bytes of lines after which a chunk is passed on. */
const LINES_BYTES = 1_048_576;

/** How many rows a table has, and the SHA-256 of their lines in the order of the primary key. */
export interface TableChecksum {
  readonly rows: number;
  readonly sha256: string;
}

/**
 * Reads a table in the order of its primary key, which is the same on both databases, and hands its lines on in pieces of
 * about a megabyte, so that memory does not grow with the table.
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
  const hand = async (): Promise<void> => {
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
    if (length >= LINES_BYTES) await hand();
  }
  await hand();
  return { rows: total, sha256: sum.digest('hex') };
}

async function* rowsInOrder(session: Session, table: TableSchema): AsyncGenerator<TransferRow> {
  const { columns, key } = table;
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const isInteger = (name: string): boolean => types.get(name) === 'integer';
  // Text keeps every digit of an integer; numbers of JavaScript would not.
  const selected = columns.map(({ name }) =>
    isInteger(name) ? `cast(${quoteIdentifier(name)} as text) as ${quoteIdentifier(name)}` : quoteIdentifier(name),
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
