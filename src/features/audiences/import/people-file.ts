import { csvReader } from '../../../base/csv.ts';
import { InputError } from '../../../base/input-error.ts';
import { linesOf, readText } from '../../../base/lines.ts';
import { isObject } from '../../../base/objects.ts';
import { COLUMNS, type PersonRecord } from './person-record.ts';

/** A record of a file, or its error. */
export type FileRecord = PersonRecord | string;

/** Separates the values of one CSV column. */
const VALUE_SEPARATOR = ';';
const known = new Set(COLUMNS);

/** Streams the records of a .csv, .ndjson or .jsonl file. @throws InputError for other file names and broken CSV */
export function readPeopleFile(path: string): AsyncGenerator<FileRecord> {
  if (/\.csv$/i.test(path)) return csvRecords(path);
  if (/\.(ndjson|jsonl)$/i.test(path)) return ndjsonRecords(path);
  throw new InputError(`${path}: expected a file that ends in .ndjson, .jsonl or .csv`);
}

async function* ndjsonRecords(path: string): AsyncGenerator<FileRecord> {
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if ('error' in line) yield line.error;
      else if (line.text.trim() !== '') yield parseRecord(line.text);
    }
  }
}

function parseRecord(line: string): FileRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (!isObject(value)) return 'is not a JSON object';
  const record: Record<string, readonly string[]> = {};
  for (const [name, given] of Object.entries(value)) {
    if (!known.has(name)) return `unknown member ${JSON.stringify(name)}; expected one of ${COLUMNS.join(', ')}`;
    const values = [given].flat().filter((each) => each !== null && each !== '');
    if (values.some((each) => typeof each === 'object')) return `${name}: expected a string or a list of strings`;
    record[name] = values.map(String);
  }
  return record;
}

async function* csvRecords(path: string): AsyncGenerator<FileRecord> {
  const reader = csvReader();
  let columns: readonly string[] | undefined;
  const read = function* (rows: readonly string[][]): Generator<FileRecord> {
    for (const row of rows) {
      if (columns) yield recordFromRow(columns, row);
      else columns = parseHeader(row);
    }
  };
  for await (const piece of readText(path)) yield* read(reader.push(piece));
  yield* read(reader.end());
}

function parseHeader(head: readonly string[]): string[] {
  const columns = head.map((name) => name.trim().toLowerCase());
  const unknown = columns.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new InputError(`unknown column ${unknown.join(', ')}; expected any of ${COLUMNS.join(', ')}`);
  }
  if (!columns.includes('user_id')) throw new InputError(`the column user_id is required`);
  return columns;
}

function recordFromRow(columns: readonly string[], row: readonly string[]): FileRecord {
  if (row.length !== columns.length) return `has ${row.length} values; expected ${columns.length}`;
  const values = row.map((text) => text.split(VALUE_SEPARATOR).filter((each) => each.trim() !== ''));
  return Object.fromEntries(columns.map((name, index) => [name, values[index]!]));
}
