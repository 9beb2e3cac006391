import { createReadStream } from 'node:fs';
import { InputError } from '../../../base/input-error.ts';
import { readFileLines } from '../../../base/lines.ts';
import { isObject } from '../../../base/objects.ts';
import { columnOfName, REASONS } from '../uploads/people-columns.ts';
import { openTable } from '../uploads/people-table.ts';
import { COLUMNS, HASHED_SUFFIX, type PersonRecord } from './person-record.ts';

/** A record of a file or its error, with the line where it starts. */
type FileRecord = { readonly line: number } & ({ readonly record: PersonRecord } | { readonly error: string });

/** Separates the values of one CSV column. */
const VALUE_SEPARATOR = ';';
const known = new Set(COLUMNS);

/** Streams the records of a file. @throws InputError for other file names and broken CSV */
export function readPeopleFile(path: string): AsyncGenerator<FileRecord> {
  if (/\.(csv|tsv|txt)$/i.test(path)) return csvRecords(path);
  if (/\.(ndjson|jsonl)$/i.test(path)) return ndjsonRecords(path);
  throw new InputError(`${path}: expected a file that ends in .ndjson, .jsonl, .csv, .tsv or .txt`);
}

async function* ndjsonRecords(path: string): AsyncGenerator<FileRecord> {
  let number = 0;
  for await (const lines of readFileLines(path)) {
    for (const line of lines) {
      number += 1;
      if ('text' in line && line.text.trim() === '') continue;
      const read = 'error' in line ? line.error : parseRecord(line.text);
      yield typeof read === 'string' ? { line: number, error: read } : { line: number, record: read };
    }
  }
}

/** A record, or its error. */
function parseRecord(line: string): PersonRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (!isObject(value)) return 'is not a JSON object';
  const record: Record<string, readonly string[]> = {};
  for (const [name, member] of Object.entries(value)) {
    if (!known.has(name)) return `unknown member ${JSON.stringify(name)}; expected one of ${COLUMNS.join(', ')}`;
    const values = [member].flat().filter((each) => each !== null && each !== '');
    if (values.some((each) => typeof each === 'object')) return `${name}: expected a string or a list of strings`;
    record[name] = values.map(String);
  }
  return record;
}

async function* csvRecords(path: string): AsyncGenerator<FileRecord> {
  const table = await openTable(createReadStream(path));
  const columns = columnsOf(table.names);
  for await (const rows of table.rows())
    for (const { line, values } of rows) yield { line, ...readRow(columns, values) };
}

function columnsOf(names: readonly string[] | undefined): string[] {
  if (!names) throw new InputError('the names of columns are required in the first line');
  const columns = names.map((name) => columnNamed(name) ?? name);
  const unknown = columns.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new InputError(`unknown column ${unknown.join(', ')}; expected any of ${COLUMNS.join(', ')}`);
  }
  if (!columns.includes('user_id')) throw new InputError(`the column user_id is required`);
  return columns;
}

/** Returns the column with this name, or with a common name of an identifier. */
function columnNamed(name: string): string | undefined {
  const own = name.toLowerCase();
  if (known.has(own)) return own;
  const { kind, isHashed } = columnOfName(name) ?? {};
  if (kind === 'service_user_id') return 'user_id';
  return kind && `${kind}${isHashed ? HASHED_SUFFIX : ''}`;
}

function readRow(columns: readonly string[], row: readonly string[]) {
  if (row.length !== columns.length) return { error: `has ${row.length} values; expected ${columns.length}` };
  if (row.some((text) => /[\0\ufffd]/.test(text))) return { error: REASONS.unreadable };
  const values = row.map((text) => text.split(VALUE_SEPARATOR).filter((each) => each.trim() !== ''));
  return { record: Object.fromEntries(columns.map((name, index) => [name, values[index]!])) };
}
