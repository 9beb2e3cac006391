import pg from 'pg';
import { every, within } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';

/** How long a database server may take, in milliseconds. */
export interface PostgresTimeouts {
  /** To open a connection, or for one of the pool to become free. */
  readonly connect_ms: number;
  /** For a statement of the server; 0 for as long as it takes. Commands have no such limit. */
  readonly statement_ms: number;
  /** Between the statements of a transaction, before the server ends it. */
  readonly idle_transaction_ms: number;
  /** To answer at all. */
  readonly silence_ms: number;
}

/** What a pool of connections needs. */
export interface ConnectionsOptions {
  readonly url: string;
  readonly connectionsMax: number;
  readonly timeouts: PostgresTimeouts;
  /** The token of the claim under which connections are used; undefined in a process without one. */
  readonly token: () => string | undefined;
  /** What a connection under a claim is asked before it is used; the last row says whether that claim `stands`. */
  readonly admission: (token: string) => string;
}

/** A connection, used by one unit after the other. */
export interface Connection {
  query(query: string | pg.QueryConfig): Promise<pg.QueryResult>;
  isBroken(): boolean;
  /** Returns it to the pool, or destroys it when it is broken. */
  release(broken?: Error): void;
}

/** The connections of a process. */
export interface Connections {
  /** @throws StoreUnavailable */
  acquire(): Promise<Connection>;
  /** Destroys all connections at once, busy or not. */
  destroyAll(): void;
  load(): { readonly waiting: number; readonly busy: number };
  close(): Promise<void>;
}

// 64-bit integers arrive as text by default; ours are safe integers by validation.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

/** Interval of the check for statements that are never answered. */
const LOOK_MS = 500;

/** The state of a connection. */
interface Line {
  readonly client: pg.Client;
  /** As units see it. */
  readonly connection: Connection;
  isBroken: boolean;
  /** The token under which it was admitted. */
  token: string | undefined;
  /** Unanswered statements, and the check at which the oldest was sent or the last answer came. */
  unanswered: number;
  sinceLook: number;
}

/** Opens a pool. */
export function openConnections(options: ConnectionsOptions): Connections {
  const { timeouts } = options;
  const lines = new Map<pg.Client, Line>();
  let looks = 0;

  /** The pool calls it with `new`. */
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
  /** A claim that does not stand any more lets nobody in: neither late connections of it, nor those of a server that was cut off. */
  const admit = async (client: pg.ClientBase): Promise<void> => {
    const token = options.token();
    if (token === undefined) return;
    const line = lines.get(client as pg.Client);
    const setUp = `set statement_timeout = ${timeouts.statement_ms};
      set idle_in_transaction_session_timeout = ${timeouts.idle_transaction_ms};
      set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4;`;
    try {
      const asked = client.query(`${setUp} ${options.admission(token)}`) as unknown as Promise<pg.QueryResult[]>;
      const [locked, stands] = (await within(timeouts.connect_ms, asked)).slice(-2);
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
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {});

  /** Longer than the server takes to end a statement by itself: what comes then never will. */
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
        // It was admitted under an earlier lock, or has just ended.
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
 * A connection that has a listener from its first moment on: one that breaks while nobody listens ends the process, in use as
 * well as between connecting and its first statement.
 */
export function newClient(config?: pg.ClientConfig): pg.Client {
  return new pg.Client(config).on('error', () => {});
}

/** Closes the socket at once, without telling a server that may be unreachable. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A connection that cannot be opened is reported as StoreUnavailable. */
export function rethrowUnreachable(error: Error): never {
  throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error);
}
