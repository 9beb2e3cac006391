import type { FirstUses } from '../../contract/services/first-uses.ts';
import { KEY_PREFIX } from './connection.ts';
import type { RedisGroups } from './groups.ts';

/** First uses of nonces in Redis. @source decision 747 */
export function redisFirstUses({ setFirst }: RedisGroups): FirstUses {
  return { use: (key, ttl_s) => setFirst(`${KEY_PREFIX}n:${key}`, ttl_s) };
}
