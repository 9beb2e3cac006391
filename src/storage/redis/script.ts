import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A script that Redis runs. Keys have their prefix: the client would have to look for them in each command. */
export type Script = (redis: Redis, keys: readonly string[], values: readonly (string | number)[]) => Promise<number[]>;

/** A script in Lua, which is sent once, and then by the name under which Redis remembers it. */
export function script(lua: string): Script {
  const sha = hash('sha1', lua);
  let wasSent = false;
  return async (redis, keys, values) => {
    if (wasSent) {
      try {
        return (await redis.evalsha(sha, keys.length, ...keys, ...values)) as number[];
      } catch (error) {
        if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      }
    }
    wasSent = true;
    return (await redis.eval(lua, keys.length, ...keys, ...values)) as number[];
  };
}
