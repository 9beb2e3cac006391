import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { Driver } from './driver.ts';
import { postgresBatches } from './postgres-batches.ts';
import { type Connections, openConnections, type PostgresTimeouts } from './postgres-connections.ts';
import { postgresElection } from './postgres-election.ts';
import { type FailedUnit, isOutdatedStatement, mapPostgresFailure } from './postgres-failures.ts';
import { postgresFence } from './postgres-fence.ts';
import { postgresReads } from './postgres-reads.ts';
import { PostgresServerLock } from './postgres-server-lock.ts';
import { knownStatements } from './postgres-statements.ts';
import { Transaction, transactionSession } from './postgres-transaction.ts';
import type { Session, StatementProbe } from './session.ts';
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

/**
 * Timeout of an urgent statement, and of waiting for its connection: four more heartbeats follow a failed one before
 * the node counts as dead.
 */
const URGENT_MS = 2000;
const ATTEMPTS = 5;
/** Error codes of a deadlock and of a serialization failure. */
const ENDED_BY_SERVER = new Set(['40P01', '40001']);

/** The PostgreSQL driver: a pool with a connection for each unit of work that writes, and shared ones for reads. */
export function openPostgres(options: PostgresOptions): Driver {
  const { probe } = options;
  const statements = statementsFor('postgres');
  const known = knownStatements();
  const timeouts = options.timeouts ?? USUAL_TIMEOUTS;
  const pools: Connections[] = [];
  const lock = new PostgresServerLock({
    ...timeouts,
    url: options.url,
    destroyConnections() {
      for (const pool of pools) pool.destroyAll();
    },
  });
  const poolOf = (connectionsMax: number, limits = timeouts): Connections => {
    const pool = openConnections({ url: options.url, connectionsMax, timeouts: limits, held: () => lock.held() });
    pools.push(pool);
    return pool;
  };
  const connections = poolOf(options.connectionsMax);
  const fenceConnections = poolOf(1);
  const urgentConnections = poolOf(1, urgent(timeouts));
  const electionConnections = poolOf(1);
  const ofReads = {
    ...{ statements, known, probe },
    assertHeld: () => lock.assertHeld(),
    mapFailure: (error: unknown, { isBroken }: { readonly isBroken: boolean }): unknown =>
      mapPostgresFailure(error, { isBroken, isOutage: lock.isLost(), isCommitting: false }),
  };
  const fence = postgresFence({ ...ofReads, connections: fenceConnections });
  const election = postgresElection({ ...ofReads, connections: electionConnections });
  const reads = postgresReads({ ...ofReads, connections });
  const writes = new PostgresWrites(lock, { statements, known, probe });
  const batches = postgresBatches({
    ...{ connections, statements, known, probe },
    alone: (work) => writes.run(connections, work),
    mapFailure: (error, unit) => writes.mapFailure(error, unit),
  });

  return {
    dialect: 'postgres',
    statements,
    read: reads.read,
    write: (work) => writes.run(connections, work),
    async writeTogether(kind, work) {
      lock.assertHeld();
      return batches.write(kind, work);
    },
    writeUrgent: (work) => writes.run(urgentConnections, work),
    async ping() {
      if (lock.held() || lock.isLost()) return lock.ping();
      await reads.read((session) => session.allRaw('select 1'));
    },
    acquireServerLock: (how) => lock.acquire(how),
    onOutage: (listener) => void lock.listeners.push(listener),
    readExternalChanges: fence.look,
    writeElected: election.write,
    load() {
      const { waiting, busy } = connections.load();
      return { waiting: waiting + reads.waiting() + batches.waiting(), busy };
    },
    async close() {
      await fence.close();
      await election.close();
      await Promise.all([reads.settled(), batches.settled()]);
      await Promise.all([connections.close(), urgentConnections.close()]);
    },
  };
}

/** Units of work that write, each on a connection of a pool. */
class PostgresWrites {
  readonly #lock;
  readonly #parts;

  constructor(lock: PostgresServerLock, parts: Parameters<typeof transactionSession>[1]) {
    this.#lock = lock;
    this.#parts = parts;
  }

  /**
   * When two units of work deadlock, PostgreSQL ends one of them, which then simply runs again; so does one whose
   * statements were prepared before a migration.
   * @source decision 61, 834
   */
  async run<T>(on: Connections, work: (session: Session) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#runOnce(on, work);
      } catch (error) {
        if (attempt === ATTEMPTS || !isEndedByServer(error)) throw error;
      }
    }
  }

  /** The error that callers get. @source decision 418 */
  mapFailure(error: unknown, unit: Pick<FailedUnit, 'isBroken' | 'isCommitting'>): unknown {
    const failure = mapPostgresFailure(error, { ...unit, isOutage: this.#lock.isLost() });
    // The commit may still take effect after others have read the old state: caches cannot be trusted.
    if (failure instanceof StoreUnavailable && failure.isOutcomeUnknown) this.#lock.markLost(failure);
    return failure;
  }

  async #runOnce<T>({ acquire }: Connections, work: (session: Session) => Promise<T>): Promise<T> {
    this.#lock.assertHeld();
    const transaction = new Transaction('begin', acquire);
    const line = await transaction.open();
    let broken: Error | undefined;
    let isCommitting = false;
    try {
      const value = await work(transactionSession(transaction, this.#parts)).finally(() => transaction.end());
      if (line.isBroken) throw new Error('the connection ended before the commit');
      if (!transaction.hasAsked) return value;
      isCommitting = true;
      // PostgreSQL answers `commit` of a failed transaction with ROLLBACK and no error.
      if ((await line.command('commit')) !== 'COMMIT')
        throw new Error('the transaction was rolled back because a statement failed');
      return value;
    } catch (error) {
      // A connection that cannot roll back is destroyed, which ends its transaction.
      await line.command('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw this.mapFailure(error, { isBroken: line.isBroken, isCommitting });
    } finally {
      line.release(broken);
    }
  }
}

function urgent(timeouts: PostgresTimeouts): PostgresTimeouts {
  const { connect_ms, statement_ms } = timeouts;
  return {
    ...timeouts,
    connect_ms: Math.min(connect_ms, URGENT_MS),
    statement_ms: statement_ms === 0 ? URGENT_MS : Math.min(statement_ms, URGENT_MS),
  };
}

function isEndedByServer(error: unknown): boolean {
  if (!(error instanceof StoreUnavailable)) return false;
  return ENDED_BY_SERVER.has((error.cause as { code?: string }).code ?? '') || isOutdatedStatement(error.cause);
}
