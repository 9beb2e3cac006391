import { Redis, type RedisOptions } from 'ioredis';
import { after, elapsed_ms, nextTurn } from '../../base/timers.ts';
import { SharedServerAway } from '../../contract/services/first-uses.ts';

/** A timer that fires later than this was delayed by the process itself. */
const STALL_MS = 25;
/** Maximum extension of the timeout after stalls of the process. */
const STALLED_MS_MAX = 1000;
/** Timeout of connecting and of the handshake. */
const CONNECT_MS = 1000;
/** How long a connection may take to end. */
const DISCONNECT_MS = 50;
/** Delay between connection attempts: grows by this, up to the limit. */
const RETRY_MS = 100;
const RETRY_MS_MAX = 1000;

/** Prefix of all keys. */
export const KEY_PREFIX = 'barker:';

/** Options of every connection: it connects lazily, and commands fail while it is down. */
export const REDIS_OPTIONS = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: CONNECT_MS,
  disconnectTimeout: DISCONNECT_MS,
  // Every version speaks it.
  protocol: 2,
  disableClientInfo: true,
  retryStrategy: (attempts: number) => Math.min(attempts * RETRY_MS, RETRY_MS_MAX),
} satisfies RedisOptions;

/** The purpose of a command, by which failures are counted. */
export type RedisUse = 'rates' | 'nonces';

/** Is notified when Redis is lost and when it is back. The reason contains no secret. */
export interface RedisListener {
  lost(reason: string): void;
  back(): void;
}

/** A connection to a Redis or Valkey server, which may be lost at any time. */
export interface RedisConnection {
  /** Whether commands are answered. */
  isUp(): boolean;
  /**
   * Runs a command, and counts its failure for each of the uses. Fails at once while Redis is away.
   * @throws SharedServerAway
   */
  run<T>(uses: readonly RedisUse[], command: (redis: Redis) => Promise<T>): Promise<T>;
  /** How many uses failed. */
  failures(): ReadonlyMap<RedisUse, number>;
  close(): void;
}

/**
 * Connects to `redis://` or, with TLS, `rediss://`; resolves when Redis answers, or after the first failed attempt,
 * after which it keeps retrying until closed. A reply later than `timeout_ms` or an error closes the connection, so
 * that later commands do not wait too.
 * @source decision 745, 749
 */
export async function connectRedis(
  { url, timeout_ms }: { readonly url: string; readonly timeout_ms: number },
  listener: RedisListener,
): Promise<RedisConnection> {
  const redis = new Redis(url, REDIS_OPTIONS);
  const failures = new Map<RedisUse, number>([
    ['rates', 0],
    ['nonces', 0],
  ]);
  const pending = new Set<PromiseWithResolvers<unknown>>();
  const state = { isUp: false, isClosed: false, isLossTold: false, reason: 'it cannot be reached' };

  const lose = (because: string): void => {
    state.isUp = false;
    for (const each of pending) each.reject(new SharedServerAway(because));
    pending.clear();
    if (state.isClosed) return;
    if (!state.isLossTold) listener.lost(because);
    state.isLossTold = true;
  };
  const drop = (because: string): void => {
    lose(because);
    redis.disconnect(true);
  };
  async function answered<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    const reply = Promise.withResolvers<T>();
    const each = reply as PromiseWithResolvers<unknown>;
    pending.add(each);
    const sentAt_ms = elapsed_ms();
    let callOff = (): void => {};
    const wait = (): void => {
      const until_ms = elapsed_ms() + timeout_ms;
      callOff = after(timeout_ms, () => {
        const now_ms = elapsed_ms();
        // What has stalled this process, such as a throttled or frozen machine, may have stalled Redis too. @source decision 851
        if (now_ms - until_ms > STALL_MS && now_ms - sentAt_ms < STALLED_MS_MAX) return wait();
        // After a long turn the reply may have arrived already: whatever has is read before the next turn.
        nextTurn(() => pending.has(each) && drop(`no reply within ${timeout_ms} ms`));
      });
    };
    wait();
    command(redis).then(reply.resolve, reply.reject);
    try {
      return await reply.promise;
    } catch (error) {
      if (pending.has(each)) drop((error as Error).message);
      throw error instanceof SharedServerAway ? error : new SharedServerAway((error as Error).message);
    } finally {
      callOff();
      pending.delete(each);
    }
  }
  /** Even a full server or a replica accepts connections. */
  const probe = async (): Promise<void> => {
    await answered((it) => it.set(`${KEY_PREFIX}probe`, 1, 'EX', 60));
    state.isUp = true;
    if (state.isLossTold) listener.back();
    state.isLossTold = false;
  };

  // Only the message: other members of these errors hold commands, such as the one with the password.
  redis.on('error', ({ message }: Error) => {
    state.reason = message;
  });
  redis.on('close', () => lose(state.reason));
  // The client limits only the time until the server accepts the connection.
  redis.on('connect', () => {
    const callOff = after(CONNECT_MS, () => {
      state.reason = `no reply within ${CONNECT_MS} ms`;
      redis.disconnect(true);
    });
    for (const event of ['ready', 'close']) redis.once(event, callOff);
  });
  const probed = new Promise<void>((resolve) => {
    redis.on('ready', () => {
      state.reason = 'the connection was closed';
      probe().then(resolve, resolve);
    });
    redis.on('close', resolve);
  });
  redis.connect().catch(({ message }: Error) => lose(state.reason || message));
  await probed;
  return {
    isUp: () => state.isUp,
    async run(uses, command) {
      try {
        if (!state.isUp) throw new SharedServerAway(state.reason);
        return await answered(command);
      } catch (error) {
        for (const use of uses) failures.set(use, failures.get(use)! + 1);
        throw error;
      }
    },
    failures: () => failures,
    close() {
      state.isClosed = true;
      redis.disconnect();
    },
  };
}
