import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Session, StatementProbe } from './session.ts';
import { type Statements, statementsFor, type Value } from './statements.ts';
import { ConstraintViolated, type Driver } from './store.ts';
import { type Connection, writerQueue } from './writer-queue.ts';

/** How the embedded database is opened. */
export interface SqliteOptions {
  /** File path. */
  readonly file: string;
  /** `full`: a commit is on disk before it is acknowledged. `off` only for measuring what that costs. */
  readonly synchronous?: 'full' | 'off';
  /** Units that wait together share one transaction and one fsync. Off only for measuring. */
  readonly groupCommit?: boolean;
  readonly probe?: StatementProbe;
}

const READERS = 4;

/**
 * The embedded database: one writer connection behind a queue, a few readers. Calls are synchronous underneath, so a
 * unit of work runs to its end without any other of its connection in between.
 */
export function openSqlite(options: SqliteOptions): Driver {
  const statements = statementsFor('sqlite');
  const writer = connect(options, statements);
  const readers = Array.from({ length: READERS }, () => connect({ ...options, readOnly: true }, statements));
  const idle = [...readers];
  const waiting: ((reader: Connection) => void)[] = [];
  const release = (reader: Connection): void => {
    const next = waiting.shift();
    if (next) next(reader);
    else idle.push(reader);
  };
  const queue = writerQueue(writer, options.groupCommit ?? true);
  return {
    engine: 'sqlite',
    statements,
    async read(work) {
      const reader = idle.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      try {
        reader.run('begin');
        return await work(reader.session);
      } finally {
        if (reader.isInTransaction()) reader.run('commit');
        release(reader);
      }
    },
    write: queue.write,
    async ping() {
      writer.run('select 1');
    },
    load: () => ({
      waiting: waiting.length + queue.waiting(),
      busy: READERS - idle.length + (queue.isRunning() ? 1 : 0),
    }),
    async close() {
      // Nothing comes after this unit: the queue is empty when it is done.
      await queue.write(async () => {});
      for (const connection of [...readers, writer]) connection.close();
    },
  };
}

/** Statements that a connection keeps prepared. */
const PREPARED_MAX = 500;

function connect(options: SqliteOptions & { readOnly?: boolean }, statements: Statements): Connection {
  const database = new DatabaseSync(options.file, { timeout: 5000 });
  database.exec(`pragma journal_mode = wal; pragma synchronous = ${options.synchronous ?? 'full'};
    pragma foreign_keys = on; pragma cache_size = -32768; pragma temp_store = memory`);
  if (options.readOnly) database.exec('pragma query_only = on');
  const prepared = new Map<string, Prepared>();
  const prepare = (sql: string): Prepared => {
    let known = prepared.get(sql);
    if (!known) {
      if (prepared.size >= PREPARED_MAX) prepared.clear();
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      known = { statement, columns: statement.columns().map(({ name }) => name) };
      prepared.set(sql, known);
    }
    return known;
  };
  const session: Session = {
    statements,
    async all(statement, args) {
      options.probe?.(statement.sql);
      const known = prepare(statement.sql);
      return rowsOf(known.columns, known.statement.all(...statement.bind(args)) as unknown as Value[][]);
    },
    async run(statement, args) {
      options.probe?.(statement.sql);
      return runMapped(prepare(statement.sql).statement, statement.bind(args));
    },
  };
  return {
    session,
    run: (word) => void prepare(word).statement.run(),
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
function rowsOf(columns: readonly string[], rows: readonly Value[][]): Record<string, Value>[] {
  return rows.map((values) => {
    const row: Record<string, Value> = {};
    for (let index = 0; index < columns.length; index++) row[columns[index]!] = values[index]!;
    return row;
  });
}

/** SQLite names a broken uniqueness rule 2067, and 1555 when it is the primary key. */
function runMapped(statement: StatementSync, values: Value[]): number {
  try {
    return Number(statement.run(...values).changes);
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code === 2067 || code === 1555) throw new ConstraintViolated((error as Error).message);
    throw error;
  }
}
