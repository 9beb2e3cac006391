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
export type Dialect = 'sqlite' | 'postgres';

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
export type Param = (name: string) => any;

/** The query builder. Tables are not typed here: declarations are the schema. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type QueryBuilder = Kysely<any>;

/**
 * Statements by shape: each is built and compiled once, then only bound. Building costs microseconds, which a request
 * should not pay again.
 */
export interface Statements {
  readonly dialect: Dialect;
  readonly db: QueryBuilder;
  /** The statement of this shape; `build` runs when the shape is new. */
  cached(shape: string, build: (db: QueryBuilder, param: Param) => Compilable): Statement;
}

const SHAPES_MAX = 2000;

/** Compiles for one of the databases. */
export function statementsFor(dialect: Dialect): Statements {
  const db: QueryBuilder = new Kysely({ dialect: dialect === 'sqlite' ? sqliteWords : postgresWords });
  const known = new Map<string, Statement>();
  const param: Param = (name) => new Placeholder(name);
  return {
    dialect,
    db,
    cached(shape, build) {
      let statement = known.get(shape);
      if (!statement) {
        // Callers choose orders and filters: what they can ask for is more than a process should remember.
        if (known.size >= SHAPES_MAX) known.clear();
        statement = compile(build(db, param));
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
        if (value === undefined) throw new Error(`statement parameter ${parameter.name} is not given`);
        return value;
      }),
  };
}

const sqliteWords = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: QueryBuilder) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

const postgresWords = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: QueryBuilder) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
