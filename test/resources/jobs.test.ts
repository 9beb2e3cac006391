import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { withTimeout } from '../../src/base/timers.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Job, JobKind } from '../../src/contract/store/jobs.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { anotherNode } from '../rig/nodes.ts';
import { until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const at = (seconds: number): string => formatInstant(world.clock.now() + seconds * 1000);

/** What a job of the tests stores: a number that grows by one each time. */
const counts: JobKind<unknown>['store'] = async (tx, job) => void (await tx.takeNumbers(`done ${job.key}`, 0, 1));

function runner(kind: Partial<JobKind<unknown>> & { name: string }, failures: string[] = []): JobRunner {
  const { store, services } = world.service;
  return new JobRunner({
    onEnded() {},
    store,
    services,
    node: anotherNode(),
    clock: world.clock,
    random: secureRandom,
    kinds: [{ store: counts, ...kind }],
    onFailed: (job, error) => failures.push(`${job.key} ${job.attempts} ${(error as Error).message}`),
  });
}

const plan = (kind: string, key: string, run_at: string) =>
  world.service.store.write((tx) => tx.jobs.plan({ kind, key, run_at }));
const done = (key: string) => world.service.store.read((tx) => tx.findNumber(`done ${key}`));
/** Takes a job under a lease of this length, as another node does. */
const take = async (kind: string, lease: string, lease_s: number): Promise<Job | undefined> => {
  const due = { kinds: [kind], now: at(0), node: `node of ${lease}`, lease, lease_s, max: 10 };
  return (await world.service.store.write((tx) => tx.jobs.take(due)))[0];
};
/** Lets the lease of a job end now. */
const lapse = (job: Job) => world.service.store.write((tx) => tx.jobs.renew([job], 0));
const planned = (kind: string, key: string) => world.service.store.read((tx) => tx.jobs.find(kind, key));

describe('a background job', () => {
  test('is done once, when it is due', async () => {
    const jobs = runner({ name: 'count' });
    await plan('count', 'a', at(60));
    await jobs.runDue();
    assert.equal(await done('a'), undefined);
    world.clock.advance(60);
    await Promise.all([jobs.runDue(), jobs.runDue()]);
    assert.equal(await done('a'), 1);
    world.clock.advance(3600);
    await jobs.runDue();
    assert.equal(await done('a'), 1);
    await jobs.stop();
  });

  test('is leased to one worker at a time, until the lease ends', async () => {
    await plan('leased', 'worker', at(0));
    const first = await take('leased', 'one', 60);
    assert.deepEqual(await take('leased', 'two', 60), undefined);
    // The clock of the service has no say in it.
    world.clock.advance(3600);
    assert.deepEqual(await take('leased', 'two', 60), undefined);
    await lapse(first!);
    const second = await take('leased', 'two', 60);
    assert.deepEqual([first?.attempts, second?.attempts], [1, 2]);
    const finish = (job: typeof first) => world.service.store.write((tx) => tx.jobs.finish(job!));
    assert.deepEqual([await finish(first), await finish(second)], [false, true]);
  });

  test('that is rescheduled is moved, and a cancelled one is not done', async () => {
    const jobs = runner({ name: 'moved' });
    await plan('moved', 'b', at(60));
    await plan('moved', 'b', at(600));
    await plan('moved', 'c', at(60));
    await world.service.store.write((tx) => tx.jobs.cancel('moved', 'c'));
    world.clock.advance(60);
    await jobs.runDue();
    assert.equal(await done('b'), undefined);
    assert.equal(await planned('moved', 'b'), at(540));
    world.clock.advance(540);
    await jobs.runDue();
    assert.equal(await done('b'), 1);
    assert.equal(await done('c'), undefined);
    await jobs.stop();
  });

  test('of a killed worker is taken over by one worker when its lease ends', async () => {
    const { store } = world.service;
    await plan('killed', 'd', at(0));
    const taken = await take('killed', 'of the dead', 60);
    assert.equal(taken?.attempts, 1);
    const others = [1, 2, 3, 4].map(() => runner({ name: 'killed' }));
    const all = () => Promise.all(others.map((other) => other.runDue()));
    await all();
    assert.equal(await done('d'), undefined);
    await lapse(taken!);
    await all();
    assert.equal(await done('d'), 1);
    // The dead one rises: what it did is not stored.
    assert.equal(await store.write((tx) => tx.jobs.finish(taken!)), false);
    await Promise.all(others.map((other) => other.stop()));
  });

  test('that takes long does not delay short jobs', async () => {
    const { store, services } = world.service;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const jobs = new JobRunner({
      onEnded() {},
      store,
      services,
      node: anotherNode(),
      clock: world.clock,
      random: secureRandom,
      kinds: [
        { name: 'long', lane: 'long', prepare: () => ended, store: counts },
        { name: 'short', store: counts },
      ],
      onFailed: () => {},
    });
    await plan('long', 'h', at(0));
    const all = jobs.runDue();
    await plan('short', 'i', at(0));
    await jobs.runNow('short', 'i');
    assert.deepEqual([await done('h'), await done('i')], [undefined, 1]);
    end();
    await all;
    assert.equal(await done('h'), 1);
    await jobs.stop();
  });

  test('that is heavy runs one at a time, and is left to others when its worker stops', async () => {
    const begun: string[] = [];
    const blocked = runner({
      name: 'heavy',
      lane: 'heavy',
      prepare: ({ key }, _, signal) =>
        new Promise((_, reject) => {
          begun.push(key);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    await plan('heavy', 'j', at(0));
    await plan('heavy', 'k', at(0));
    const all = blocked.runDue();
    await until('one has begun', () => begun.length > 0);
    await blocked.stop();
    await all;
    assert.equal(begun.length, 1);
    const free = runner({ name: 'heavy', lane: 'heavy' });
    await free.runDue();
    assert.deepEqual([await done('j'), await done('k')], [1, 1]);
    await free.stop();
  });

  test('that was taken over while it ran is stored only by the other worker', async () => {
    const { store } = world.service;
    await plan('slow', 'e', at(0));
    const slow = runner({
      name: 'slow',
      async prepare(mine) {
        // As long as a worker hangs, another takes the job and ends it.
        await lapse(mine);
        const job = await take('slow', 'of the other', 60);
        await store.write(async (tx) => {
          if (await tx.jobs.finish(job!)) await counts(tx, job!, undefined, at(0));
        });
      },
    });
    await slow.runDue();
    assert.equal(await done('e'), 1);
    await slow.stop();
  });

  test('that fails is retried at growing intervals, and changes nothing', async () => {
    const failures: string[] = [];
    let isBroken = true;
    const jobs = runner(
      {
        name: 'broken',
        async store(tx, job, outcome, now) {
          await counts(tx, job, outcome, now);
          if (isBroken) throw new Error('out of luck');
        },
      },
      failures,
    );
    await plan('broken', 'f', at(0));
    await jobs.runDue();
    assert.equal(await planned('broken', 'f'), at(5));
    world.clock.advance(5);
    await jobs.runDue();
    assert.equal(await planned('broken', 'f'), at(10));
    assert.deepEqual(failures, ['f 1 out of luck', 'f 2 out of luck']);
    isBroken = false;
    world.clock.advance(10);
    await jobs.runDue();
    assert.equal(await done('f'), 1);
    assert.equal(await planned('broken', 'f'), undefined);
    await jobs.stop();
  });

  test('that runs during an outage of the store is done as soon as it is back', async () => {
    const { store, services } = world.service;
    let isAway = false;
    const away: typeof store = {
      ...store,
      write: (work) =>
        isAway ? Promise.reject(new StoreUnavailable(new Error('connection refused'))) : store.write(work),
    };
    let tries = 0;
    const outside = async (): Promise<void> => {
      tries += 1;
      isAway = tries === 1;
    };
    const failures: string[] = [];
    const ended = Promise.withResolvers<void>();
    const jobs = new JobRunner({
      ...{ store: away, services, node: anotherNode(), clock: world.clock, random: secureRandom },
      onEnded: (_, outcome) => void (outcome === 'done' && ended.resolve()),
      kinds: [{ name: 'away', store: counts, prepare: outside }],
      onFailed: (_, error) => failures.push((error as Error).message),
    });
    jobs.start();
    await plan('away', 'z', at(0));
    await jobs.runDue();
    assert.equal(await done('z'), undefined);
    isAway = false;
    // The clock of the service stands still: whoever waits for the lease to end waits for ever.
    await withTimeout(10_000, ended.promise);
    assert.deepEqual([await done('z'), tries, failures], [1, 2, []]);
    await jobs.stop();
  });
});
