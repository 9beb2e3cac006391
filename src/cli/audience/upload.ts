import { hash } from 'node:crypto';
import { csvReader } from '../../base/csv.ts';
import { readText } from '../../base/lines.ts';
import { identifiersOf, type PersonIdentifiers } from '../../features/audiences/uploads/people-columns.ts';
import { UPLOAD_BYTES_MAX } from '../../features/audiences/uploads/upload-limits.ts';
import type { ConnectionProfile, Pair } from '../connection-profile.ts';
import { CommandFailed } from '../failure.ts';
import { printError } from '../output.ts';
import { detectColumns } from './columns.ts';
import { sendWithRetry } from './send-with-retry.ts';
import { progressFileOf } from './upload-progress.ts';

/** How a file is uploaded. */
export interface UploadOptions {
  readonly path: string;
  readonly caller: ConnectionProfile;
  readonly type: 'Update' | 'Delete';
  readonly window: { readonly effective_at?: string; readonly expires_at?: string };
  /** Identifier types of columns, by name, where names do not tell. */
  readonly columns: readonly Pair[];
}

/** The result of an upload. */
export interface UploadResult {
  readonly people: number;
  /** Rows without a valid identifier. @source decision 279 */
  readonly skipped: number;
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Size of a request without its people, in bytes. */
const AROUND_BYTES = 500;

/**
 * Uploads a file of any size in requests within the size limit. Acknowledged progress is stored beside the file, so that the
 * same command resumes an interrupted upload.
 */
export async function uploadFile(file: string, plan: UploadOptions): Promise<UploadResult> {
  const { path, type, window } = plan;
  const bookmark = progressFileOf(file, JSON.stringify([path, type, window, plan.columns]));
  const done = { ...bookmark.read() };
  if (done.rows > 0) printError(`resuming after row ${count(done.rows)}\n`);
  let people: string[] = [];
  let rows: number[] = [];
  let bytes = AROUND_BYTES;
  let last = done.rows;
  const flush = async (): Promise<void> => {
    if (people.length > 0) {
      const params = { ...window, users: [] };
      const head = JSON.stringify([{ operation_type: type, params }]);
      const json = head.replace('"users":[]', () => `"users":[${people.join(',')}]`);
      await sendWithRetry(plan, json, rows);
      done.people += people.length;
    }
    done.rows = last;
    bookmark.write(done);
    printError(`${count(done.people)} people\n`);
    people = [];
    rows = [];
    bytes = AROUND_BYTES;
  };
  for await (const { row, person } of personsOf(file, plan, done.rows)) {
    if (person) {
      const text = JSON.stringify(person);
      const size = Buffer.byteLength(text) + 1;
      if (bytes + size > UPLOAD_BYTES_MAX) await flush();
      people.push(text);
      rows.push(row);
      bytes += size;
    } else done.skipped += 1;
    last = row;
  }
  if (people.length > 0) await flush();
  bookmark.remove();
  return done;
}

interface Row {
  /** Row number from 1, not counting the header. */
  readonly row: number;
  readonly person: PersonIdentifiers | undefined;
}

async function* personsOf(file: string, { columns: pairs }: UploadOptions, after: number): AsyncGenerator<Row> {
  const reader = csvReader();
  let columns: ReturnType<typeof detectColumns> | undefined;
  let row = 0;
  const read = function* (rows: readonly string[][]): Generator<Row> {
    for (const values of rows) {
      if (!columns) columns = detectColumns(file, values, pairs);
      else if (++row > after) yield { row, person: identifiersOf(columns, values, sha256) };
    }
  };
  for await (const piece of readText(file)) yield* read(reader.push(piece));
  yield* read(reader.end());
  if (!columns) throw new CommandFailed(`${file} is empty`, 2);
}

function count(value: number): string {
  return value.toLocaleString('en');
}
