import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { EventFeed, LoggedEvent } from '../../src/contract/store/events.ts';
import { openEventFeed } from '../../src/features/activity/event-feed.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';

const eventAt = (position: number): LoggedEvent => ({
  ...{ position, event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: '{}' },
  created_at: '2026-03-02T17:04:55Z',
});
const events = (from: number, to: number): LoggedEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => eventAt(from + index));

let log: LoggedEvent[];
let reads: number;
/** Fails the next reads of the log. */
let failures: number;
let errors: string[];
let feed: EventFeed;
let told: number[][];
beforeEach(async (t) => {
  log = events(1, 3);
  [reads, failures, errors, told] = [0, 0, [], []];
  const tx = {
    events: {
      findLast: async () => log.at(-1)?.position ?? 0,
      list: async ({ after, limit }: { after: number; limit: number }) => {
        reads += 1;
        if (failures-- > 0) throw new Error('no database');
        return log.filter(({ position }) => position > after).slice(0, limit);
      },
    },
    subscriptions: { listAll: async () => [] },
  };
  const store = { read: (work: (given: unknown) => unknown) => work(tx), onInvalidate() {} } as unknown as Store;
  feed = openEventFeed({ store, withSubscriptionId: false, onError: (error) => errors.push(String(error)) });
  await feed.start();
  feed.follow(({ events: some }) => void told.push(some.map(({ position }) => position)));
  await feed.waitUntilCaughtUp();
  reads = 0;
  (t as { after(work: () => Promise<void>): void }).after(() => feed.stop());
});

/** What is offered is in the log too. */
const add = (to: number): void => {
  log = events(1, to);
};

/** Resolves when followers were told of a position. */
async function upTo(position: number): Promise<void> {
  while (told.at(-1)?.at(-1) !== position) await new Promise((resolve) => setImmediate(resolve));
}

describe('events that are handed over', () => {
  test('are not read from the log when they follow on the last ones', async () => {
    add(6);
    feed.offer(events(4, 5));
    feed.offer(events(6, 6));
    await upTo(6);
    assert.deepEqual([told, reads], [[[4, 5], [6]], 0]);
  });

  test('are read from the log when some are missing before them', async () => {
    add(7);
    feed.offer(events(6, 6));
    feed.offer(events(7, 7));
    await feed.waitUntilCaughtUp();
    assert.deepEqual(told.flat(), [4, 5, 6, 7]);
    assert.ok(reads > 0);
  });

  test('are passed on once, whoever hands them over again', async () => {
    add(6);
    feed.offer(events(4, 5));
    await upTo(5);
    feed.offer(events(4, 5));
    feed.offer(events(5, 6));
    feed.offer(events(1, 6));
    await upTo(6);
    assert.equal(reads, 0);
    await feed.waitUntilCaughtUp();
    assert.deepEqual(told, [[4, 5], [6]]);
  });

  test('are read from the log when too many wait', async () => {
    add(100);
    for (const event of events(4, 100)) feed.offer([event]);
    await feed.waitUntilCaughtUp();
    assert.deepEqual(
      told.flat(),
      events(4, 100).map(({ position }) => position),
    );
    assert.ok(told.length < 90, 'some were read together');
  });

  test('are not lost when the log cannot be read in between', async () => {
    add(8);
    failures = 2;
    feed.offer(events(6, 6));
    feed.offer(events(7, 8));
    await feed.waitUntilCaughtUp();
    assert.deepEqual(told.flat(), [4, 5, 6, 7, 8]);
    assert.deepEqual(errors, ['Error: no database']);
  });
});
