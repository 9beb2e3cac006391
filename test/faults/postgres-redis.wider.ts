import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { openWorld, type World } from '../rig/world.ts';

let redis: OwnRedis;
before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

const ENOUGH = 1_000_000;
const UNLIMITED = {
  rate_writes_per_min: ENOUGH,
  rate_global_reads_per_15min: ENOUGH,
  rate_requests_per_address_per_min: ENOUGH,
};

/** One signed request, which can be sent again and again. */
function signed(world: World, method: 'GET' | 'POST', path: string): () => Promise<number> {
  const url = `${world.service.sandboxUrl}${path}`;
  const oauth = protocol(world.keys, world.clock);
  const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
  const { header } = sign({ method, url, oauth, consumerSecret, tokenSecret });
  return async () => {
    const { statusCode, body } = await request(url, { method, headers: { authorization: header } });
    await body.dump();
    return statusCode;
  };
}

/** Sends a request this many times at once; returns how often each status came back. */
async function sendAtOnce(send: () => Promise<number>, times: number): Promise<Record<number, number>> {
  const statuses = await Promise.all(Array.from({ length: times }, send));
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const readyz = async (world: World) => {
  const { statusCode, body } = await request(`${world.service.url}/readyz`);
  const { checks } = (await body.json()) as { checks: Record<string, string> };
  return [statusCode, checks.redis];
};
const metric = async (world: World, name: string): Promise<number> => {
  const { body } = await request(`${world.service.url}/metrics`);
  const line = (await body.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
};

describe('requests while Redis fails', () => {
  let world: World;
  before(async () => {
    world = await openWorld({ which: 'postgres', flags: { redis_url: redis.url, ...UNLIMITED } });
  });
  after(() => world.close());

  /** Kills Redis, lets it stand still and flushes it, in turn, until it is told to stop. */
  function disturb(): { rounds: number; stop(): Promise<void> } {
    const state = { rounds: 0, isEnding: false };
    const done = (async () => {
      while (!state.isEnding) {
        await redis.kill();
        await wait(30);
        await redis.start();
        await wait(150);
        const thaw = redis.freeze();
        await wait(120);
        thaw();
        await wait(150);
        await redis.command('flushall');
        state.rounds += 1;
      }
    })();
    return {
      get rounds() {
        return state.rounds;
      },
      stop() {
        state.isEnding = true;
        return done;
      },
    };
  }

  test('each is performed once, however often it is sent at once, and none fails', async () => {
    const accounts = async (): Promise<number> => {
      const { body } = await world.sandbox.call('GET', '/12/accounts', {
        params: { with_total_count: true, count: 1 },
      });
      return body.total_count as number;
    };
    const before = await accounts();
    const disturbance = disturb();
    const posts: Record<number, number>[] = [];
    const gets: Record<number, number>[] = [];
    while (posts.length < 200 || disturbance.rounds < 5) {
      const [post, get] = await Promise.all([
        sendAtOnce(signed(world, 'POST', '/12/accounts'), 20),
        sendAtOnce(signed(world, 'GET', '/12/accounts?count=1'), 5),
      ]);
      posts.push(post);
      gets.push(get);
    }
    await disturbance.stop();
    for (const post of posts) assert.deepEqual(post, { 200: 1, 401: 19 });
    for (const get of gets) assert.deepEqual(get, { 200: 1, 401: 4 });
    assert.equal(await accounts(), before + posts.length);
  });

  test('probes and metrics tell whether it is there, and the service is ready without it', async () => {
    await until('Redis is used again', async () => (await metric(world, 'barker_redis_up')) === 1);
    world.clock.advance(2);
    assert.deepEqual(await readyz(world), [200, 'ok']);
    await redis.kill();
    await until('its loss is noticed', async () => (await metric(world, 'barker_redis_up')) === 0);
    world.clock.advance(2);
    assert.deepEqual(await readyz(world), [200, 'degraded']);
    const failures = await metric(world, 'barker_redis_failures_total{use="nonces"}');
    await world.sandbox.call('GET', '/12/accounts');
    assert.equal(await metric(world, 'barker_redis_failures_total{use="nonces"}'), failures + 1);
    await redis.start();
    await until('Redis is used again', async () => (await metric(world, 'barker_redis_up')) === 1);
  });
});

describe('a restart of the service', () => {
  let place: Place;
  let world: World;
  const open = async (flags: Record<string, unknown>): Promise<void> => {
    world = await openWorld({ place, flags });
  };
  before(async () => {
    place = await openPlace('postgres', { hasSchema: true, isInMemory: true });
  });
  after(() => world.close());
  /** Used requests are refused after the restart. */
  async function refusedAfter(flags: Record<string, unknown>, requests: readonly (() => Promise<number>)[]) {
    await world.stop();
    await open(flags);
    return Promise.all(requests.map((send) => send()));
  }
  const withRedis = () => ({ redis_url: redis.url, ...FEW });
  const FEW = { rate_global_reads_per_15min: 20 };
  /** A write and a read, both performed. The ports of the sandbox are part of what is signed. */
  async function performed() {
    const { sandboxUrl } = world.service;
    const requests = [signed(world, 'POST', '/12/accounts'), signed(world, 'GET', '/12/accounts')];
    assert.deepEqual(await Promise.all(requests.map((send) => send())), [200, 200]);
    return { requests, sandbox_port: Number(new URL(sandboxUrl).port) };
  }

  test('keeps rate windows and used nonces, which are found whatever the setting is afterwards', async () => {
    await open(withRedis());
    const first = await performed();
    const { sandbox_port } = first;
    const left = async () => {
      const { headers } = await world.sandbox.call('GET', '/12/accounts');
      return Number(headers.get('x-rate-limit-remaining'));
    };
    assert.equal(await left(), 18);
    assert.deepEqual(await refusedAfter({ ...withRedis(), sandbox_port }, first.requests), [401, 401]);
    assert.equal(await left(), 17, 'windows survive, and replays count nowhere');
    // Without Redis, reads that were reserved there are unknown; writes never are.
    const second = await performed();
    const [write] = await refusedAfter({ ...FEW, sandbox_port }, second.requests);
    assert.equal(write, 401);
    const third = await performed();
    assert.deepEqual(await refusedAfter({ ...withRedis(), sandbox_port }, third.requests), [401, 401]);
  });

  test('needs no Redis', async () => {
    await redis.kill();
    const { port } = new URL(world.service.sandboxUrl);
    const flags = { ...withRedis(), sandbox_port: Number(port) };
    await refusedAfter(flags, []);
    const used = await performed();
    assert.deepEqual(await refusedAfter(flags, used.requests), [401, 401], 'both were reserved in PostgreSQL');
    await redis.start();
    await until('Redis is used', async () => (await metric(world, 'barker_redis_up')) === 1);
    assert.deepEqual(await Promise.all(used.requests.map((send) => send())), [401, 401]);
  });
});
