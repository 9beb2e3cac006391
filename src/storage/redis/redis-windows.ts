import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type {
  LocalRateWindows,
  RateWindows,
  WindowCharge,
  WindowState,
  WindowUsage,
} from '../../contract/services/rate-windows.ts';
import type { RedisConnection } from './connection.ts';

/** A script, and the name under which Redis remembers it. */
interface Script {
  readonly lua: string;
  readonly sha: string;
}

function script(lua: string): Script {
  return { lua, sha: hash('sha1', lua) };
}

/**
 * Counts a call in all windows or in none, with the clock of the caller. Keys are removed by Redis a minute after their
 * window has ended. A window that Redis does not have, as after it was flushed, continues from what the caller knows.
 *
 * Arguments: the time, then for each window its length, its limit, and the count and end that the caller knows, 0 when it
 * knows none. Returns 1 when the call is refused, then the count and end of each window.
 */
const TAKE = script(`
local now = tonumber(ARGV[1])
local used, reset, refused = {}, {}, 0
for i, key in ipairs(KEYS) do
  local at = i * 4 - 2
  local window = tonumber(ARGV[at])
  local found = redis.call('hmget', key, 'used', 'reset')
  local u, r = tonumber(found[1]), tonumber(found[2])
  if not r or r <= now then
    u, r = 0, now + window
    local known = tonumber(ARGV[at + 3])
    if known > now then u, r = tonumber(ARGV[at + 2]), known end
  end
  used[i], reset[i] = u, math.min(r, now + window)
  if u >= tonumber(ARGV[at + 1]) then refused = 1 end
end
local reply = {refused}
for i, key in ipairs(KEYS) do
  used[i] = used[i] + 1 - refused
  redis.call('hset', key, 'used', used[i], 'reset', reset[i])
  redis.call('expire', key, reset[i] - now + 60)
  reply[i * 2] = used[i]
  reply[i * 2 + 1] = reset[i]
end
return reply`);

/** Takes a call back from windows that have not ended and opened again since. Arguments: their ends. */
const REFUND = script(`
for i, key in ipairs(KEYS) do
  local reset = tonumber(redis.call('hget', key, 'reset'))
  if reset and reset <= tonumber(ARGV[i]) then redis.call('hincrby', key, 'used', -1) end
end`);

/** Returns count and end of each window, both 0 when it is unknown. */
const PEEK = script(`
local reply = {}
for i, key in ipairs(KEYS) do
  local found = redis.call('hmget', key, 'used', 'reset')
  reply[i * 2 - 1] = tonumber(found[1]) or 0
  reply[i * 2] = tonumber(found[2]) or 0
end
return reply`);

/** Usage that Redis has counted, so that it is taken back there too. */
interface RedisUsage extends WindowUsage {
  readonly isInRedis: true;
}

/**
 * Windows that several processes share in Redis, and that outlive them. While Redis is away, those in memory go on from
 * what it said last.
 * @source decision 744, 745
 */
export function redisWindows({ run }: RedisConnection, local: LocalRateWindows): RateWindows {
  const keyOf = ({ key }: WindowCharge): string => `w:${key}`;
  const sent = new Set<Script>();
  const evaluate = (script: Script, charges: readonly WindowCharge[], values: readonly number[]) => {
    const keys = charges.map(keyOf);
    const { lua, sha } = script;
    return run('rates', async (redis: Redis): Promise<number[]> => {
      if (sent.has(script)) {
        try {
          return (await redis.evalsha(sha, keys.length, ...keys, ...values)) as number[];
        } catch (error) {
          if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
        }
      }
      sent.add(script);
      return (await redis.eval(lua, keys.length, ...keys, ...values)) as number[];
    });
  };

  async function take(charges: readonly WindowCharge[], now_s: number): Promise<WindowUsage> {
    const values = charges.flatMap((charge) => {
      const known = local.find(charge, now_s);
      return [charge.window_s, charge.limit, known?.used ?? 0, known?.reset_s ?? 0];
    });
    let reply: number[];
    try {
      reply = await evaluate(TAKE, charges, [now_s, ...values]);
    } catch {
      return local.take(charges, now_s);
    }
    const windows = charges.map((charge, at) => {
      const state = { used: reply[at * 2 + 1]!, reset_s: reply[at * 2 + 2]! };
      local.adopt(charge, state, now_s);
      return state;
    });
    const usage: RedisUsage = { isRefused: reply[0] === 1, calls: 1, windows, isInRedis: true };
    return usage;
  }
  async function peek(charges: readonly WindowCharge[], now_s: number): Promise<readonly WindowState[]> {
    const known = local.peek(charges, now_s);
    const reply = await evaluate(PEEK, charges, []).catch(() => []);
    return charges.map(({ window_s }, at) => {
      const [used = 0, reset_s = 0] = reply.slice(at * 2, at * 2 + 2);
      return reset_s > now_s ? { used, reset_s: Math.min(reset_s, now_s + window_s) } : known[at]!;
    });
  }

  return {
    take,
    peek,
    refund(charges, usage) {
      local.refund(charges, usage);
      if (!('isInRedis' in usage)) return;
      const ends = usage.windows.map(({ reset_s }) => reset_s);
      evaluate(REFUND, charges, ends).catch(() => {});
    },
  };
}
