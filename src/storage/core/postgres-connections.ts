import pg from 'pg';
import { elapsed_ms, every, withTimeout } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import { Line } from './postgres-line.ts';
import type { HeldLock } from './postgres-lock-queries.ts';
import { SHARED_CONNECTIONS, type SharedConnections, shareConnections } from './postgres-shared-connections.ts';

/** Timeouts of a database server, in milliseconds. */
export interface PostgresTimeouts {
  /** For opening a connection, or waiting for a free one of the pool. */
  readonly connect_ms: number;
  /** For a statement of the server process; 0 for none. Commands have no such limit. @source decision 419 */
  readonly statement_ms: number;
  /** For an idle transaction, which PostgreSQL then terminates. */
  readonly idle_transaction_ms: number;
  /** For the server to answer at all. */
  readonly silence_ms: number;
}

/** Options of a connection pool. */
export interface ConnectionsOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly timeouts: PostgresTimeouts;
  /** The server lock under which connections are used; undefined in a process without the lock. */
  readonly held: () => HeldLock | undefined;
}

/** The connections of a process. */
export interface Connections {
  /** A connection of the pool. @throws StoreUnavailable */
  acquire(): Promise<Line>;
  /** Whether the pool has a connection to spare. */
  canSpare(): boolean;
  /** The shared connections of single reads. */
  readonly shared: SharedConnections;
  /** Destroys all connections at once, idle or busy. */
  destroyAll(): void;
  load(): { readonly waiting: number; readonly busy: number };
  close(): Promise<void>;
}

/** Interval of the check for unanswered statements, in milliseconds. */
const LOOK_MS = 500;

/** Opens the pool and the shared connections of reads, both lazily. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { timeouts } = options;
  const lines = new Map<pg.Client, Line>();
  let looks = 0;

  /** The client class of the pools, which call it with `new`. */
  function Opened(config?: pg.ClientConfig): pg.Client {
    const client = newClient(config);
    const line = new Line(client, () => looks);
    lines.set(client, line);
    const broke = (): void => {
      line.isBroken = true;
      lines.delete(client);
    };
    client.on('error', broke).on('end', broke);
    return client;
  }
  const admitted = async (client: pg.ClientBase): Promise<void> => {
    const held = options.held();
    if (!held) return;
    await admit(client as pg.Client, held, timeouts);
    const line = lines.get(client as pg.Client);
    if (line) line.lockKey = held.key;
  };
  const poolOf = (max: number): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: options.url,
      max,
      connectionTimeoutMillis: timeouts.connect_ms,
      keepAlive: true,
      pipeline: true,
      Client: Opened as unknown as new () => pg.Client,
      onConnect: admitted,
    });
    // The pool replaces an idle connection that breaks; without a listener its error would end the process.
    return pool.on('error', () => {});
  };
  const acquireFrom = async (pool: pg.Pool): Promise<Line> => {
    for (;;) {
      const client = await pool.connect().catch(rethrowUnreachable);
      const line = lines.get(client as pg.Client);
      if (line && line.lockKey === options.held()?.key) return line;
      // Admitted under an earlier lock, or just closed.
      line?.destroy();
      client.release(true);
    }
  };
  const pool = poolOf(options.connectionsMax);
  const sharedPool = poolOf(SHARED_CONNECTIONS);
  const shared = shareConnections({
    open: () => acquireFrom(sharedPool),
    isUsable: (line) => !line.isBroken && line.lockKey === options.held()?.key,
  });

  /** PostgreSQL cancels a statement before this time; after it, no answer will come. */
  const patience = timeouts.statement_ms + timeouts.silence_ms;
  const stopLooking = every(LOOK_MS, () => {
    looks += 1;
    shared.relieve(elapsed_ms());
    if (timeouts.statement_ms === 0) return;
    for (const line of lines.values()) {
      const { lockKey, waiting, sinceLook } = line;
      const isLate = lockKey !== undefined && waiting.length > 0 && (looks - sinceLook) * LOOK_MS > patience;
      if (isLate) line.destroy();
    }
  });

  return {
    acquire: () => acquireFrom(pool),
    canSpare: () => pool.waitingCount === 0 && (pool.idleCount > 0 || pool.totalCount < options.connectionsMax),
    shared,
    destroyAll() {
      for (const line of lines.values()) line.destroy();
    },
    load: () => ({
      waiting: pool.waitingCount,
      busy: pool.totalCount - pool.idleCount + shared.busy(),
    }),
    async close() {
      stopLooking();
      shared.close();
      await Promise.all([pool.end(), sharedPool.end()]);
    },
  };
}

/**
 * Admits a new connection only while the server lock is held: rejects connections of an earlier lock or of a server
 * that was cut off.
 * @source decision 416
 */
async function admit(client: pg.Client, { admission }: HeldLock, timeouts: PostgresTimeouts): Promise<void> {
  const setUp = `set statement_timeout = ${timeouts.statement_ms};
      set idle_in_transaction_session_timeout = ${timeouts.idle_transaction_ms};
      set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4;`;
  try {
    const answers = client.query(`${setUp} ${admission}`) as unknown as Promise<pg.QueryResult[]>;
    const [marked, stands] = (await withTimeout(timeouts.connect_ms, answers)).slice(-2);
    if (!marked?.rows[0].marked || !stands?.rows[0].stands)
      throw new Error('the server lock on the database is no longer held');
  } catch (error) {
    destroyClient(client);
    throw error;
  }
}

/**
 * A client with an error listener from the start: without one, a connection that breaks ends the process, both in use
 * and between connecting and the first statement.
 */
export function newClient(config?: pg.ClientConfig): pg.Client {
  return new pg.Client(config).on('error', () => {});
}

/** Destroys the socket without a termination message, since the server may be unreachable. */
export function destroyClient(client: pg.Client): void {
  (client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Rethrows a failure to connect as StoreUnavailable. @source decision 62 */
export function rethrowUnreachable(error: Error): never {
  throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
}
