import { hash } from 'node:crypto';
import { appendFileSync, createReadStream, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { formatCsv } from '../../base/csv.ts';
import { after } from '../../base/timers.ts';
import {
  COLUMN_KINDS,
  type Column,
  type Columns,
  columnOf,
  isIdentifierKind,
  REASONS,
} from '../../features/audiences/uploads/people-columns.ts';
import {
  type LineFault,
  NOTHING_YET,
  type Part,
  type Progress,
  readParts,
} from '../../features/audiences/uploads/people-parts.ts';
import { openTable, type PeopleTable } from '../../features/audiences/uploads/people-table.ts';
import { UPLOAD_BYTES_MAX } from '../../features/audiences/uploads/upload-limits.ts';
import { sign } from '../../features/auth/oauth1/signature.ts';
import { buildRequest, type ConnectionProfile, type Pair, protocolParameters } from '../connection-profile.ts';
import { CommandFailed, errorMessage, UsageError } from '../failure.ts';
import { printError } from '../output.ts';
import { type Reply, send } from '../send.ts';

/** How a file is uploaded. */
export interface UploadOptions {
  readonly path: string;
  readonly caller: ConnectionProfile;
  readonly type: 'Update' | 'Delete';
  readonly window: { readonly effective_at?: string; readonly expires_at?: string };
  /** The types of columns by name, where names and values do not show them. */
  readonly columns: readonly Pair[];
  /** The country of phone numbers without its code. */
  readonly country: string | undefined;
  /** A file for everything that was refused or left out. */
  readonly report: string | undefined;
  readonly now: number;
}

/** Refused rows and values that are printed. @source decision 302 */
const FAULTS_MAX = 20;

/**
 * Uploads a file of any size in requests within the size limit. Acknowledged progress is stored beside the file, so that the
 * same command resumes an interrupted upload.
 */
export async function uploadFile(file: string, plan: UploadOptions): Promise<Progress> {
  const { path, type, window, country, now } = plan;
  const bookmark = progressFileOf(file, JSON.stringify([path, type, window, plan.columns, country]));
  let done = bookmark.read();
  if (done.rows > 0) printError(`resuming after row ${count(done.rows)}\n`);
  const table = await openTable(createReadStream(file));
  const columns = chooseColumns(file, table, plan.columns);
  const names = table.names ?? columns.map((_, index) => String(index + 1));
  printError(columnsText(names, columns));
  const report = reporter(names, plan.report, done.rows > 0);
  const parts = readParts(table, {
    columns,
    country,
    window,
    type,
    now,
    done,
    bytesMax: UPLOAD_BYTES_MAX,
    hash: (text) => hash('sha256', text, 'hex'),
  });
  for await (const part of parts) {
    if (part.operations.length > 0) await sendWithRetry(plan, part);
    report(part.faults);
    done = part.done;
    bookmark.write(done);
    printError(`${count(done.people)} people\n`);
  }
  bookmark.remove();
  return done;
}

function columnsText(names: readonly string[], columns: readonly (Column | undefined)[]): string {
  const used = columns.flatMap((column, index) =>
    column ? `${names[index]} as ${column.kind}${column.isHashed ? '_sha256' : ''}` : [],
  );
  const unused = names.filter((_, index) => !columns[index]);
  return `columns: ${used.join(', ')}\n${unused.length > 0 ? `not used: ${unused.join(', ')}\n` : ''}`;
}

/** Prints the first faults, and writes all of them to a file, which a resumed upload continues. */
function reporter(
  names: readonly string[],
  file: string | undefined,
  isResumed: boolean,
): (faults: readonly LineFault[]) => void {
  if (file !== undefined && !isResumed) writeFileSync(file, formatCsv([['line', 'column', 'reason', 'row']]));
  let printed = 0;
  return (faults) => {
    for (const { line, column, reason } of faults.slice(0, FAULTS_MAX - printed)) {
      const place = column === undefined ? '' : `, ${names[column]}`;
      printError(`line ${line}${place}: ${REASONS[reason]}\n`);
    }
    if (printed < FAULTS_MAX && printed + faults.length > FAULTS_MAX) printError('further ones are only counted\n');
    printed = Math.min(printed + faults.length, FAULTS_MAX);
    if (file === undefined || faults.length === 0) return;
    const rows = faults.map(({ line, column, reason, isRefused }) => [
      line,
      column === undefined ? '' : names[column]!,
      REASONS[reason],
      isRefused ? 'refused' : 'uploaded',
    ]);
    appendFileSync(file, formatCsv(rows));
  };
}

function count(value: number): string {
  return value.toLocaleString('en');
}

/** The type of each column; options name some. @throws CommandFailed when none has identifiers */
function chooseColumns(file: string, { names, columns }: PeopleTable, pairs: readonly Pair[]): Columns {
  if (columns.length === 0) throw new UsageError(`${file} is empty`);
  const chosen = [...columns];
  for (const [name, kind] of pairs) {
    const named = names?.indexOf(name) ?? -1;
    const index = named >= 0 ? named : Number(name) - 1;
    if (!(index in chosen)) throw new UsageError(`${file} has no column ${JSON.stringify(name)}`);
    chosen[index] = saidColumn(kind);
  }
  if (chosen.some((column) => column && isIdentifierKind(column.kind))) return chosen;
  const head = names ? ` (${names.join(', ')})` : '';
  throw new UsageError(
    `cannot tell which column of ${file}${head} has identifiers; name one, such as --column "${names?.[0] ?? '1'}=email"`,
  );
}

function saidColumn(text: string): Column {
  const isHashed = text.endsWith('_sha256');
  const kind = COLUMN_KINDS.find((each) => each === text.replace(/_sha256$/, ''));
  const column = kind && columnOf(kind, isHashed);
  if (column) return column;
  throw new UsageError(`${JSON.stringify(text)} is not one of ${COLUMN_KINDS.join(', ')}`);
}

/** Stores the progress of an upload beside the file. */
interface ProgressFile {
  /** Zero if the file has changed since, or was sent elsewhere. */
  read(): Progress;
  write(progress: Progress): void;
  remove(): void;
}

/** The progress file of a file. @param purpose where the file is sent, and with which options */
function progressFileOf(file: string, purpose: string): ProgressFile {
  const { size, mtimeMs } = statSync(file);
  const of = hash('sha256', JSON.stringify([size, mtimeMs, purpose]));
  const path = `${file}.${of.slice(0, 8)}.uploaded`;
  return {
    read() {
      try {
        const stored = JSON.parse(readFileSync(path, 'utf8'));
        // Earlier releases stored less.
        if (stored.of === of) return { ...NOTHING_YET, ...stored.progress };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      }
      return NOTHING_YET;
    },
    write(progress) {
      writeFileSync(`${path}.new`, JSON.stringify({ of, progress }), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}

const TRIES = 8;
const WAIT_MAX_S = 60;
/** Maximum number of printed errors of a refused request. */
const ERRORS_MAX = 10;

/**
 * Sends a request with people, and retries while the server is busy or unreachable, or has not taken all of them: people
 * who are uploaded twice count once. Errors of a refused request name the lines of the file.
 */
async function sendWithRetry(
  { caller, path }: { readonly caller: ConnectionProfile; readonly path: string },
  { operations, lines }: Pick<Part, 'operations' | 'lines'>,
): Promise<void> {
  const json = JSON.stringify(operations);
  const people = lines.flat().length;
  for (let tries = 1; ; tries++) {
    const outcome = await attempt(caller, path, json);
    const taken = outcome instanceof Error || outcome.status !== 200 ? undefined : takenOf(outcome);
    if (taken === people) return;
    const wait_s = tries < TRIES ? waitOf(outcome, tries) : undefined;
    if (wait_s === undefined && taken !== undefined) throw new CommandFailed(partText(taken, people));
    if (wait_s === undefined) throw outcome instanceof Error ? outcome : new CommandFailed(refusalOf(outcome, lines));
    const why =
      taken !== undefined
        ? partText(taken, people)
        : outcome instanceof Error
          ? errorMessage(outcome)
          : `the server answered ${outcome.status}`;
    printError(`${why}; retrying in ${wait_s} s\n`);
    await new Promise<void>((resolve) => void after(wait_s * 1000, resolve));
  }
}

async function attempt(caller: ConnectionProfile, path: string, json: string): Promise<Reply | Error> {
  const request = { ...buildRequest('POST', path, caller, {}), json };
  const { header } = sign({
    ...request,
    oauth: protocolParameters(caller.keys),
    consumerSecret: caller.keys.consumer_secret,
    tokenSecret: caller.keys.access_token_secret,
  });
  return send(request, header, caller.tlsCa).catch((error: Error) => error);
}

const partText = (taken: number, sent: number): string => `the server took ${taken} of ${sent} people`;

/** How many people the server has taken, as it says. */
function takenOf({ body }: Reply): number {
  try {
    return Number((JSON.parse(body) as { data: { success_count: unknown } }).data.success_count);
  } catch {
    return 0;
  }
}

/** Seconds to wait before a retry; undefined if the error is permanent. */
function waitOf(outcome: Reply | Error, tries: number): number | undefined {
  if (!(outcome instanceof Error)) {
    if (outcome.status !== 200 && outcome.status !== 429 && outcome.status < 500) return undefined;
    const retryAfter_s = Number(outcome.headers.find(([name]) => name === 'retry-after')?.[1]);
    if (retryAfter_s > 0) return Math.min(retryAfter_s, WAIT_MAX_S);
  }
  return Math.min(2 ** (tries - 1), WAIT_MAX_S);
}

interface ApiError {
  readonly message: string;
  readonly parameter?: string;
  readonly details?: string;
}

function refusalOf({ status, body }: Reply, lines: Part['lines']): string {
  let all: (ApiError & { readonly line?: number | undefined })[] = [];
  try {
    const { errors = [], operation_errors = [] } = JSON.parse(body) as {
      errors?: ApiError[];
      operation_errors?: ApiError[][];
    };
    const ofPeople = operation_errors.flatMap((each, operation) =>
      each.map((error) => {
        const [, index] = /^users\[(\d+)\]/.exec(error.parameter ?? '') ?? [];
        return { ...error, line: lines[operation]?.[Number(index)] };
      }),
    );
    all = [...errors, ...ofPeople];
  } catch {
    // A proxy may answer in another format.
  }
  const messages = all.slice(0, ERRORS_MAX).map(({ message, line, details }) => {
    return `${line === undefined ? '' : `line ${line}: `}${message}${details ? ` (${details})` : ''}`;
  });
  return [`the server answered ${status}`, ...messages].join('; ');
}
