import type pg from 'pg';
import { after, elapsed_ms, every, within } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { OutageListener } from '../../contract/store/store.ts';
import { destroyClient, newClient, rethrowUnreachable } from './postgres-connections.ts';
import { exclusiveLock, type HeldLock, type ServerLockKind, sharedLock } from './postgres-lock-queries.ts';
import { type ReleaseLock, ServerAlreadyRunning, type ServerLockOptions } from './server-lock.ts';

/** The dependencies of the server lock. */
export interface PostgresServerLockParts {
  readonly url: string;
  /** Timeout for connecting and for taking the lock. */
  readonly connect_ms: number;
  /** A database server counts as unreachable after this much silence. */
  readonly silence_ms: number;
  /** Closes all connections of the process except the one that holds the lock. */
  readonly destroyConnections: () => void;
}

/** The lock that makes this process the only server of its database, or one of its nodes. */
export interface PostgresServerLock {
  /** Takes the lock. @throws ServerAlreadyRunning */
  acquire(options: ServerLockOptions): Promise<ReleaseLock>;
  /** The current or last lock; undefined in a process that never took it, such as a command. */
  held(): HeldLock | undefined;
  /** Whether the lock was held and is lost now. */
  isLost(): boolean;
  /** @throws StoreUnavailable while the lock is lost */
  assertHeld(): void;
  /** Resolves when the database server answers on the connection that holds the lock. */
  ping(): Promise<void>;
  /** Abandons all units of work under way, whose outcome is unknown, and takes the lock again. */
  markLost(cause: Error): void;
  readonly listeners: OutageListener[];
}

/** Interval of the heartbeat. */
const BEAT_MS = 500;
/** Pause before the next attempt to take the lock. */
const AGAIN_MS = 250;

type Standing =
  | { readonly state: 'none' }
  | { readonly state: 'held'; readonly client: pg.Client; readonly lock: HeldLock }
  | { readonly state: 'lost'; readonly lock: HeldLock; readonly cause: Error }
  | { readonly state: 'over'; readonly lock: HeldLock; readonly cause: Error };

/**
 * Holds the server lock on a connection of its own. When that connection breaks or falls silent, nobody can know which
 * server holds the lock: all other connections are closed, and units of work are refused until the lock is held again.
 * If a server that does not share it has taken it meanwhile, this one ends.
 * @source decision 414, 415
 */
export function postgresServerLock(parts: PostgresServerLockParts): PostgresServerLock {
  const listeners: OutageListener[] = [];
  let kind: ServerLockKind = exclusiveLock;
  let standing: Standing = { state: 'none' };
  let stopBeating = (): void => {};
  let unanswered = 0;
  let asking: Promise<void> | undefined;

  const hold = (client: pg.Client, lock: HeldLock): void => {
    const held: Standing = { state: 'held', client, lock };
    standing = held;
    unanswered = 0;
    asking = undefined;
    const broke = (error?: Error): void => {
      if (standing === held) lose(error ?? new Error('the connection to the database ended'));
    };
    client.on('error', broke);
    client.on('end', () => broke());
  };

  const lose = (cause: Error): void => {
    if (standing.state !== 'held') return;
    const { client, lock } = standing;
    standing = { state: 'lost', lock, cause };
    destroyClient(client);
    parts.destroyConnections();
    for (const { began } of listeners) began?.(cause);
    void regain(lock, elapsed_ms());
  };

  const regain = async (lock: HeldLock, lostAt_ms: number): Promise<void> => {
    while (standing.state === 'lost') {
      const startedAt_ms = elapsed_ms();
      try {
        const [client, next] = await locked(parts, (opened) => within(parts.connect_ms, kind.reacquire(opened, lock)));
        if (standing.state !== 'lost') return destroyClient(client);
        hold(client, next);
        // Caches are cleared before anything reads the database again.
        for (const { ended } of listeners) ended?.(elapsed_ms() - lostAt_ms);
      } catch (error) {
        if (error instanceof ServerAlreadyRunning) {
          standing = { state: 'over', lock, cause: error };
          for (const { superseded } of listeners) superseded?.(error);
          return;
        }
        const wait_ms = startedAt_ms + AGAIN_MS - elapsed_ms();
        await new Promise<void>((resolve) => void after(Math.max(0, wait_ms), resolve));
      }
    }
  };

  /** Counts beats and not time: a process that was paused or busy must first handle the answers that have arrived. */
  const beat = (): void => {
    if (standing.state !== 'held') return;
    if (unanswered * BEAT_MS >= parts.silence_ms) {
      lose(new Error(`the database server has not answered for ${parts.silence_ms / 1000} s`));
    } else if (asking) unanswered += 1;
    else ask().catch(() => undefined);
  };
  const ask = (): Promise<void> => {
    if (standing.state !== 'held') return Promise.reject(refusal());
    const held = standing;
    asking ??= held.client.query('select 1').then(
      () => {
        if (standing !== held) return;
        asking = undefined;
        unanswered = 0;
      },
      (error: Error) => {
        if (standing === held) lose(error);
        throw refusal();
      },
    );
    return asking;
  };
  const refusal = (): StoreUnavailable => {
    const cause = 'cause' in standing ? standing.cause : new Error('this process does not hold the server lock');
    return new StoreUnavailable(cause, { isOutage: true });
  };

  return {
    listeners,
    markLost: lose,
    async acquire({ isShared }) {
      kind = isShared ? sharedLock : exclusiveLock;
      // An unreleased lock must be free for longer than its server needs to notice that it was cut off and to return.
      const [client, lock] = await locked(parts, (opened) => kind.acquire(opened, 2 * parts.silence_ms));
      hold(client, lock);
      stopBeating = every(BEAT_MS, beat);
      return async () => {
        stopBeating();
        const last = standing;
        standing = { state: 'over', lock, cause: new Error('the service has ended') };
        if (last.state !== 'held') return;
        await within(
          parts.connect_ms,
          kind.release(last.client, last.lock).then(() => last.client.end()),
        ).catch(() => destroyClient(last.client));
      };
    },
    held: () => ('lock' in standing ? standing.lock : undefined),
    isLost: () => standing.state === 'lost' || standing.state === 'over',
    assertHeld() {
      if (standing.state === 'lost' || standing.state === 'over') throw refusal();
    },
    ping: ask,
  };
}

/** Opens a connection and takes the lock on it; closes the connection if that fails. */
async function locked(
  { url, connect_ms }: PostgresServerLockParts,
  lock: (client: pg.Client) => Promise<HeldLock>,
): Promise<[pg.Client, HeldLock]> {
  const client = newClient({ connectionString: url, connectionTimeoutMillis: connect_ms, keepAlive: true });
  try {
    await client.connect().catch(rethrowUnreachable);
    // PostgreSQL detects a client machine that vanished within half a minute.
    await client.query('set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4');
    return [client, await lock(client)];
  } catch (error) {
    destroyClient(client);
    throw error;
  }
}
