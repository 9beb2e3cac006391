import type { Column } from './table-schema.ts';

/** A row outside a database: text as is, integers as decimal text, bytes as bytes, in column order. */
export type TransferRow = readonly (string | Uint8Array | null)[];

/** A line does not hold a row of its table. */
export class MalformedRow extends Error {
  override readonly name = 'MalformedRow';
}

/** Integers with up to this many digits are exact in every JSON parser. */
const EXACT_DIGITS = 15;

/**
 * A row as one line of JSON: an array in column order. Integers are numbers if every JSON parser reads them exactly,
 * otherwise decimal strings; bytes are base64.
 * @source decision 450
 */
export function rowToLine(columns: readonly Column[], row: TransferRow): string {
  const values = columns.map(({ type }, index) => {
    const value = row[index]!;
    if (value === null) return 'null';
    if (typeof value !== 'string')
      return `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`;
    return type === 'integer' && value.length <= EXACT_DIGITS ? value : JSON.stringify(value);
  });
  return `[${values.join(',')}]\n`;
}

/** The row in a line. @throws MalformedRow */
function parseRow(columns: readonly Column[], line: string): TransferRow {
  const values = parsed(line);
  if (!Array.isArray(values) || values.length !== columns.length)
    throw new MalformedRow('a row has the wrong number of columns');
  return columns.map(({ name, type }, index) => {
    const value: unknown = values[index];
    if (value === null) return null;
    if (type === 'integer' && (Number.isSafeInteger(value) || /^-?\d+$/.test(String(value)))) return String(value);
    if (typeof value !== 'string' || type === 'integer')
      throw new MalformedRow(`column ${name} of a row is not of type ${type}`);
    return type === 'bytes' ? Buffer.from(value, 'base64') : value;
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new MalformedRow('a row is not JSON');
  }
}

/** The rows of a chunk of lines. @throws MalformedRow */
export function parseRows(columns: readonly Column[], lines: Uint8Array): TransferRow[] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.length).toString('utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseRow(columns, line));
}
