import pg from 'pg';
import { ConstraintViolated } from '../contract/store.ts';
import { StoreUnavailable } from '../contract/store-unavailable.ts';
import { failureOf } from './postgres-failures.ts';
import type { Session, StatementProbe } from './session.ts';
import { AlreadyServed, type Release } from './sole-server.ts';
import { statementsFor } from './statements.ts';
import type { Driver } from './store.ts';

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

/** Statements that the server keeps prepared for a connection; rarer ones are sent anew each time. */
const PREPARED_MAX = 500;

/** The database server: a pool, one connection a unit of work. */
export function openPostgres(options: PostgresOptions): Driver {
  const statements = statementsFor('postgres');
  const broken = new WeakSet<pg.ClientBase>();
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    pipeline: true,
    types,
    Client: clientsNoting((client) => void broken.add(client)),
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
    const client = await pool.connect().catch(unreachable);
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
      throw failureOf(error, { isBroken: broken.has(client), isCommitting: false });
    } finally {
      client.query('commit').then(
        () => client.release(),
        (failure: Error) => client.release(failure),
      );
    }
  }

  async function write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { client, session } = await connected();
    let lost: Error | undefined;
    let isCommitting = false;
    try {
      await client.query('begin');
      const value = await work(session);
      isCommitting = true;
      // A transaction in which a statement has failed ends with the reply ROLLBACK, and without an error.
      const { command } = await client.query('commit');
      if (command !== 'COMMIT') throw new Error('the transaction could not be committed: a statement had failed');
      return value;
    } catch (error) {
      // A connection that can't roll back is thrown away, so that its transaction ends with it.
      await client.query('rollback').catch((failure: Error) => {
        lost = failure;
      });
      throw failureOf(error, { isBroken: broken.has(client), isCommitting });
    } finally {
      client.release(lost);
    }
  }

  /** Two units that wait for each other's rows: the server ends one of them, which then simply runs again. */
  async function writeAgain<T>(work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write(work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isEndedByServer(error)) throw error;
      }
    }
  }

  return {
    engine: 'postgres',
    statements,
    read,
    write: writeAgain,
    async ping() {
      await pool.query('select 1').catch(unreachable);
    },
    claim: () => claimDatabase(options.url),
    load: () => ({ waiting: pool.waitingCount, busy: pool.totalCount - pool.idleCount }),
    close: () => pool.end(),
  };
}

/**
 * Makes the connections of a pool. Each has a listener from its first moment on, because a connection that breaks while nobody
 * listens ends the process: while it is in use, and between connecting and its first statement.
 */
function clientsNoting(broke: (client: pg.Client) => void): new (config?: pg.ClientConfig) => pg.Client {
  function Connection(config?: pg.ClientConfig): pg.Client {
    const client = new pg.Client(config);
    client.on('error', () => broke(client));
    client.on('end', () => broke(client));
    return client;
  }
  return Connection as unknown as new (
    config?: pg.ClientConfig,
  ) => pg.Client;
}

/** Whatever keeps a connection from opening keeps everybody out. */
function unreachable(error: Error): never {
  throw new StoreUnavailable(error, { isOutage: true });
}

function isEndedByServer(error: unknown): boolean {
  return error instanceof StoreUnavailable && ENDED_BY_SERVER.has((error.cause as { code?: string }).code ?? '');
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
  await client.connect().catch(unreachable);
  for (let tries = 1; tries <= CLAIM_TRIES; tries++) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as got', [LOCK]);
    if (rows[0].got) return () => client.end();
    await client.query('select pg_sleep($1)', [CLAIM_PAUSE_S]);
  }
  await client.end();
  throw new AlreadyServed('another process serves this database; stop it first');
}
