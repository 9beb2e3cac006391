import type pg from 'pg';
import { after, elapsed_ms, every, withTimeout } from '../../base/timers.ts';
import { StoreUnavailable } from '../../contract/problems/store-unavailable.ts';
import type { OutageListener } from '../unit-of-work.ts';
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

/** Interval of the heartbeat. */
const BEAT_MS = 500;
/** Delay between attempts to take the lock. */
const AGAIN_MS = 250;

type Standing =
  | { readonly state: 'none' }
  | { readonly state: 'held'; readonly client: pg.Client; readonly lock: HeldLock }
  | { readonly state: 'lost'; readonly lock: HeldLock; readonly cause: Error }
  | { readonly state: 'over'; readonly lock: HeldLock; readonly cause: Error };

/**
 * The lock that makes this process the only server of its database, or one of its nodes, held on a dedicated
 * connection. When that connection breaks or falls silent, the holder is unknown: all other connections are closed, and
 * units of work are refused until the lock is held again. If an exclusive server has taken it meanwhile, this one ends.
 * @source decision 414, 415
 */
export class PostgresServerLock {
  readonly listeners: OutageListener[] = [];
  readonly #parts;
  #kind: ServerLockKind = exclusiveLock;
  #standing: Standing = { state: 'none' };
  #stopBeating = (): void => {};
  #unanswered = 0;
  #asking: Promise<void> | undefined;

  constructor(parts: PostgresServerLockParts) {
    this.#parts = parts;
  }

  /** Takes the lock. @throws ServerAlreadyRunning */
  async acquire({ isShared }: ServerLockOptions): Promise<ReleaseLock> {
    const { connect_ms, silence_ms } = this.#parts;
    const kind = isShared ? sharedLock : exclusiveLock;
    this.#kind = kind;
    // An unreleased lock must stay free longer than its server needs to notice the disconnection and return.
    const [client, lock] = await locked(this.#parts, (opened) => kind.acquire(opened, 2 * silence_ms));
    this.#hold(client, lock);
    this.#stopBeating = every(BEAT_MS, () => this.#beat());
    return async () => {
      this.#stopBeating();
      const last = this.#standing;
      this.#standing = { state: 'over', lock, cause: new Error('the service has ended') };
      if (last.state !== 'held') return;
      await withTimeout(
        connect_ms,
        kind.release(last.client, last.lock).then(() => last.client.end()),
      ).catch(() => destroyClient(last.client));
    };
  }

  /** The current or last lock; undefined in a process that never took it, such as a command. */
  held(): HeldLock | undefined {
    return 'lock' in this.#standing ? this.#standing.lock : undefined;
  }

  /** Whether the lock was held and is lost now. */
  isLost(): boolean {
    return this.#standing.state === 'lost' || this.#standing.state === 'over';
  }

  /** @throws StoreUnavailable while the lock is lost */
  assertHeld(): void {
    if (this.isLost()) throw this.#refusal();
  }

  /** Resolves when the database server answers on the connection that holds the lock. */
  ping(): Promise<void> {
    if (this.#standing.state !== 'held') return Promise.reject(this.#refusal());
    const held = this.#standing;
    this.#asking ??= held.client.query('select 1').then(
      () => {
        if (this.#standing !== held) return;
        this.#asking = undefined;
        this.#unanswered = 0;
      },
      (error: Error) => {
        if (this.#standing === held) this.markLost(error);
        throw this.#refusal();
      },
    );
    return this.#asking;
  }

  /** Abandons all units of work under way, whose outcome is unknown, and takes the lock again. */
  markLost(cause: Error): void {
    if (this.#standing.state !== 'held') return;
    const { client, lock } = this.#standing;
    this.#standing = { state: 'lost', lock, cause };
    destroyClient(client);
    this.#parts.destroyConnections();
    for (const { began } of this.listeners) began?.(cause);
    void this.#regain(lock, elapsed_ms());
  }

  #hold(client: pg.Client, lock: HeldLock): void {
    const held: Standing = { state: 'held', client, lock };
    this.#standing = held;
    this.#unanswered = 0;
    this.#asking = undefined;
    const broke = (error?: Error): void => {
      if (this.#standing === held) this.markLost(error ?? new Error('the connection to the database ended'));
    };
    client.on('error', broke);
    client.on('end', () => broke());
  }

  async #regain(lock: HeldLock, lostAt_ms: number): Promise<void> {
    const { connect_ms } = this.#parts;
    while (this.#standing.state === 'lost') {
      const startedAt_ms = elapsed_ms();
      try {
        const again = (client: pg.Client) => withTimeout(connect_ms, this.#kind.reacquire(client, lock));
        const [client, next] = await locked(this.#parts, again);
        if (this.#standing.state !== 'lost') return destroyClient(client);
        this.#hold(client, next);
        // Caches are cleared before anything reads the database again.
        for (const { ended } of this.listeners) ended?.(elapsed_ms() - lostAt_ms);
      } catch (error) {
        if (error instanceof ServerAlreadyRunning) {
          this.#standing = { state: 'over', lock, cause: error };
          for (const { superseded } of this.listeners) superseded?.(error);
          return;
        }
        const wait_ms = startedAt_ms + AGAIN_MS - elapsed_ms();
        await new Promise<void>((resolve) => void after(Math.max(0, wait_ms), resolve));
      }
    }
  }

  /** Counts heartbeats, not time: a process that was paused must first handle the answers that have arrived. */
  #beat(): void {
    if (this.#standing.state !== 'held') return;
    const { silence_ms } = this.#parts;
    if (this.#unanswered * BEAT_MS >= silence_ms) {
      this.markLost(new Error(`the database server has not answered for ${silence_ms / 1000} s`));
    } else if (this.#asking) this.#unanswered += 1;
    else this.ping().catch(() => undefined);
  }

  #refusal(): StoreUnavailable {
    const standing = this.#standing;
    const cause = 'cause' in standing ? standing.cause : new Error('this process does not hold the server lock');
    return new StoreUnavailable(cause, { isOutage: true });
  }
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
