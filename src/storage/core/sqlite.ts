import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { boundedCache } from '../../base/bounded-cache.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { ConstraintViolated } from '../../contract/store/errors.ts';
import { checkpointsOf } from './checkpoints.ts';
import type { Driver } from './driver.ts';
import { restrictToOwner } from './private-files.ts';
import { lockServerFile, noteHolder } from './server-lock.ts';
import { type RawValue, type Session, type StatementProbe, sessionOf } from './session.ts';
import { sharedSnapshot } from './shared-snapshot.ts';
import { copyDatabaseFile, replaceDatabase } from './sqlite-copies.ts';
import { type Statements, statementsFor, type Value } from './statements.ts';
import { rewriteWal } from './wal-repair.ts';
import { type Connection, type QueueOptions, WriterQueue } from './writer-queue.ts';

/** Options of the SQLite driver. */
export interface SqliteOptions {
  /** File path. */
  readonly file: string;
  /**
   * Whether commits are synced to disk before they are acknowledged. Default true; if false, from `beginSyncing` on.
   */
  readonly isSynced?: boolean;
  /** Whether waiting units share one transaction and one fsync. Off only in benchmarks. */
  readonly groupCommit?: boolean;
  readonly probe?: StatementProbe;
}

/**
 * The SQLite driver: one connection that writes, behind a queue, and one that reads. Calls are synchronous underneath,
 * so more connections would not do more work at a time.
 */
export function openSqlite(options: SqliteOptions): Driver {
  if (!isInMemory(options)) restrictToOwner(options.file);
  const statements = statementsFor('sqlite');
  const writer = connect(options, statements);
  // The writer queue waits for the lock without blocking other work.
  writer.exec('pragma busy_timeout = 0');
  const reader = connect({ ...options, readOnly: true }, statements);
  const snapshot = sharedSnapshot(reader);
  const log = isInMemory(options) ? undefined : writeAheadLog(options, writer);
  const requireFile = isInMemory(options) ? () => {} : fileGuard(options.file);
  const onRepaired: (() => void)[] = [];
  const repaired = (): void => {
    for (const listener of onRepaired) listener();
  };
  const queue = new WriterQueue(writer, {
    ...log,
    groupCommit: options.groupCommit ?? true,
    async beforeGroup() {
      await snapshot.hold();
      requireFile();
    },
    afterGroup: snapshot.renew,
    onRepaired: repaired,
  });
  return {
    dialect: 'sqlite',
    statements,
    read: snapshot.read,
    write: (work) => queue.write(work),
    copyTo: (file) => copyDatabaseFile(options.file, file),
    replaceWith: (file) => replaceDatabase(options.file, file),
    // Syncing this unit of work syncs all earlier ones.
    beginSyncing: () => queue.write(async () => log?.beginSyncing()),
    async ping() {
      requireFile();
      await queue.check();
      writer.exec('select 1');
    },
    onRepaired: (listener) => void onRepaired.push(listener),
    acquireServerLock: async () => lockServerFile(`${options.file}.lock`),
    ...(!isInMemory(options) && { noteServer: (holder) => noteHolder(`${options.file}.lock`, holder) }),
    // SQLite runs in this process.
    onOutage: () => {},
    load: () => ({ waiting: queue.waiting(), busy: snapshot.busy() + (queue.isRunning() ? 1 : 0) }),
    async close() {
      // No unit of work follows this one: the queue is empty when it is done.
      await queue.write(async () => {}).catch(() => {});
      await log?.close();
      reader.close();
      writer.close();
    },
  };
}

/** A new database file that is filled at once. */
export interface BulkSqlite {
  /** Runs the one unit of work that fills the file, then checks the integrity of the whole file. */
  fill<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens a new file for exclusive use, without journal or syncing. If filling it fails, the file is unusable; otherwise
 * the caller syncs it.
 * @source decision 457
 */
export function openBulkSqlite(file: string): BulkSqlite {
  const connection = connect({ file, isBulk: true }, statementsFor('sqlite'));
  return {
    async fill(work) {
      connection.exec('begin immediate');
      const result = await work(connection.session);
      connection.exec('commit');
      const [found] = connection.query('pragma integrity_check');
      if (found?.integrity_check !== 'ok')
        throw new Error(`the new database failed its integrity check: ${found?.integrity_check}`);
      return result;
    },
    close: connection.close,
  };
}

/**
 * Returns a function that throws once the database file has been deleted or replaced: what is written to the open file
 * would be lost with this process.
 * @source decision 1322
 */
function fileGuard(file: string): () => void {
  const find = (): string => {
    const { dev = 0, ino = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return `${dev}:${ino}`;
  };
  const opened = find();
  return () => {
    if (find() === opened) return;
    throw new StoreUnavailable(new Error(`${file} was deleted or replaced while it was open; restart`));
  };
}

function isInMemory({ file }: SqliteOptions): boolean {
  return file === ':memory:';
}

/** Reports the state of the log without checkpointing. */
const LOG_STATE = 'pragma wal_checkpoint(noop)';

/** What the writer needs from the write-ahead log. */
interface WriteAheadLog extends Pick<QueueOptions, 'checkpoint' | 'sync' | 'repair'> {
  /** From the next commit on. */
  beginSyncing(): void;
  close(): Promise<void>;
}

/**
 * Maintains the write-ahead log outside this thread: commits append to it, and neither syncing it nor copying it into
 * the database file delays other work.
 */
function writeAheadLog({ file, isSynced = true }: SqliteOptions, writer: Connection): WriteAheadLog {
  let isSyncing = isSynced;
  const checkpoints = checkpointsOf(file, () => {
    const [state] = writer.query(LOG_STATE);
    return { pages: Number(state?.log), checkpointed: Number(state?.checkpointed) };
  });
  let handle: FileHandle | undefined;
  // Opened after the first commit, which creates the file; the file stays the same while the writer is connected.
  const opened = async (): Promise<FileHandle> => {
    handle ??= await open(`${file}-wal`, 'r+');
    return handle;
  };
  return {
    checkpoint: checkpoints.checkpointIfNeeded,
    async sync() {
      if (isSyncing) await (await opened()).datasync();
    },
    beginSyncing() {
      isSyncing = true;
    },
    async repair() {
      const frames = Number(writer.query(LOG_STATE)[0]?.log);
      // The write lock keeps other processes from appending to the log. A log that was restarted before that is
      // detected.
      writer.exec('begin immediate');
      try {
        await rewriteWal(await opened(), frames);
      } finally {
        writer.exec('rollback');
      }
    },
    async close() {
      await checkpoints.close();
      await handle?.close();
    },
  };
}

/** Prepared statements per connection. */
const PREPARED_MAX = 500;

function connect(
  options: SqliteOptions & { readOnly?: boolean; isBulk?: boolean },
  statements: Statements,
): Connection {
  const database = new DatabaseSync(options.file, { timeout: 5000 });
  const journal = options.isBulk
    ? 'pragma journal_mode = off; pragma synchronous = off'
    : 'pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0';
  database.exec(`${journal};
    pragma foreign_keys = on; pragma cache_size = -32768; pragma temp_store = memory`);
  if (options.readOnly) database.exec('pragma query_only = on');
  const prepared = boundedCache<string, Prepared>(PREPARED_MAX);
  const prepare = (sql: string): Prepared => {
    let known = prepared.get(sql);
    if (!known) {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      known = { statement, columns: statement.columns().map(({ name }) => name) };
      prepared.set(sql, known);
    }
    return known;
  };
  const session = sessionOf(statements, {
    async all<Row>(sql: string, values: readonly RawValue[]) {
      options.probe?.(sql);
      const known = prepare(sql);
      return rowsOf<Row>(known.columns, known.statement.all(...(values as readonly Value[])) as unknown as Value[][]);
    },
    async run(sql, values) {
      options.probe?.(sql);
      return runMapped(prepare(sql).statement, values as readonly Value[]);
    },
  });
  return {
    session,
    exec: (word) => void prepare(word).statement.run(),
    query(word) {
      const { columns, statement } = prepare(word);
      return rowsOf(columns, statement.all() as unknown as Value[][]);
    },
    isInTransaction: () => database.isTransaction,
    close: () => database.close(),
  };
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/**
 * Rows as objects. The driver's own objects have no prototype and are stored as hash tables, which makes property
 * access and JSON twice as slow.
 */
function rowsOf<Row>(columns: readonly string[], rows: readonly Value[][]): Row[] {
  return rows.map((values) => {
    const row: Record<string, Value> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!;
    return row as Row;
  });
}

/** SQLite reports a violated unique constraint as 2067, and a violated primary key as 1555. */
function runMapped(statement: StatementSync, values: readonly Value[]): number {
  try {
    return Number(statement.run(...values).changes);
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code === 2067 || code === 1555) throw new ConstraintViolated((error as Error).message);
    throw error;
  }
}
