import { nextTurn } from '../../base/timers.ts';
import type { RedisConnection, RedisUse } from './connection.ts';
import { script } from './script.ts';

/**
 * Does the operations of a group one after the other. Each has keys and arguments, and adds numbers to the reply:
 *
 * - 0 and the seconds for which it is remembered: sets a key that does not exist. Replies 1 if it did not.
 * - The number of windows and the time, then for each window its length, its limit, and the count and end that the caller
 *   knows, 0 when it knows none: counts a call in all of them or in none, with the clock of the caller. Replies 1 when the
 *   call is refused, then the count and end of each window.
 *
 * Windows are removed by Redis a minute after they have ended. One that Redis does not have, as after it was flushed,
 * continues from what the caller knows.
 */
const GROUP = script(`
local reply, k, a = {}, 1, 1
while k <= #KEYS do
  local count, now = tonumber(ARGV[a]), tonumber(ARGV[a + 1])
  if count == 0 then
    reply[#reply + 1] = redis.call('set', KEYS[k], 1, 'EX', now, 'NX') and 1 or 0
    k, a = k + 1, a + 2
  else
    local used, reset, refused = {}, {}, 0
    for i = 1, count do
      local at = a + i * 4 - 2
      local window = tonumber(ARGV[at])
      local found = redis.call('hmget', KEYS[k + i - 1], 'used', 'reset')
      local u, r = tonumber(found[1]), tonumber(found[2])
      if not r or r <= now then
        u, r = 0, now + window
        local known = tonumber(ARGV[at + 3])
        if known > now then u, r = tonumber(ARGV[at + 2]), known end
      end
      used[i], reset[i] = u, math.min(r, now + window)
      if u >= tonumber(ARGV[at + 1]) then refused = 1 end
    end
    reply[#reply + 1] = refused
    for i = 1, count do
      local key = KEYS[k + i - 1]
      used[i] = used[i] + 1 - refused
      redis.call('hset', key, 'used', used[i], 'reset', reset[i])
      redis.call('expire', key, reset[i] - now + 60)
      reply[#reply + 1] = used[i]
      reply[#reply + 1] = reset[i]
    end
    k, a = k + count, a + 2 + count * 4
  end
end
return reply`);

/** Maximum number of operations per script, which blocks Redis: 100 take about a millisecond. */
const OPERATIONS_MAX = 100;

/** An operation awaiting the reply of its group. */
interface Operation {
  readonly use: RedisUse;
  /** Number of its results in the reply. */
  readonly numbers: number;
  readonly reply: PromiseWithResolvers<readonly number[]>;
}

interface Group {
  readonly keys: string[];
  readonly values: number[];
  readonly operations: Operation[];
}

/** A window that a call is charged to: key, length, limit, and the known count and end. */
export type GroupedWindow = readonly [key: string, window_s: number, limit: number, used: number, reset_s: number];

/** Batches operations of one turn of the event loop into one command. */
export interface RedisGroups {
  /** Sets a key for `ttl_s` seconds unless it exists; resolves with whether it was set. @throws SharedServerAway */
  setFirst(key: string, ttl_s: number): Promise<boolean>;
  /**
   * Counts a call. Resolves with 1 if it is refused, otherwise 0, followed by the count and end of each window.
   * @throws SharedServerAway
   */
  count(windows: readonly GroupedWindow[], now_s: number): Promise<readonly number[]>;
}

/**
 * Batches operations on a connection: sending a command and awaiting its reply costs as much as ten operations.
 * @source decision 804
 */
export function redisGroups({ run }: Pick<RedisConnection, 'run'>): RedisGroups {
  let waiting: Group | undefined;

  const send = async (group: Group): Promise<void> => {
    const { keys, values, operations } = group;
    if (waiting === group) waiting = undefined;
    const uses = operations.map(({ use }) => use);
    try {
      const reply = await run(uses, (redis) => GROUP(redis, keys, values));
      let at = 0;
      for (const operation of operations) {
        operation.reply.resolve(reply.slice(at, at + operation.numbers));
        at += operation.numbers;
      }
    } catch (error) {
      for (const operation of operations) operation.reply.reject(error);
    }
  };
  const groupOfTurn = (): Group => {
    if (waiting && waiting.operations.length < OPERATIONS_MAX) return waiting;
    const group: Group = { keys: [], values: [], operations: [] };
    waiting = group;
    nextTurn(() => void send(group));
    return group;
  };
  const join = (group: Group, use: RedisUse, numbers: number): Promise<readonly number[]> => {
    const reply = Promise.withResolvers<readonly number[]>();
    group.operations.push({ use, numbers, reply });
    return reply.promise;
  };

  return {
    async setFirst(key, ttl_s) {
      const group = groupOfTurn();
      group.keys.push(key);
      group.values.push(0, ttl_s);
      const [isFirst] = await join(group, 'nonces', 1);
      return isFirst === 1;
    },
    count(windows, now_s) {
      const group = groupOfTurn();
      group.values.push(windows.length, now_s);
      for (const [key, ...values] of windows) {
        group.keys.push(key);
        group.values.push(...values);
      }
      return join(group, 'rates', 1 + 2 * windows.length);
    },
  };
}
