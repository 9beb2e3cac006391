import { secureRandom } from '../base/random.ts';
import type { FirstUses } from '../contract/services/first-uses.ts';
import type { LiveEvents, LiveEventsListener } from '../contract/services/live-events.ts';
import type { LocalRateWindows, RateWindows } from '../contract/services/rate-windows.ts';
import { addSharedServerMetrics } from '../http/metrics.ts';
import { postgresIdentity } from '../storage/core/postgres-status.ts';
import type { Dependencies } from './dependencies.ts';

/** The services of Redis, each with a fallback while it is unavailable. */
export interface SharedServer {
  readonly firstUses: FirstUses;
  /** Windows in Redis, or in memory while it is unavailable. */
  windows(local: LocalRateWindows): RateWindows;
  /** Starts to exchange events between the servers of a database; without a listener, it only sends. */
  openLiveEvents(listener?: LiveEventsListener): Promise<LiveEvents>;
  /** The id of this Redis; empty while it is unknown. */
  id(): Promise<string>;
  /** Rejects while Redis is unavailable, or if other servers of the database use another one. */
  check(): Promise<void>;
  close(): void;
}

/**
 * Connects to the Redis server of the settings, if any; otherwise its client is not loaded. The service also starts while
 * Redis is unavailable.
 * @source decision 745, 749
 */
export async function openSharedServer(deps: Dependencies): Promise<SharedServer | undefined> {
  const { settings, log, registry, driver, node } = deps;
  if (settings.redis_url === '') return undefined;
  const { connectRedis } = await import('../storage/redis/connection.ts');
  const { redisFirstUses } = await import('../storage/redis/first-uses.ts');
  const { redisGroups } = await import('../storage/redis/groups.ts');
  const { redisId } = await import('../storage/redis/redis-id.ts');
  const { redisWindows } = await import('../storage/redis/redis-windows.ts');
  const { redis_url: url, redis_timeout_ms: timeout_ms } = settings;
  const redis = await connectRedis(
    { url, timeout_ms },
    {
      lost: (because) => log.warn({ because }, 'Redis unavailable; doing without it until it is back'),
      back: () => log.info('Redis available again'),
    },
  );
  let live: LiveEvents | undefined;
  addSharedServerMetrics(registry, {
    isUp: redis.isUp,
    failures: () => new Map<string, number>([...redis.failures(), ['events', live?.failures() ?? 0]]),
  });
  const groups = redisGroups(redis);
  return {
    firstUses: redisFirstUses(groups),
    windows: (local) => redisWindows(redis, groups, local),
    async openLiveEvents(listener) {
      const { openLiveEvents } = await import('../storage/redis/live-events.ts');
      live = openLiveEvents(url, await postgresIdentity(driver), listener);
      return live;
    },
    id: redisId(redis, secureRandom),
    async check() {
      if (!redis.isUp()) throw new Error('Redis does not answer');
      if (node.hasOtherRedis()) throw new Error('other servers of this database use another Redis');
    },
    close: redis.close,
  };
}
