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

/** A value that a statement binds. */
export type Value = string | number | null | Uint8Array;

/** The two databases. */
export type Engine = 'sqlite' | 'postgres';

/** A compiled statement: its text and, in order, what is bound: a constant, or the name of an argument. */
export interface Statement {
  readonly sql: string;
  bind(args: Readonly<Record<string, Value>>): Value[];
}

/** Marks the place of an argument while a statement is being built. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Places a named argument in a statement. Typed as anything, because its type is the column's. */
// biome-ignore lint/suspicious/noExplicitAny: stands for a value of any column type
export type Argument = (name: string) => any;

/** The query builder. Tables are not typed here: declarations are the schema. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Queries = Kysely<any>;

/**
 * Statements by shape: each is built and compiled once, then only bound. Building costs microseconds, which a request
 * should not pay again.
 */
export interface Statements {
  readonly engine: Engine;
  readonly queries: Queries;
  /** The statement of this shape; `build` runs when the shape is new. */
  of(shape: string, build: (queries: Queries, argument: Argument) => Compilable): Statement;
}

const SHAPES_MAX = 2000;

/** Compiles for one of the databases. */
export function statementsFor(engine: Engine): Statements {
  const queries: Queries = new Kysely({ dialect: engine === 'sqlite' ? sqliteWords : postgresWords });
  const known = new Map<string, Statement>();
  const argument: Argument = (name) => new Placeholder(name);
  return {
    engine,
    queries,
    of(shape, build) {
      let statement = known.get(shape);
      if (!statement) {
        // Callers choose orders and filters: what they can ask for is more than a process should remember.
        if (known.size >= SHAPES_MAX) known.clear();
        statement = compile(build(queries, argument));
        known.set(shape, statement);
      }
      return statement;
    },
  };
}

function compile(query: Compilable): Statement {
  const { sql, parameters } = query.compile();
  return {
    sql,
    bind: (args) =>
      parameters.map((parameter) => {
        if (!(parameter instanceof Placeholder)) return parameter as Value;
        const value = args[parameter.name];
        if (value === undefined) throw new Error(`statement argument ${parameter.name} is not given`);
        return value;
      }),
  };
}

const sqliteWords = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Queries) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

const postgresWords = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Queries) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
