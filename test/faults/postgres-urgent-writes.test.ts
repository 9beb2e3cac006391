import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { elapsed_ms } from '../../src/base/timers.ts';
import type { Job } from '../../src/contract/store/jobs.ts';
import { JobLeases } from '../../src/features/platform/job-leases.ts';
import { RunningNode } from '../../src/features/platform/node.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import type { ReleaseLock } from '../../src/storage/core/server-lock.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store, WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { inTime, until } from '../rig/patience.ts';

const CONNECTIONS = 2;

let place: Place;
let driver: Driver;
let store: Store;
let release: ReleaseLock;
let observer: pg.Client;
let node: RunningNode;
let silences: number;
const occupied: (() => Promise<void>)[] = [];

before(async () => {
  place = await openPlace('postgres', { hasSchema: true });
  driver = openPostgres({ url: place.databaseUrl, connectionsMax: CONNECTIONS });
  store = storeOn(driver);
  release = await driver.acquireServerLock({ isShared: false });
  observer = new pg.Client({ connectionString: place.databaseUrl });
  await observer.connect();
});
after(async () => {
  await release();
  await store.close();
  await observer.end();
  await place.remove();
});
beforeEach(async () => {
  silences = 0;
  node = new RunningNode({
    ...{
      id: 'busy',
      hostname: 'here',
      version: '1.0.0',
      process: '',
      master_keys: '',
      roles: 'api,stream,worker,search',
      schema_level: '',
      store,
    },
    ...{ clock: systemClock, machineClock: systemClock },
    ...{ hasPeers: true, skewMax_ms: 150_000, dead_after_s: 5 },
    observer: {
      cleanedUp() {},
      fellSilent() {
        silences += 1;
      },
      wasRemoved: () => assert.fail('removed'),
      clockSkewed() {},
      redisDiffers() {},
      failed() {},
    },
  });
  await node.start();
});
afterEach(async () => {
  await Promise.all(occupied.splice(0).map((free) => free()));
  await node.stop();
});

/** What a column of a row shows, whoever is busy. */
async function shown(query: string): Promise<string> {
  return (await observer.query({ text: query, rowMode: 'array' })).rows[0]![0];
}
const heartbeat = () => shown(`select heartbeat_at from nodes where id = 'busy'`);
const leaseEnd = (key: string) => shown(`select leased_until from jobs where "key" = '${key}'`);

/** Resolves when what a query shows has changed this often. */
async function changes(look: () => Promise<string>, times: number): Promise<void> {
  let last = await look();
  await until(
    () => `it changed ${times} more times after ${last}`,
    async () => {
      const now = await look();
      if (now !== last) times -= 1;
      last = now;
      return times === 0;
    },
  );
}

/** Keeps connections of requests busy, each with a unit of work, until it is called. */
async function occupy(count: number, work: (tx: WriteTransaction) => Promise<unknown>): Promise<() => Promise<void>> {
  const end = Promise.withResolvers<void>();
  const begun = Array.from({ length: count }, () => Promise.withResolvers<void>());
  const units = begun.map(({ resolve }) =>
    store.write(async (tx) => {
      await work(tx);
      resolve();
      await end.promise;
    }),
  );
  await inTime(Promise.all(begun.map(({ promise }) => promise)));
  const free = async (): Promise<void> => {
    end.resolve();
    await Promise.all(units);
  };
  occupied.push(free);
  return free;
}

async function takeJob(key: string): Promise<Job> {
  const now = formatInstant(systemClock.now());
  return store.write(async (tx) => {
    await tx.jobs.plan({ kind: key, key, run_at: now });
    const [job] = await tx.jobs.take({ kinds: [key], now, node: 'busy', lease: `of ${key}`, lease_s: 60, max: 1 });
    return job!;
  });
}

describe('while all connections of requests are busy', () => {
  test('heartbeats are stored and leases renewed', async () => {
    const job = await takeJob('kept');
    await occupy(CONNECTIONS, (tx) => tx.nodes.findTime());
    assert.deepEqual(driver.load(), { waiting: 0, busy: CONNECTIONS });
    const { signal, end } = new JobLeases(store, 3).hold(job, elapsed_ms());
    await Promise.all([changes(heartbeat, 6), changes(() => leaseEnd('kept'), 4)]);
    await node.ensureAlive();
    assert.deepEqual([signal.aborted, silences], [false, 0]);
    end();
  });

  test('their connection is replaced when it breaks', async () => {
    await occupy(CONNECTIONS, (tx) => tx.nodes.findTime());
    for (let round = 0; round < 3; round++) {
      // Idle between two heartbeats: only they have committed since.
      await changes(
        () =>
          shown(`with ended as (select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and query = 'commit' and state = 'idle') select count(*) from ended`),
        1,
      );
      await changes(heartbeat, 2);
    }
    assert.equal(silences, 0);
  });
});

describe('a job that a unit of work is changing', () => {
  test('holds up neither heartbeats nor the leases of other jobs, and keeps its lease', async () => {
    const [ending, other] = [await takeJob('ending'), await takeJob('other')];
    await occupy(1, (tx) => tx.jobs.finish(ending));
    const leases = new JobLeases(store, 3);
    const held = [ending, other].map((job) => leases.hold(job, elapsed_ms()));
    const [before] = [await leaseEnd('ending')];
    await Promise.all([changes(heartbeat, 4), changes(() => leaseEnd('other'), 2)]);
    assert.equal(await leaseEnd('ending'), before);
    assert.equal(held[1]!.signal.aborted, false);
    for (const { end } of held) end();
  });

  test('is lost once the change is committed that takes it away', async () => {
    const job = await takeJob('anew');
    const free = await occupy(1, (tx) => tx.jobs.plan({ kind: 'anew', key: 'anew', run_at: job.run_at }));
    const renewal = () => store.writeUrgent((tx) => tx.jobs.renew([job], 60));
    assert.deepEqual(await renewal(), { renewed: [], changing: [job] });
    await free();
    assert.deepEqual(await renewal(), { renewed: [], changing: [] });
  });
});
