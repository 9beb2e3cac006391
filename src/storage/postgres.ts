import pg from 'pg';
import { ConstraintViolated } from '../contract/store.ts';
import type { Session, StatementProbe } from './session.ts';
import { AlreadyServed, type Release } from './sole-server.ts';
import { statementsFor } from './statements.ts';
import { type Driver, unreachable } from './store.ts';

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

const CONNECTION_TIMEOUT_MS = 10_000;
const ATTEMPTS = 5;
/** Deadlock and serialization failure. */
const ENDED_BY_SERVER = new Set(['40P01', '40001']);

/** Connection exceptions, too many connections, a server that is stopping or starting. */
const LOST = /^(08...|53300|57P0[123]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND)$/;

/** Goes on with a failure: that of a lost connection is told as such. */
function rethrow(error: unknown): never {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  const isLost = LOST.test(code) || /^Connection terminated|timeout exceeded when trying to connect/.test(message);
  if (isLost) unreachable(error as Error);
  throw error;
}

/** Statements that the server keeps prepared for a connection; rarer ones are sent anew each time. */
const PREPARED_MAX = 500;

/** The database server: a pool, one connection a unit of work. */
export function openPostgres(options: PostgresOptions): Driver {
  const statements = statementsFor('postgres');
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    pipeline: true,
    types,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});

  const names = new Map<string, string>();
  const nameOf = (sql: string): string | undefined => {
    let name = names.get(sql);
    if (!name && names.size < PREPARED_MAX) {
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

  const connected = async (): Promise<{ client: pg.PoolClient; session: Session }> => {
    const client = await pool.connect().catch(rethrow);
    let session = sessions.get(client);
    if (!session) {
      session = sessionOn(client);
      sessions.set(client, session);
    }
    return { client, session };
  };

  /** The begin travels with the first statement, and nobody waits for the end: a read that fails has done nothing. */
  async function read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { client, session } = await connected();
    const begun = client.query('begin isolation level repeatable read read only');
    begun.catch(() => {});
    try {
      const value = await work(session);
      await begun;
      return value;
    } catch (error) {
      rethrow(error);
    } finally {
      client.query('commit').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
    }
  }

  async function write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { client, session } = await connected();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const value = await work(session);
      await client.query('commit');
      return value;
    } catch (error) {
      // A connection that can't roll back is thrown away, so that its transaction ends with it.
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      rethrow(error);
    } finally {
      client.release(broken);
    }
  }

  /** Two units that wait for each other's rows: the server ends one of them, which then simply runs again. */
  async function writeAgain<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !ENDED_BY_SERVER.has((error as { code?: string }).code ?? '')) throw error;
      }
    }
  }

  return {
    engine: 'postgres',
    statements,
    read,
    write: writeAgain,
    async ping() {
      await pool.query('select 1');
    },
    claim: () => claimDatabase(options.url),
    load: () => ({ waiting: pool.waitingCount, busy: pool.totalCount - pool.idleCount }),
    close: () => pool.end(),
  };
}

/** The name of the lock, any number that nobody else would take. */
const LOCK = 4_815_162_342;
/** A process that was killed is noticed by the server a moment later. */
const CLAIM_TRIES = 20;
const CLAIM_PAUSE_S = 0.25;

/** Holds a lock of the server's for as long as a connection of its own lives. */
async function claimDatabase(url: string): Promise<Release> {
  const client = new pg.Client({ connectionString: url });
  // When this connection breaks, so do the others, and each of them says so.
  client.on('error', () => {});
  await client.connect().catch(rethrow);
  for (let tries = 1; tries <= CLAIM_TRIES; tries++) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as got', [LOCK]);
    if (rows[0].got) return () => client.end();
    await client.query('select pg_sleep($1)', [CLAIM_PAUSE_S]);
  }
  await client.end();
  throw new AlreadyServed('another process serves this database; stop it first');
}
