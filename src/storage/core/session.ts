import type { Args, Build, Dialect, Statements, Value } from './statements.ts';

/** A value bound in raw SQL; PostgreSQL takes arrays too. */
export type RawValue = Value | readonly Value[];

/** One connection during one unit of work: runs the SQL that both databases share. */
export interface Session {
  readonly dialect: Dialect;
  /**
   * The rows of a statement. It is built and compiled once per key: two statements that differ in anything but their
   * arguments need two keys.
   * @source decision 691
   */
  all<A extends Args, Row>(key: string, args: A, build: Build<A, Row>): Promise<Row[]>;
  /** The first row. */
  first<A extends Args, Row>(key: string, args: A, build: Build<A, Row>): Promise<Row | undefined>;
  /** Runs a statement without result rows; returns the number of changed rows. */
  run<A extends Args>(key: string, args: A, build: Build<A, unknown>): Promise<number>;
  /** The rows of raw SQL. Placeholders are `?` on SQLite and `$1` on PostgreSQL. */
  allRaw<Row = Readonly<Record<string, Value>>>(sql: string, values?: readonly RawValue[]): Promise<Row[]>;
  /** Runs raw SQL. @throws ConstraintViolated */
  runRaw(sql: string, values?: readonly RawValue[]): Promise<number>;
  /**
   * Defers an insert to the end of the unit of work; a failure then fails the unit. Only in units that share a commit.
   * @source decision 827
   */
  readonly deferInsert?: (
    table: string,
    columns: readonly string[],
    rows: readonly Readonly<Record<string, Value>>[],
  ) => Promise<void>;
}

/** Runs compiled statements on a connection of a driver. */
export interface Executor {
  /** The row type is the caller's claim about the selected columns. */
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

/** Called with each statement before it runs; may throw instead. Used by fault tests. */
export type StatementProbe = (sql: string) => void;
