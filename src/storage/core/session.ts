import type { Args, Build, Dialect, Statements, Value } from './statements.ts';

/** A value of SQL that is written out; PostgreSQL takes arrays too. */
export type RawValue = Value | readonly Value[];

/** One connection during one unit of work: what the shared SQL runs on, whichever the database. */
export interface Session {
  readonly dialect: Dialect;
  /**
   * The rows of a statement. It is built and compiled once per key: two statements that differ in anything but their arguments
   * need two keys.
   */
  all<A extends Args, Row>(key: string, args: A, build: Build<A, Row>): Promise<Row[]>;
  /** The first row. */
  first<A extends Args, Row>(key: string, args: A, build: Build<A, Row>): Promise<Row | undefined>;
  /** Runs a statement that returns no rows; the answer is how many rows it changed. */
  run<A extends Args>(key: string, args: A, build: Build<A, unknown>): Promise<number>;
  /** The rows of SQL that is written out. Places are `?` on SQLite and `$1` on PostgreSQL. */
  allRaw<Row = Readonly<Record<string, Value>>>(sql: string, values?: readonly RawValue[]): Promise<Row[]>;
  /** Runs SQL that is written out. @throws ConstraintViolated */
  runRaw(sql: string, values?: readonly RawValue[]): Promise<number>;
}

/** What a driver does with a compiled statement. */
export interface Executor {
  /** The caller knows which columns the statement selects. */
  all<Row>(sql: string, values: readonly RawValue[]): Promise<Row[]>;
  /** @throws ConstraintViolated */
  run(sql: string, values: readonly RawValue[]): Promise<number>;
}

/** The session of a connection. */
export function sessionOf(statements: Statements, executor: Executor): Session {
  return {
    dialect: statements.dialect,
    all(key, args, build) {
      const statement = statements.cached(key, build);
      return executor.all(statement.sql, statement.bind(args));
    },
    async first<A extends Args, Row>(key: string, args: A, build: Build<A, Row>) {
      const statement = statements.cached(key, build);
      return (await executor.all<Row>(statement.sql, statement.bind(args)))[0];
    },
    run(key, args, build) {
      const statement = statements.cached(key, build);
      return executor.run(statement.sql, statement.bind(args));
    },
    allRaw: (sql, values = []) => executor.all(sql, values),
    runRaw: (sql, values = []) => executor.run(sql, values),
  };
}

/** Is told each statement before it runs and may throw in its place: the seam of the fault tests. */
export type StatementProbe = (sql: string) => void;
