import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { csvReader } from '../../base/csv.ts';
import { CommandFailed } from '../failure.ts';
import { linesOf, textOf } from '../lines.ts';
import { COLUMNS, type PersonRecord } from './record.ts';

/** A record of a file, or what is wrong with it. */
export type FileRecord = PersonRecord | string;

/** Several values of one column of comma-separated values stand behind one another. */
const BETWEEN = ';';
const known = new Set(COLUMNS);

/** What a file is called in the progress of imports: a file that was changed is another one. */
export function sourceOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `file:${hash('sha256', `${realpathSync(path)}\n${size}\n${mtimeMs}`).slice(0, 32)}`;
}

/** The records of a file, one after the other, whatever its size. @throws CommandFailed when it is no such file */
export function recordsOf(path: string): AsyncGenerator<FileRecord> {
  if (/\.csv$/i.test(path)) return csvRecords(path);
  if (/\.(ndjson|jsonl)$/i.test(path)) return ndjsonRecords(path);
  throw new CommandFailed(`${path}: expected a file that ends in .ndjson, .jsonl or .csv`, 2);
}

async function* ndjsonRecords(path: string): AsyncGenerator<FileRecord> {
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if ('error' in line) yield line.error;
      else if (line.text.trim() !== '') yield recordOf(line.text);
    }
  }
}

function recordOf(line: string): FileRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is no object';
  const record: Record<string, readonly string[]> = {};
  for (const [name, input] of Object.entries(value)) {
    if (!known.has(name)) return `${JSON.stringify(name)} is not known; known are ${COLUMNS.join(', ')}`;
    const values = [input].flat().filter((each) => each !== null && each !== '');
    if (values.some((each) => typeof each === 'object')) return `${name}: expected a text or a list of texts`;
    record[name] = values.map(String);
  }
  return record;
}

async function* csvRecords(path: string): AsyncGenerator<FileRecord> {
  const reader = csvReader();
  let columns: readonly string[] | undefined;
  const read = function* (rows: readonly string[][]): Generator<FileRecord> {
    for (const row of rows) {
      if (columns) yield rowRecord(columns, row);
      else columns = columnsFrom(path, row);
    }
  };
  for await (const piece of textOf(path)) yield* read(reader.push(piece));
  yield* read(reader.end());
}

function columnsFrom(path: string, head: readonly string[]): string[] {
  const columns = head.map((name) => name.trim().toLowerCase());
  const strange = columns.filter((name) => !known.has(name));
  if (strange.length > 0) {
    throw new CommandFailed(`${path}: no column is called ${strange.join(', ')}; known are ${COLUMNS.join(', ')}`, 2);
  }
  if (!columns.includes('user_id')) throw new CommandFailed(`${path}: a column user_id is required`, 2);
  return columns;
}

function rowRecord(columns: readonly string[], row: readonly string[]): FileRecord {
  if (row.length !== columns.length) return `has ${row.length} values, and there are ${columns.length} columns`;
  const values = row.map((text) => text.split(BETWEEN).filter((each) => each.trim() !== ''));
  return Object.fromEntries(columns.map((name, index) => [name, values[index]!]));
}
