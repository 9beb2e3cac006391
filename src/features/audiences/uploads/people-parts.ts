import { type PersonIdentifiers, type RowFault, type RowPlan, readRow, type Window } from './people-columns.ts';
import type { PeopleTable } from './people-table.ts';
import { OPERATIONS_MAX } from './upload-limits.ts';

/** The operation of an upload for people with the same membership. */
interface UploadOperation {
  readonly operation_type: 'Update' | 'Delete';
  readonly params: Window & { readonly users: readonly PersonIdentifiers[] };
}

/** The progress of an upload. */
export interface Progress {
  /** Processed rows, including rejected ones. */
  readonly rows: number;
  readonly people: number;
  /** Rejected rows. */
  readonly skipped: number;
  /** Skipped values in accepted rows. */
  readonly left_out: number;
}

/** The progress of an upload that has not started. */
export const NOTHING_YET: Progress = { rows: 0, people: 0, skipped: 0, left_out: 0 };

/** The error in a line of a file. */
export interface LineFault extends RowFault {
  readonly line: number;
  readonly isRefused: boolean;
}

/** A part of a file, sent in one request. */
export interface Part {
  readonly operations: readonly UploadOperation[];
  /** The line of each person, in the order of the operations. */
  readonly lines: readonly (readonly number[])[];
  readonly faults: readonly LineFault[];
  /** Progress after the part is sent. */
  readonly done: Progress;
}

/** Maximum number of faults reported with a part. */
const FAULTS_MAX = 10_000;
/** Size of an operation without its people. */
const AROUND_BYTES = 200;

/** Options for uploading a file. */
interface PartsPlan extends RowPlan {
  readonly type: 'Update' | 'Delete';
  /** Maximum size of a request. */
  readonly bytesMax: number;
  /** Progress so far. */
  readonly done: Progress;
}

/** Reads, normalizes and hashes the people of a file in parts; only hashes and partner user ids leave it. */
export async function* readParts(table: PeopleTable, plan: PartsPlan): AsyncGenerator<Part> {
  const { type, bytesMax, done: before } = plan;
  let { rows, people, skipped, left_out } = before;
  let row = 0;
  let groups = new Map<string, { window: Window; users: PersonIdentifiers[]; lines: number[] }>();
  let faults: LineFault[] = [];
  let bytes = 0;
  const part = (): Part => {
    const all = [...groups.values()];
    const operations = all.map(({ window, users }) => ({ operation_type: type, params: { ...window, users } }));
    const next = {
      operations,
      lines: all.map(({ lines }) => lines),
      faults,
      done: { rows, people, skipped, left_out },
    };
    groups = new Map();
    faults = [];
    bytes = 0;
    return next;
  };
  for await (const some of table.rows()) {
    for (const { line, values } of some) {
      row += 1;
      if (row <= before.rows) continue;
      const { person, window, faults: found } = readRow(values, plan);
      const key = `${window.effective_at} ${window.expires_at}`;
      const size = person ? sizeOf(person) + AROUND_BYTES : 0;
      const isFull = bytes + size > bytesMax || (groups.size === OPERATIONS_MAX && !groups.has(key));
      if ((isFull && groups.size > 0) || faults.length > FAULTS_MAX) yield part();
      for (const fault of found) faults.push({ ...fault, line, isRefused: !person });
      rows = row;
      if (!person) {
        skipped += 1;
        continue;
      }
      left_out += found.length;
      people += 1;
      bytes += groups.has(key) ? size - AROUND_BYTES : size;
      const group = groups.get(key) ?? { window, users: [], lines: [] };
      groups.set(key, group);
      group.users.push(person);
      group.lines.push(line);
    }
  }
  if (rows > before.rows) yield part();
}

/** Returns an upper bound of the size as JSON in UTF-8. */
function sizeOf(person: PersonIdentifiers): number {
  const own = person.partner_user_id?.join('').length ?? 0;
  return JSON.stringify(person).length + 1 + own * 2;
}
