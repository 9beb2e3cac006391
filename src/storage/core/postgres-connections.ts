import pg from 'pg';
import { every, within } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';

/** Timeouts of a database server, in milliseconds. */
export interface PostgresTimeouts {
  /** For opening a connection, or waiting for a free one of the pool. */
  readonly connect_ms: number;
  /** For a statement of the server process; 0 for none. Commands have no such limit. @source decision 419 */
  readonly statement_ms: number;
  /** For an idle transaction, which PostgreSQL then ends. */
  readonly idle_transaction_ms: number;
  /** For any answer at all. */
  readonly silence_ms: number;
}

/** Options of a connection pool. */
export interface ConnectionsOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly timeouts: PostgresTimeouts;
  /** The fencing token of the server lock under which connections are used; undefined in a process without the lock. */
  readonly token: () => string | undefined;
  /** The query that admits a connection under a token; its last row reports whether the lock still `stands`. */
  readonly admission: (token: string) => string;
}

/** A connection, used by one unit of work at a time. */
export interface Connection {
  query(query: string | pg.QueryConfig): Promise<pg.QueryResult>;
  isBroken(): boolean;
  /** Returns it to the pool, or destroys it when it is broken. */
  release(broken?: Error): void;
}

/** The connection pool of a process. */
export interface Connections {
  /** @throws StoreUnavailable */
  acquire(): Promise<Connection>;
  /** Destroys all connections at once, idle or busy. */
  destroyAll(): void;
  load(): { readonly waiting: number; readonly busy: number };
  close(): Promise<void>;
}

// 64-bit integers arrive as text by default; validation keeps ours within safe integers.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** Interval of the check for statements that are never answered. */
const LOOK_MS = 500;

/** The state of a connection. */
interface Line {
  readonly client: pg.Client;
  /** The connection as units of work use it. */
  readonly connection: Connection;
  isBroken: boolean;
  /** The fencing token under which it was admitted. */
  token: string | undefined;
  /** Unanswered statements, and the number of the check when the oldest was sent or the last answer arrived. */
  unanswered: number;
  sinceLook: number;
}

/** Opens a pool. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { timeouts } = options;
  const lines = new Map<pg.Client, Line>();
  let looks = 0;

  /** The client class of the pool, which calls it with `new`. */
  function Opened(config?: pg.ClientConfig): pg.Client {
    const client = newClient(config);
    const line: Line = {
      client,
      isBroken: false,
      token: undefined,
      unanswered: 0,
      sinceLook: 0,
      connection: {
        async query(query) {
          if (line.unanswered++ === 0) line.sinceLook = looks;
          try {
            return await client.query(query);
          } finally {
            line.unanswered -= 1;
            line.sinceLook = looks;
          }
        },
        isBroken: () => line.isBroken,
        release(broken) {
          if (broken) destroyClient(client);
          (client as pg.PoolClient).release(broken);
        },
      },
    };
    lines.set(client, line);
    const broke = (): void => {
      line.isBroken = true;
      lines.delete(client);
    };
    client.on('error', broke).on('end', broke);
    return client;
  }
  /**
   * Admits a new connection only while the server lock is held: neither late connections of an earlier lock nor those
   * of a server that was cut off.
   * @source decision 416
   */
  const admit = async (client: pg.ClientBase): Promise<void> => {
    const token = options.token();
    if (token === undefined) return;
    const line = lines.get(client as pg.Client);
    const setUp = `set statement_timeout = ${timeouts.statement_ms};
      set idle_in_transaction_session_timeout = ${timeouts.idle_transaction_ms};
      set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4;`;
    try {
      const admission = client.query(`${setUp} ${options.admission(token)}`) as unknown as Promise<pg.QueryResult[]>;
      const [locked, stands] = (await within(timeouts.connect_ms, admission)).slice(-2);
      if (!locked?.rows[0].locked || !stands?.rows[0].stands)
        throw new Error('the server lock on the database is no longer held');
      if (line) line.token = token;
    } catch (error) {
      destroyClient(client as pg.Client);
      throw error;
    }
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: timeouts.connect_ms,
    keepAlive: true,
    pipeline: true,
    types,
    Client: Opened as unknown as new () => pg.Client,
    onConnect: admit,
  });
  // The pool replaces an idle connection that breaks; without a listener its error would end the process.
  pool.on('error', () => {});

  /** PostgreSQL ends a statement by itself before this time; a later answer will never come. */
  const patience = timeouts.statement_ms + timeouts.silence_ms;
  const stopLooking = every(LOOK_MS, () => {
    looks += 1;
    if (timeouts.statement_ms === 0) return;
    for (const { client, token, unanswered, sinceLook } of lines.values()) {
      const isLate = token !== undefined && unanswered > 0 && (looks - sinceLook) * LOOK_MS > patience;
      if (isLate) destroyClient(client);
    }
  });

  return {
    async acquire() {
      for (;;) {
        const client = await pool.connect().catch(rethrowUnreachable);
        const line = lines.get(client as unknown as pg.Client);
        if (line && line.token === options.token()) return line.connection;
        // It was admitted under an earlier lock, or has just closed.
        if (line) destroyClient(line.client);
        client.release(true);
      }
    },
    destroyAll() {
      for (const { client } of lines.values()) destroyClient(client);
    },
    load: () => ({ waiting: pool.waitingCount, busy: pool.totalCount - pool.idleCount }),
    async close() {
      stopLooking();
      await pool.end();
    },
  };
}

/**
 * A client with an error listener from the start: without one, a connection that breaks ends the process, both in use
 * and between connecting and the first statement.
 */
export function newClient(config?: pg.ClientConfig): pg.Client {
  return new pg.Client(config).on('error', () => {});
}

/** Closes the socket at once, without a goodbye to a server that may be unreachable. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Rethrows a failure to connect as StoreUnavailable. @source decision 62 */
export function rethrowUnreachable(error: Error): never {
  throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
}
