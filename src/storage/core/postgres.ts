import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { ConstraintViolated } from '../../contract/store/store.ts';
import type { Driver } from './driver.ts';
import { type Connection, openConnections, type PostgresTimeouts } from './postgres-connections.ts';
import { mapPostgresFailure } from './postgres-failures.ts';
import { admissionQuery } from './postgres-lock-queries.ts';
import { postgresServerLock } from './postgres-server-lock.ts';
import { type Session, type StatementProbe, sessionOf } from './session.ts';
import { statementsFor } from './statements.ts';

/** Options of the PostgreSQL driver. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly connectionsMax: number;
  readonly timeouts?: PostgresTimeouts;
  readonly probe?: StatementProbe;
}

/** Defaults without settings. */
const USUAL_TIMEOUTS: PostgresTimeouts = {
  connect_ms: 5000,
  statement_ms: 30_000,
  idle_transaction_ms: 60_000,
  silence_ms: 5000,
};

const ATTEMPTS = 5;
/** Error codes of a deadlock and of a serialization failure. */
const ENDED_BY_SERVER = new Set(['40P01', '40001']);

/** Prepared statements per connection; further ones are sent as text each time. */
const PREPARED_MAX = 500;

/** The PostgreSQL driver: a pool with one connection per unit of work. */
export function openPostgres(options: PostgresOptions): Driver {
  const statements = statementsFor('postgres');
  const timeouts = options.timeouts ?? USUAL_TIMEOUTS;
  const lock = postgresServerLock({
    ...timeouts,
    url: options.url,
    destroyConnections: () => connections.destroyAll(),
  });
  const connections = openConnections({ ...options, timeouts, token: lock.token, admission: admissionQuery });

  const names = new Map<string, string>();
  const nameOf = (sql: string): string | undefined => {
    let name = names.get(sql);
    if (!name && names.size < PREPARED_MAX) {
      name = `s${names.size}`;
      names.set(sql, name);
    }
    return name;
  };
  const sessionOn = (connection: Connection): Session =>
    sessionOf(statements, {
      async all(sql, values) {
        options.probe?.(sql);
        return (await connection.query({ name: nameOf(sql), text: sql, values: [...values] })).rows;
      },
      async run(sql, values) {
        options.probe?.(sql);
        try {
          return (await connection.query({ name: nameOf(sql), text: sql, values: [...values] })).rowCount ?? 0;
        } catch (error) {
          if ((error as { code?: string }).code === '23505') throw new ConstraintViolated((error as Error).message);
          throw error;
        }
      },
    });

  const sessions = new WeakMap<Connection, Session>();
  const sessionFor = (connection: Connection): Session => {
    let session = sessions.get(connection);
    if (!session) {
      session = sessionOn(connection);
      sessions.set(connection, session);
    }
    return session;
  };

  /**
   * `begin` is pipelined with the first statement, and nobody waits for `commit`: a read that fails has changed
   * nothing.
   */
  async function read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    lock.assertHeld();
    const connection = await connections.acquire();
    const begun = connection.query('begin isolation level repeatable read read only');
    begun.catch(() => {});
    try {
      const value = await work(sessionFor(connection));
      await begun;
      return value;
    } catch (error) {
      throw mapPostgresFailure(error, {
        isBroken: connection.isBroken(),
        isOutage: lock.isLost(),
        isCommitting: false,
      });
    } finally {
      connection.query('commit').then(
        () => connection.release(),
        (failure: Error) => connection.release(failure),
      );
    }
  }

  async function write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    lock.assertHeld();
    const connection = await connections.acquire();
    let broken: Error | undefined;
    let isCommitting = false;
    try {
      await connection.query('begin');
      const value = await work(sessionFor(connection));
      if (connection.isBroken()) throw new Error('the connection ended before the commit');
      isCommitting = true;
      // PostgreSQL answers `commit` of a failed transaction with ROLLBACK and no error.
      const { command } = await connection.query('commit');
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back because a statement failed');
      return value;
    } catch (error) {
      // A connection that cannot roll back is destroyed, which ends its transaction.
      await connection.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      const failure = mapPostgresFailure(error, {
        isBroken: connection.isBroken(),
        isOutage: lock.isLost(),
        isCommitting,
      });
      // The commit may still take effect after others have read the old state: caches cannot be trusted.
      // @source decision 418
      if (failure instanceof StoreUnavailable && failure.isOutcomeUnknown) lock.markLost(failure);
      throw failure;
    } finally {
      connection.release(broken);
    }
  }

  /** When two units of work deadlock, PostgreSQL ends one of them, which then simply runs again. @source decision 61 */
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
    dialect: 'postgres',
    statements,
    read,
    write: writeAgain,
    async ping() {
      if (lock.token() !== undefined || lock.isLost()) return lock.ping();
      await read((session) => session.allRaw('select 1'));
    },
    acquireServerLock: lock.acquire,
    onOutage: (listener) => void lock.listeners.push(listener),
    load: connections.load,
    close: connections.close,
  };
}

function isEndedByServer(error: unknown): boolean {
  return error instanceof StoreUnavailable && ENDED_BY_SERVER.has((error.cause as { code?: string }).code ?? '');
}
