// On either database: none is asked.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { examineRedis } from '../../src/cli/doctor/dependencies.ts';
import type { WindowUsage } from '../../src/contract/services/rate-windows.ts';
import { memoryWindows } from '../../src/http/memory-windows.ts';
import { connectRedis, type RedisConnection } from '../../src/storage/redis/connection.ts';
import { redisFirstUses } from '../../src/storage/redis/first-uses.ts';
import { redisGroups } from '../../src/storage/redis/groups.ts';
import { redisWindows } from '../../src/storage/redis/redis-windows.ts';
import { until } from '../rig/patience.ts';
import { testRates } from '../rig/rate-cases.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';

let redis: OwnRedis;
let connection: RedisConnection;
/** What the listener was told, in order. */
const told: string[] = [];
before(async () => {
  redis = await startRedis();
  connection = await connectRedis(
    { url: redis.url, timeout_ms: 1000 },
    {
      lost: (reason) => void told.push(reason),
      back: () => void told.push('back'),
    },
  );
});
after(async () => {
  connection.close();
  await redis.stop();
});

const NOW = 1_772_471_095;
const charge = { key: 'sandbox writes u1 1', isOfAddress: false, window_s: 900, limit: 5 };
const opened = () => redisWindows(connection, redisGroups(connection), memoryWindows());
const usedAfter = async (usage: WindowUsage | Promise<WindowUsage>) => (await usage).windows[0]!.used;
/** Resolves once Redis is used again. */
const back = (): Promise<void> => until('Redis is used again', () => connection.isUp());

describe('windows of calls in Redis', () => {
  testRates(async () => {
    await redis.command('flushall');
    return opened();
  });

  test('are shared, survive the process, and are removed after their end', async () => {
    await redis.command('flushall');
    assert.equal(await usedAfter(opened().take([charge], NOW)), 1);
    assert.equal(await usedAfter(opened().take([charge], NOW + 100)), 2);
    assert.equal(await redis.command('select', '1'), '+OK');
    const ttl = await connection.run(['rates'], (it) => it.ttl(`barker:w:${charge.key}`));
    assert.ok(ttl > 855 && ttl <= 860, `removed after ${ttl} s: a minute after its end`);
  });

  test('go on from what this process knows when Redis was flushed, and in memory while it is away', async () => {
    await redis.command('flushall');
    const windows = opened();
    assert.equal(await usedAfter(windows.take([charge], NOW)), 1);
    await redis.command('flushall');
    assert.equal(await usedAfter(windows.take([charge], NOW + 1)), 2);
    await redis.kill();
    const away = [await windows.take([charge], NOW + 2), await windows.take([charge], NOW + 3)];
    assert.deepEqual(away.map(({ windows: [own] }) => ({ ...own })).at(-1), { used: 4, reset_s: NOW + 900 });
    const [peeked] = await windows.peek([charge], NOW + 4);
    assert.equal(peeked!.used, 4);
    windows.refund([charge], away[1]!);
    await redis.start();
    await back();
    assert.equal(await usedAfter(windows.take([charge], NOW + 5)), 4, 'its windows were lost with it');
    assert.equal((await windows.take([charge], NOW + 6)).isRefused, false);
    assert.equal((await windows.take([charge], NOW + 7)).isRefused, true);
  });

  test('a server that stands still is waited for once', async () => {
    await redis.command('flushall');
    const windows = opened();
    await windows.take([charge], NOW);
    const failures = connection.failures().get('rates')!;
    const thaw = redis.freeze();
    told.length = 0;
    const used = await Promise.all(Array.from({ length: 3 }, () => usedAfter(windows.take([charge], NOW))));
    assert.equal(used.length, 3);
    assert.equal(connection.isUp(), false);
    assert.equal(connection.failures().get('rates'), failures + 3);
    assert.deepEqual(told, ['no reply within 1000 ms']);
    await windows.take([charge], NOW);
    thaw();
    await back();
    assert.deepEqual(told, ['no reply within 1000 ms', 'back']);
  });

  test('a full server is done without', async () => {
    const windows = opened();
    await redis.command('config', 'set', 'maxmemory', '1');
    told.length = 0;
    assert.equal((await windows.take([{ ...charge, key: 'full' }], NOW)).isRefused, false);
    assert.equal(connection.isUp(), false);
    assert.match(told[0]!, /^OOM/);
    await redis.command('config', 'set', 'maxmemory', '0');
    await back();
    assert.equal(told.at(-1), 'back');
  });

  test('a script that Redis forgot is sent again', async () => {
    const windows = opened();
    const other = { ...charge, key: 'script' };
    assert.equal(await usedAfter(windows.take([other], NOW)), 1);
    await redis.command('script', 'flush');
    assert.equal(await usedAfter(windows.take([other], NOW)), 2);
    assert.equal(connection.isUp(), true);
  });
});

describe('operations of one turn of the event loop', () => {
  test('share a command, and each gets its part of the reply', async () => {
    const commands: unknown[] = [];
    const run: RedisConnection['run'] = (uses, command) => {
      commands.push(uses);
      return connection.run(uses, command);
    };
    const groups = redisGroups({ run });
    const windows = redisWindows({ run }, groups, memoryWindows());
    const uses = redisFirstUses(groups);
    await redis.command('flushall');
    const [own, other] = ['one', 'two'].map((key) => ({ ...charge, key, limit: 2 }));
    const results = await Promise.all([
      usedAfter(windows.take([own!, other!], NOW)),
      uses.use('first', 600),
      usedAfter(windows.take([own!], NOW + 1)),
      uses.use('first', 600),
      Promise.resolve(windows.take([other!, own!], NOW + 2)).then(({ isRefused }) => isRefused),
      uses.use('second', 600),
      Promise.resolve(windows.take([other!], NOW + 3)).then(({ isRefused, windows: [state] }) => [isRefused, state]),
    ]);
    assert.deepEqual(results, [1, true, 2, false, true, true, [false, { used: 2, reset_s: NOW + 900 }]]);
    assert.deepEqual(commands, [['rates', 'nonces', 'rates', 'nonces', 'rates', 'nonces', 'rates']]);
  });

  test('are split into commands of 100, so that none keeps Redis busy for long', async () => {
    const sizes: number[] = [];
    const groups = redisGroups({
      run(uses, command) {
        sizes.push(uses.length);
        return connection.run(uses, command);
      },
    });
    const all = await Promise.all(
      Array.from({ length: 250 }, (_, index) => groups.setFirst(`many ${index % 240}`, 60)),
    );
    assert.equal(all.filter(Boolean).length, 240);
    assert.deepEqual(sizes, [100, 100, 50]);
  });
});

describe('first uses in Redis', () => {
  test('are remembered for as long as they are asked to be', async () => {
    const uses = redisFirstUses(redisGroups(connection));
    const all = await Promise.all(Array.from({ length: 20 }, () => uses.use('digest', 600)));
    assert.deepEqual(all.filter(Boolean), [true]);
    const ttl = await connection.run(['nonces'], (it) => it.ttl('barker:n:digest'));
    assert.ok(ttl > 590 && ttl <= 600);
  });
});

test('barker doctor checks that Redis answers, and keeps its keys', async () => {
  const settings = { redis_url: redis.url, redis_timeout_ms: 50 };
  const levels = async () => (await examineRedis(settings)).map(({ level, message }) => `${level}: ${message}`);
  assert.match((await levels()).join('\n'), /^ok: Redis answers in [\d.]+ ms$/);
  await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru');
  const [answers, policy] = await levels();
  assert.match(answers!, /^ok: /);
  assert.equal(policy, 'warning: Redis removes keys when its memory is full (allkeys-lru)');
  await redis.command('config', 'set', 'maxmemory-policy', 'noeviction');
});

test('a server that is not there, or refuses the password, is told of without a secret', async () => {
  for (const url of ['redis://:hunter2hunter2@127.0.0.1:1', redis.url.replace(/:[^:@]*@/, ':hunter2hunter2@')]) {
    const reasons: string[] = [];
    const other = await connectRedis(
      { url, timeout_ms: 50 },
      { lost: (reason) => void reasons.push(reason), back: () => {} },
    );
    assert.equal(other.isUp(), false);
    assert.equal(reasons.length, 1, url);
    assert.match(reasons[0]!, /ECONNREFUSED|WRONGPASS/);
    assert.doesNotMatch(reasons[0]!, /hunter2/);
    await assert.rejects(other.run(['rates'], (it) => it.ping()));
    other.close();
  }
});

test('a server that accepts connections and says nothing is given up', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const reasons: string[] = [];
  const { port } = silent.address() as AddressInfo;
  const other = await connectRedis(
    { url: `redis://:any@127.0.0.1:${port}`, timeout_ms: 50 },
    {
      lost: (reason) => void reasons.push(reason),
      back: () => {},
    },
  );
  assert.deepEqual([other.isUp(), reasons], [false, ['no reply within 1000 ms']]);
  other.close();
  silent.close();
});
