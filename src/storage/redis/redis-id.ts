import type { Random } from '../../base/random.ts';
import { KEY_PREFIX, type RedisConnection } from './connection.ts';

/** Returns the id; the first to ask stores the one that it offers. */
const IDENTIFY = `
local id = redis.call('hget', KEYS[1], 'id')
if not id then
  id = ARGV[1]
  redis.call('hset', KEYS[1], 'id', id)
end
return id`;

/**
 * The id of this Redis, by which servers recognize that they have the same one: a random text under a key in it, which is
 * stored again when Redis has lost it. While Redis is away, the last one that was read; empty before the first time.
 * @source decision 850
 */
export function redisId({ run }: Pick<RedisConnection, 'run'>, random: Random): () => Promise<string> {
  let known = '';
  return async () => {
    const offered = known || random.bytes(16).toString('hex');
    known = await run([], (redis) => redis.eval(IDENTIFY, 1, `${KEY_PREFIX}id`, offered) as Promise<string>).catch(
      () => known,
    );
    return known;
  };
}
