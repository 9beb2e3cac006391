import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { seededRandom } from '../../src/base/random.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { type CuttableProxy, openCuttableProxy } from '../rig/cuttable-proxy.ts';
import { until } from '../rig/patience.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { openWorld, type World } from '../rig/world.ts';

/** Signed requests that change something, in all; half as many read. `TEST_POSTS` makes it as many as anybody has time for. */
const POSTS = Number(process.env.TEST_POSTS ?? 240);
const SEED = Number(process.env.TEST_SEED ?? 20260302);
const NODES = 3;
/** How many are under way at a time. */
const AT_ONCE = 6;
/** So often is each disturbance repeated at least. */
const ROUNDS_MIN = 3;

let redis: OwnRedis;
/** How each node reaches Redis. */
let ways: CuttableProxy[];
let world: World;
/** Keeps connections to each node. */
const agent = new Agent({ connections: 2 * AT_ONCE });
before(async () => {
  redis = await startRedis();
  ways = await Promise.all(Array.from({ length: NODES }, () => openCuttableProxy(redis.url)));
  world = await openWorld({
    ...{ which: 'postgres', nodes: NODES, redisUrls: ways.map(({ url }) => url) },
    flags: { rate_limits: 'off', access_log: 'failures' },
  });
});
after(async () => {
  await world.close();
  await agent.close();
  await Promise.all(ways.map((each) => each.close()));
  await redis.stop();
});

/** Sends one signed request to all nodes at once; returns the statuses, sorted. */
async function sendToAll(method: 'GET' | 'POST', path: string): Promise<number[]> {
  const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
  const url = `${world.service.sandboxUrl}${path}`;
  const { header } = sign({ method, url, oauth: protocol(world.keys, world.clock), consumerSecret, tokenSecret });
  const headers = { host: new URL(url).host, authorization: header };
  const sent = world.origins.map(async ({ sandbox }) => {
    const { statusCode, body } = await request(`${sandbox}${path}`, { method, headers, dispatcher: agent });
    await body.dump();
    return statusCode;
  });
  return (await Promise.all(sent)).sort();
}

async function accountCount(): Promise<number> {
  const params = { with_total_count: true, count: 1 };
  return (await world.sandbox.call('GET', '/12/accounts', { params })).body.total_count;
}

/** How many uses of Redis for nonces have failed on all nodes. */
async function failedUses(): Promise<number> {
  const counts = world.origins.map(async ({ production }) => {
    const text = await (await fetch(`${production}/metrics`)).text();
    return Number(/^barker_redis_failures_total\{use="nonces"\} (\d+)$/m.exec(text)![1]);
  });
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

const untilRedisIsUsed = (): Promise<void> =>
  until('all nodes use Redis', async () => {
    const texts = await Promise.all(
      world.origins.map(async ({ production }) => (await fetch(`${production}/metrics`)).text()),
    );
    return texts.every((text) => /^barker_redis_up 1$/m.test(text));
  });

/** What is done to Redis, again and again; each ends as it began. */
const disturbances: Readonly<Record<string, (below: (bound: number) => number) => Promise<void>>> = {
  async 'is killed and started again'() {
    await redis.kill();
    await wait(30);
    await redis.start();
    await wait(150);
  },
  async 'is flushed'() {
    await redis.command('flushall');
    await wait(5);
  },
  async 'stands still'(below) {
    const thaw = redis.freeze();
    await wait(20 + below(150));
    thaw();
    await wait(150);
  },
  async 'is slow'(below) {
    // About as long as a reply is waited for.
    for (const way of ways) way.slow(below(40));
    await wait(150);
    for (const way of ways) way.mend();
    await wait(50);
  },
  async 'is reached by one node only'(below) {
    const reaching = below(NODES);
    for (const [node, way] of ways.entries()) {
      if (node !== reaching) below(2) === 0 ? way.refuse() : way.silence();
    }
    await wait(150);
    for (const way of ways) way.mend();
    await wait(150);
  },
};

/** Sends requests while something is repeated beside them; returns how often each outcome came, of changes and reads. */
async function sendBeside(times: number, seed: number, disturb: (typeof disturbances)[string] | undefined) {
  const random = seededRandom(seed, 'disturbances');
  const below = (bound: number): number => random.bytes(4).readUInt32BE() % bound;
  const posts: Record<string, number> = {};
  const gets: Record<string, number> = {};
  const note = (outcomes: Record<string, number>, statuses: readonly number[]): void => {
    const outcome = statuses.join(' ');
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  let begun = 0;
  let rounds = disturb ? 0 : ROUNDS_MIN;
  let isOver = false;
  const disturbing = (async () => {
    for (; disturb && !isOver; rounds++) await disturb(below);
  })();
  const send = async (): Promise<void> => {
    while (begun < times || rounds < ROUNDS_MIN) {
      const isRead = begun++ % 2 === 1;
      note(posts, await sendToAll('POST', '/12/accounts'));
      if (isRead) note(gets, await sendToAll('GET', '/12/accounts?count=1'));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, send));
  } finally {
    isOver = true;
    await disturbing;
  }
  return { posts, gets, sent: begun, rounds };
}

describe('one signed request, sent to three nodes at once', () => {
  const phases = [['answers', undefined] as const, ...Object.entries(disturbances)];
  for (const [index, [what, disturb]] of phases.entries()) {
    test(`is performed once and never fails, while Redis ${what}`, async (t) => {
      await untilRedisIsUsed();
      const [accounts, failures] = [await accountCount(), await failedUses()];
      const { posts, gets, sent, rounds } = await sendBeside(Math.ceil(POSTS / phases.length), SEED + index, disturb);
      const failed = (await failedUses()) - failures;
      t.diagnostic(JSON.stringify({ posts, gets, rounds, failed }));
      assert.deepEqual(posts, { '200 401 401': sent });
      assert.equal(await accountCount(), accounts + sent, 'each has made one account');
      // Reads are answered once as long as all nodes reach one Redis that keeps its keys, and at least once whatever becomes of it.
      const allowed = ['200 401 401', ...(failed > 0 || disturb ? ['200 200 401', '200 200 200'] : [])];
      assert.deepEqual(
        Object.keys(gets).filter((outcome) => !allowed.includes(outcome)),
        [],
      );
    });
  }
});
