import type {
  LocalRateWindows,
  RateWindows,
  WindowCharge,
  WindowState,
  WindowUsage,
} from '../../contract/services/rate-windows.ts';
import { KEY_PREFIX, type RedisConnection } from './connection.ts';
import type { GroupedWindow, RedisGroups } from './groups.ts';
import { type Script, script } from './script.ts';

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
export function redisWindows(
  { run }: Pick<RedisConnection, 'run'>,
  groups: RedisGroups,
  local: LocalRateWindows,
): RateWindows {
  const keyOf = ({ key }: WindowCharge): string => `${KEY_PREFIX}w:${key}`;
  const evaluate = (script: Script, charges: readonly WindowCharge[], values: readonly number[]) =>
    run(['rates'], (redis) => script(redis, charges.map(keyOf), values));

  async function take(charges: readonly WindowCharge[], now_s: number): Promise<WindowUsage> {
    const windows = charges.map((charge): GroupedWindow => {
      const known = local.find(charge, now_s);
      return [keyOf(charge), charge.window_s, charge.limit, known?.used ?? 0, known?.reset_s ?? 0];
    });
    let reply: readonly number[];
    try {
      reply = await groups.count(windows, now_s);
    } catch {
      return local.take(charges, now_s);
    }
    const states = charges.map((charge, at) => {
      const state = { used: reply[at * 2 + 1]!, reset_s: reply[at * 2 + 2]! };
      local.adopt(charge, state, now_s);
      return state;
    });
    const usage: RedisUsage = { isRefused: reply[0] === 1, calls: 1, windows: states, isInRedis: true };
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
