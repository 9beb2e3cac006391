import { InputError } from './input-error.ts';

/** A row, and the number of its first line, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly values: readonly string[];
}

/** An incremental reader of comma-separated values (RFC 4180). */
interface CsvReader {
  /** Reads a piece of text; returns the rows completed by it. @throws CsvError */
  push(piece: string): CsvRow[];
  /** Returns the last row, when no line end follows it. @throws CsvError when the text ends within quotes */
  end(): CsvRow[];
}

/** The text is not valid CSV. */
export class CsvError extends InputError {
  override readonly name = 'CsvError';
}

/** Maximum length of a row in characters: a longer one must lack a closing quote. */
const VALUE_MAX = 1_000_000;

/** Accepted separators, the rarest in values first; spreadsheets in many countries write semicolons. */
export const SEPARATORS = ['\t', '|', ';', ','] as const;

/** A separator of values. */
export type Separator = (typeof SEPARATORS)[number];

/** Creates a CSV reader. Blank lines and a leading byte order mark are skipped. */
export function csvReader(separator: Separator = ','): CsvReader {
  let rest = '';
  let isFirst = true;
  let line = 1;
  const read = (isLast: boolean): CsvRow[] => {
    const rows: CsvRow[] = [];
    let from = 0;
    for (;;) {
      const row = readRow(rest, from, { isLast, separator });
      if (!row) break;
      if (row.values.length > 1 || row.values[0] !== '') rows.push({ line, values: row.values });
      line += row.lines;
      from = row.next;
    }
    rest = rest.slice(from);
    if (rest.length > VALUE_MAX) throw new CsvError(`the row in line ${line} has no end: is a quote missing?`);
    return rows;
  };
  return {
    push(piece) {
      rest += isFirst ? piece.replace(/^\ufeff/, '') : piece;
      isFirst &&= piece === '';
      return read(false);
    },
    end: () => read(true),
  };
}

/** Parses one row from an offset; undefined when the text ends before the row. */
function readRow(
  text: string,
  from: number,
  { isLast, separator }: { readonly isLast: boolean; readonly separator: Separator },
): { values: string[]; next: number; lines: number } | undefined {
  if (from >= text.length) return undefined;
  const values: string[] = [];
  let lines = 1;
  for (let at = from; ; ) {
    let value = '';
    if (text[at] === '"') {
      const quoted = readQuoted(text, at + 1, isLast);
      if (!quoted) return undefined;
      [value, at] = quoted;
      if (value.includes('\n')) lines += value.split('\n').length - 1;
    } else {
      const end = endOfValue(text, at, separator.charCodeAt(0));
      value = text.slice(at, end);
      at = end;
    }
    if (at >= text.length && !isLast) return undefined;
    values.push(value);
    const mark = text[at];
    if (mark === separator) {
      at += 1;
      continue;
    }
    if (mark === '\r') {
      // The second half of a CRLF may be in the next piece.
      if (at + 1 >= text.length && !isLast) return undefined;
      return { values, next: at + (text[at + 1] === '\n' ? 2 : 1), lines };
    }
    if (mark !== undefined && mark !== '\n') throw new CsvError('text follows a value in quotes');
    return { values, next: at + 1, lines };
  }
}

function endOfValue(text: string, from: number, separator: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === separator || code === 10 || code === 13) return at;
  }
  return text.length;
}

/** Parses a quoted value and returns its end; undefined when the end is still missing. */
function readQuoted(text: string, from: number, isLast: boolean): [value: string, next: number] | undefined {
  let value = '';
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || (quote + 1 === text.length && !isLast)) {
      if (isLast) throw new CsvError('the text ends within quotes');
      return undefined;
    }
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') return [value, quote + 1];
    value += '"';
    at = quote + 2;
  }
}

/**
 * Formats a table as CSV. Texts are quoted, because spreadsheets of many locales use other separators; a text that starts
 * like a formula gets an apostrophe, so that it is not evaluated.
 */
export function formatCsv(rows: readonly (readonly (string | number)[])[]): string {
  return `${rows.map((cells) => cells.map(cellText).join(',')).join('\r\n')}\r\n`;
}

function cellText(cell: string | number): string {
  if (typeof cell === 'number' || cell === '') return String(cell);
  return `"${(/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`;
}
