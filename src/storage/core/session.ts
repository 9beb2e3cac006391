import type { Statement, Statements, Value } from './statements.ts';

/** One connection during one unit of work: what the shared SQL runs on, whichever the database. */
export interface Session {
  readonly statements: Statements;
  // biome-ignore lint/suspicious/noExplicitAny: rows have the columns that the statement selects
  all(statement: Statement, args: Readonly<Record<string, Value>>): Promise<any[]>;
  /** Runs a statement that returns no rows; the answer is how many rows it changed. */
  run(statement: Statement, args: Readonly<Record<string, Value>>): Promise<number>;
}

/** Is told each statement before it runs and may throw in its place: the seam of the fault tests. */
export type StatementProbe = (sql: string) => void;
