import type { FirstUses } from '../../contract/services/first-uses.ts';
import type { RedisConnection } from './connection.ts';

/** First uses of nonces in Redis. @source decision 747 */
export function redisFirstUses({ run }: RedisConnection): FirstUses {
  return {
    use: (key, ttl_s) => run('nonces', async (redis) => (await redis.set(`n:${key}`, 1, 'EX', ttl_s, 'NX')) === 'OK'),
  };
}
