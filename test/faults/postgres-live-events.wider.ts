import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { LiveEvents } from '../../src/contract/services/live-events.ts';
import type { EventFeed, LoggedEvent, NewEvent } from '../../src/contract/store/events.ts';
import { openEventFeed } from '../../src/features/activity/event-feed.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { postgresIdentity } from '../../src/storage/core/postgres-status.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { openLiveEvents } from '../../src/storage/redis/live-events.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn, openPlace } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { serve } from '../rig/serving.ts';
import { happen, numbersOf, openStream, row, subscribe, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

const NOW = '2026-03-02T17:04:55Z';

/** A service, which is elected, and another server that only follows what Redis passes on: its polls find nothing. */
let redis: OwnRedis;
let world: World;
let driver: Driver;
let elsewhere: Store;
let feed: EventFeed;
let live: LiveEvents;
let told: LoggedEvent[];
let logReads = 0;
before(async () => {
  redis = await startRedis();
  const flags = { redis_url: redis.url, rate_limits: 'off', access_log: 'failures' };
  world = await openWorld({ which: 'postgres', flags });
  driver = driverOn(world.place);
  elsewhere = storeOn(driver);
  const store: Store = {
    ...elsewhere,
    read: (work) =>
      elsewhere.read((tx) =>
        work({
          ...tx,
          events: withMethods(tx.events, {
            findLast: async () => feed.position(),
            list(range) {
              logReads += 1;
              return tx.events.list(range);
            },
          }),
        }),
      ),
  };
  feed = openEventFeed({ store, withSubscriptionId: false, onError: (error) => assert.fail(`${error}`) });
  await feed.start();
  feed.follow(({ events }) => void told.push(...events));
  live = openLiveEvents(redis.url, await postgresIdentity(driver), {
    position: feed.position,
    onEvents: feed.offer,
    onAppended() {},
  });
});
after(async () => {
  await live.close();
  await feed.stop();
  await elsewhere.close();
  await world.close();
  await redis.stop();
});

const eventOf = (name: string): NewEvent => {
  return { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: name };
};
const append = (store: Store, name: string): Promise<void> =>
  store.write((tx) => tx.events.append([eventOf(name)], NOW));

let number = 0;
/** Appends until the other server is told of it: whatever was lost before, it then knows everything. */
async function appendUntilTold(): Promise<void> {
  const since = number;
  const isTold = ({ payload }: LoggedEvent): boolean => Number(/^until (\d+)$/.exec(payload)?.[1]) > since;
  await until('the other server is told', async () => {
    number += 1;
    await append(world.service.store, `until ${number}`);
    return told.some(isTold);
  });
  await until('it is told of all', () => told.at(-1)?.payload === `until ${number}`);
}
beforeEach(async () => {
  told = [];
  await appendUntilTold();
  told = [];
});

/** What the other server was told is the log, from the first that it was told of. */
async function assertWhole(): Promise<void> {
  const first = told[0]!.position;
  const log = await elsewhere.read((tx) => tx.events.list({ after: first - 1, limit: 10_000 }));
  assert.deepEqual(told, log.slice(0, told.length));
  assert.deepEqual(
    told.map(({ position }) => position),
    told.map((_, index) => first + index),
  );
}

describe('a server that is not elected', () => {
  test('gets events from Redis, in order, and does not read the log', async () => {
    const reads = logReads;
    for (let index = 0; index < 200; index++) await append(index % 2 ? elsewhere : world.service.store, `${index}`);
    await until('all have come', () => told.length === 200);
    assert.deepEqual(
      told.map(({ payload }) => payload),
      Array.from({ length: 200 }, (_, index) => `${index}`),
    );
    await assertWhole();
    assert.equal(logReads, reads);
  });

  test('reads the log when events were stored and not published', async () => {
    // As by a server that ends between the two.
    const reads = logReads;
    await world.service.store.write((tx) => tx.events.appendInPlace([eventOf('a'), eventOf('b')], NOW));
    await append(world.service.store, 'c');
    await until('all have come', () => told.length === 3);
    assert.deepEqual(
      told.map(({ payload }) => payload),
      ['a', 'b', 'c'],
    );
    assert.ok(logReads > reads);
  });

  for (const [what, happens] of [
    ['flushed', () => redis.command('flushall')],
    ['killed', () => redis.kill().then(() => redis.start())],
    [
      'away for a while',
      async () => {
        await redis.kill();
        for (let index = 0; index < 5; index++) await append(world.service.store, `away ${index}`);
        await redis.start();
      },
    ],
  ] as const) {
    test(`misses nothing when Redis is ${what}`, async () => {
      await append(world.service.store, 'before');
      await until('it has come', () => told.length === 1);
      await happens();
      await append(world.service.store, 'after');
      await appendUntilTold();
      await assertWhole();
      assert.equal(told[0]!.payload, 'before');
      assert.ok(told.some(({ payload }) => payload === 'after'));
    });
  }
});

test('a server that is no worker tells the elected one of its events', async () => {
  let notices = 0;
  const place = await openPlace('postgres', { hasSchema: true, isInMemory: true });
  const service = await serve(place, { role: 'api', redis_url: redis.url });
  const elected = openLiveEvents(redis.url, await postgresIdentity(service.driver), {
    position: () => 0,
    onEvents() {},
    onAppended() {
      notices += 1;
    },
  });
  try {
    await until('it is told', async () => {
      await append(service.store, 'without a worker');
      return notices > 0;
    });
    assert.notEqual(await service.store.read((tx) => tx.events.findOldestWaiting()), undefined, 'nobody else did it');
  } finally {
    await elected.close();
    await service.close();
    await place.remove();
  }
});

test('a stream of the elected server misses nothing and repeats nothing while Redis fails', async () => {
  const who = await subscriber(world);
  await subscribe(world, who);
  const stream = await openStream(world, who.bearer);
  for (let from = 0; from < 60; from += 10) {
    await happen(world, who.user, row(from, from + 9));
    if (from === 10) await redis.command('flushall');
    if (from === 20) await redis.kill();
    if (from === 40) await redis.start();
  }
  await stream.until(60);
  assert.deepEqual(numbersOf(stream.lines()), row(0, 59));
  stream.close();
});
