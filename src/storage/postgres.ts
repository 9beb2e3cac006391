import pg from 'pg';
import type { Session, StatementProbe } from './session.ts';
import { statementsFor } from './statements.ts';
import { ConstraintViolated, type Driver } from './store.ts';

/** How the database server is reached. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly connectionsMax: number;
  readonly probe?: StatementProbe;
}

// 64-bit integers arrive as text by default; ours are safe integers by validation.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** The database server: a pool, one connection a unit of work. */
export function openPostgres(options: PostgresOptions): Driver {
  const statements = statementsFor('postgres');
  const pool = new pg.Pool({ connectionString: options.url, max: options.connectionsMax, types });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});

  const names = new Map<string, string>();
  const nameOf = (sql: string): string => {
    let name = names.get(sql);
    if (!name) {
      name = `s${names.size}`;
      names.set(sql, name);
    }
    return name;
  };
  const sessionOn = (client: pg.PoolClient): Session => ({
    statements,
    async all(statement, args) {
      options.probe?.(statement.sql);
      return (await client.query({ name: nameOf(statement.sql), text: statement.sql, values: statement.bind(args) }))
        .rows;
    },
    async run(statement, args) {
      options.probe?.(statement.sql);
      try {
        const values = statement.bind(args);
        const result = await client.query({ name: nameOf(statement.sql), text: statement.sql, values });
        return result.rowCount ?? 0;
      } catch (error) {
        if ((error as { code?: string }).code === '23505') throw new ConstraintViolated((error as Error).message);
        throw error;
      }
    },
  });
  const sessions = new WeakMap<pg.PoolClient, Session>();

  async function unit<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let session = sessions.get(client);
    if (!session) {
      session = sessionOn(client);
      sessions.set(client, session);
    }
    let broken: Error | undefined;
    try {
      await client.query(begin);
      const value = await work(session);
      await client.query('commit');
      return value;
    } catch (error) {
      // A connection that can't roll back is thrown away, so that its transaction ends with it.
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return {
    engine: 'postgres',
    statements,
    read: (work) => unit('begin isolation level repeatable read read only', work),
    write: (work) => unit('begin', work),
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}
