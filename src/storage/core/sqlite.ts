import { type FileHandle, open } from 'node:fs/promises';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { boundedCache } from '../../base/bounded-cache.ts';
import { ConstraintViolated } from '../../contract/store/store.ts';
import { checkpointsOf } from './checkpoints.ts';
import { restrictToOwner } from './private-files.ts';
import { lockServerFile } from './server-lock.ts';
import { type RawValue, type Session, type StatementProbe, sessionOf } from './session.ts';
import { sharedSnapshot } from './shared-snapshot.ts';
import { type Statements, statementsFor, type Value } from './statements.ts';
import type { Driver } from './store.ts';
import { rewriteWal } from './wal-repair.ts';
import { type Connection, type QueueOptions, writerQueue } from './writer-queue.ts';

/** How the embedded database is opened. */
export interface SqliteOptions {
  /** File path. */
  readonly file: string;
  /** `off` only for measuring what it costs that a commit is on disk before it is acknowledged. */
  readonly synchronous?: 'off';
  /** Units that wait together share one transaction and one fsync. Off only for measuring. */
  readonly groupCommit?: boolean;
  readonly probe?: StatementProbe;
}

/**
 * The embedded database: one connection that writes, behind a queue, and one that reads. Calls are synchronous
 * underneath, so more of them would not do more at a time.
 */
export function openSqlite(options: SqliteOptions): Driver {
  if (!isInMemory(options)) restrictToOwner(options.file);
  const statements = statementsFor('sqlite');
  const writer = connect(options, statements);
  const reader = connect({ ...options, readOnly: true }, statements);
  const snapshot = sharedSnapshot(reader);
  const log = isInMemory(options) ? undefined : writeAheadLog(options, writer);
  const onRepaired: (() => void)[] = [];
  const repaired = (): void => {
    for (const listener of onRepaired) listener();
  };
  const queue = writerQueue(writer, {
    ...log,
    groupCommit: options.groupCommit ?? true,
    beforeGroup: snapshot.hold,
    afterGroup: snapshot.renew,
    onRepaired: repaired,
  });
  return {
    dialect: 'sqlite',
    statements,
    read: snapshot.read,
    write: queue.write,
    async ping() {
      await queue.check();
      writer.exec('select 1');
    },
    onRepaired: (listener) => void onRepaired.push(listener),
    acquireServerLock: async () => lockServerFile(`${options.file}.lock`),
    // It is in this process.
    onOutage: () => {},
    load: () => ({ waiting: queue.waiting(), busy: snapshot.busy() + (queue.isRunning() ? 1 : 0) }),
    async close() {
      // Nothing comes after this unit: the queue is empty when it is done.
      await queue.write(async () => {}).catch(() => {});
      await log?.close();
      reader.close();
      writer.close();
    },
  };
}

/** A database file that is filled from nothing. */
export interface BulkSqlite {
  /** Runs the one unit of work that fills it, and looks through the whole file afterwards. */
  fill<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens a new file that nobody else knows of yet: nothing is logged and nothing waits for the disk. When filling it fails, the
 * file is of no use; when it succeeds, bringing it to the disk is the caller's.
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

function isInMemory({ file }: SqliteOptions): boolean {
  return file === ':memory:';
}

/** How far the log has come: this asks for it, and moves nothing. */
const LOG_STATE = 'pragma wal_checkpoint(noop)';

/** What the writer needs of the write-ahead log. */
interface WriteAheadLog extends Pick<QueueOptions, 'checkpoint' | 'sync' | 'repair'> {
  close(): Promise<void>;
}

/**
 * Cares for the write-ahead log away from this thread: commits append to it, and neither bringing that to the disk nor moving
 * it into the database file holds up anybody else.
 */
function writeAheadLog({ file, synchronous }: SqliteOptions, writer: Connection): WriteAheadLog {
  const checkpoints = checkpointsOf(file, () => {
    const [state] = writer.query(LOG_STATE);
    return { pages: Number(state?.log), checkpointed: Number(state?.checkpointed) };
  });
  let handle: FileHandle | undefined;
  // Opened after the first commit, which makes the file; it stays the same as long as the writer is connected.
  const opened = async (): Promise<FileHandle> => {
    handle ??= await open(`${file}-wal`, 'r+');
    return handle;
  };
  return {
    checkpoint: checkpoints.checkpointIfNeeded,
    sync:
      synchronous === 'off'
        ? undefined
        : async () => {
            await (await opened()).datasync();
          },
    async repair() {
      const frames = Number(writer.query(LOG_STATE)[0]?.log);
      // While this holds the lock, no other process appends to the log. One that began it anew before is noticed.
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

/** Statements that a connection keeps prepared. */
const PREPARED_MAX = 500;

function connect(
  options: SqliteOptions & { readOnly?: boolean; isBulk?: boolean },
  statements: Statements,
): Connection {
  const database = new DatabaseSync(options.file, { timeout: 5000 });
  const journal = options.isBulk
    ? 'pragma journal_mode = off; pragma synchronous = off'
    : `pragma journal_mode = wal; pragma synchronous = ${options.synchronous ?? 'normal'}; pragma wal_autocheckpoint = 0`;
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
 * Rows as objects. The driver's own objects have no prototype and are kept as hash tables, which makes every look at
 * them, and JSON, twice as slow as objects made here.
 */
function rowsOf<Row>(columns: readonly string[], rows: readonly Value[][]): Row[] {
  return rows.map((values) => {
    const row: Record<string, Value> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!;
    return row as Row;
  });
}

/** SQLite names a broken uniqueness rule 2067, and 1555 when it is the primary key. */
function runMapped(statement: StatementSync, values: readonly Value[]): number {
  try {
    return Number(statement.run(...values).changes);
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code === 2067 || code === 1555) throw new ConstraintViolated((error as Error).message);
    throw error;
  }
}
