import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { boundedCache } from '../../base/bounded-cache.ts';
import type { Database } from './database.ts';

/** A value that a statement binds. */
export type Value = string | number | null | Uint8Array;

/** The two SQL dialects. */
export type Dialect = 'sqlite' | 'postgres';

/** The query builder. It only compiles; `Session` runs statements. */
export type Db = Kysely<Database>;

/** The arguments of a statement by name: values, lists of values for `in`, rows for multi-row inserts. */
export type Args = Readonly<
  Record<string, Value | undefined | readonly Value[] | readonly Readonly<Record<string, Value | undefined>>[]>
>;

type ItemOf<T> = T extends readonly (infer Item)[] ? Item : never;

/**
 * Creates the placeholder of an argument while a statement is being built. It has the type of the argument, so that the
 * query builder checks it against the column; the value itself is bound when the statement runs.
 */
export interface Param<A> {
  <Name extends keyof A & string>(name: Name): Exclude<A[Name], undefined>;
  /** The items of a list, padded to `size`: placeholders beyond its end repeat the first item. */
  list<Name extends keyof A & string>(name: Name, size: number): ItemOf<A[Name]>[];
  /** A column of one row of a list of rows. */
  cell<Name extends keyof A & string, Column extends keyof ItemOf<A[Name]> & string>(
    name: Name,
    index: number,
    column: Column,
  ): Exclude<ItemOf<A[Name]>[Column], undefined>;
}

/** Builds a statement; it may depend only on what the statement key states. */
export type Build<A, Row> = (db: Db, param: Param<A>) => Compilable<Row>;

/** A compiled statement. */
interface Statement {
  readonly sql: string;
  /** The values in the order of their placeholders. */
  bind(args: Args): Value[];
}

/**
 * Compiled statements by key: each is built and compiled once, then only bound. Building costs microseconds, which no
 * request should pay again.
 * @source decision 691
 */
export interface Statements {
  readonly dialect: Dialect;
  /** The statement of this key; `build` runs if the key is new. */
  cached<A extends Args, Row>(key: string, build: Build<A, Row>): Statement;
}

/**
 * Called with each use of a cached statement and a way to compile it again. Tests use it to check that a key always
 * means the same SQL.
 * @source decision 691
 */
export type StatementObserver = (
  dialect: Dialect,
  key: string,
  known: Statement,
  compileAgain: () => Statement,
) => void;

let observer: StatementObserver | undefined;

/** Sets the observer of this process and returns the previous one. Production has none. */
export function observeStatements(observe: StatementObserver | undefined): StatementObserver | undefined {
  const former = observer;
  observer = observe;
  return former;
}

const STATEMENTS_MAX = 2000;

/** Compiles and caches statements for one dialect. */
export function statementsFor(dialect: Dialect): Statements {
  const db: Db = new Kysely<Database>({ dialect: dialect === 'sqlite' ? sqliteDialect : postgresDialect });
  // Clients choose sort orders and filters: there are more combinations than a process should keep.
  const known = boundedCache<string, Statement>(STATEMENTS_MAX);
  return {
    dialect,
    cached(key, build) {
      let statement = known.get(key);
      if (!statement) {
        statement = compile(build(db, placeholders));
        known.set(key, statement);
      }
      observer?.(dialect, key, statement, () => compile(build(db, placeholders)));
      return statement;
    },
  };
}

/** Stands for an argument in a statement that is being built. */
class Placeholder {
  readonly name: string;
  readonly index: number | undefined;
  readonly column: string | undefined;

  constructor(name: string, index?: number, column?: string) {
    this.name = name;
    this.index = index;
    this.column = column;
  }

  valueIn(args: Args): Value {
    const value = this.#find(args);
    if (value === undefined) throw new Error(`statement parameter ${this.name} is not given`);
    return value;
  }

  #find(args: Args): Value | undefined {
    const given = args[this.name];
    if (this.index === undefined) return given as Value | undefined;
    if (this.column === undefined) {
      const list = given as readonly Value[];
      return this.index < list.length ? list[this.index] : list[0];
    }
    return (given as readonly Readonly<Record<string, Value>>[])[this.index]?.[this.column];
  }
}

/** Placeholders have the type of the values that they stand for; only the compiler sees them. */
const placeholders = Object.assign((name: string) => new Placeholder(name), {
  list: (name: string, size: number) => Array.from({ length: size }, (_, index) => new Placeholder(name, index)),
  cell: (name: string, index: number, column: string) => new Placeholder(name, index, column),
}) as Param<never>;

function compile(query: Compilable<unknown>): Statement {
  const { sql, parameters } = query.compile();
  return {
    sql,
    bind: (args) =>
      parameters.map((parameter) =>
        parameter instanceof Placeholder ? parameter.valueIn(args) : (parameter as Value),
      ),
  };
}

const sqliteDialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

const postgresDialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
