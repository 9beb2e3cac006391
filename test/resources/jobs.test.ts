import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { within } from '../../src/base/timers.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { JobKind } from '../../src/contract/store/jobs.ts';
import { type JobRunner, jobRunner } from '../../src/features/platform/job-runner.ts';
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
  return jobRunner({
    onEnded() {},
    store,
    services,
    clock: world.clock,
    random: secureRandom,
    kinds: [{ store: counts, ...kind }],
    onFailed: (job, error) => failures.push(`${job.key} ${job.attempts} ${(error as Error).message}`),
  });
}

const plan = (kind: string, key: string, run_at: string) =>
  world.service.store.write((tx) => tx.jobs.plan({ kind, key, run_at }));
const done = (key: string) => world.service.store.read((tx) => tx.findNumber(`done ${key}`));
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
    const take = (lease: string, seconds: number) =>
      world.service.store.write((tx) =>
        tx.jobs.take({ kinds: ['leased'], now: at(seconds), until: at(seconds + 120), lease, max: 10 }),
      );
    const [first] = await take('one', 0);
    assert.deepEqual(await take('two', 119), []);
    const [second] = await take('two', 120);
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
    const due = { kinds: ['killed'], now: at(0), until: at(120), lease: 'of the dead', max: 10 };
    const [taken] = await store.write((tx) => tx.jobs.take(due));
    assert.equal(taken?.attempts, 1);
    const others = [1, 2, 3, 4].map(() => runner({ name: 'killed' }));
    const all = () => Promise.all(others.map((other) => other.runDue()));
    world.clock.advance(119);
    await all();
    assert.equal(await done('d'), undefined);
    world.clock.advance(1);
    await all();
    assert.equal(await done('d'), 1);
    // The dead one rises: what it did is not stored.
    assert.equal(await store.write((tx) => tx.jobs.finish(taken!)), false);
    await Promise.all(others.map((other) => other.stop()));
  });

  test('of a killed worker is free when the server restarts', async () => {
    const { store } = world.service;
    await plan('orphan', 'g', at(0));
    const due = { kinds: ['orphan'], now: at(0), until: at(120), lease: 'of the dead', max: 10 };
    await store.write((tx) => tx.jobs.take(due));
    await store.write((tx) => tx.jobs.releaseAll());
    const jobs = runner({ name: 'orphan' });
    await jobs.runDue();
    assert.equal(await done('g'), 1);
    await jobs.stop();
  });

  test('that takes long does not delay short jobs', async () => {
    const { store, services } = world.service;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const jobs = jobRunner({
      onEnded() {},
      store,
      services,
      clock: world.clock,
      random: secureRandom,
      kinds: [
        { name: 'long', isLong: true, prepare: () => ended, store: counts },
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

  test('that was taken over while it ran is stored only by the other worker', async () => {
    const { store } = world.service;
    await plan('slow', 'e', at(0));
    const slow = runner({
      name: 'slow',
      async prepare() {
        // As long as a worker hangs, another takes the job and ends it.
        const due = { kinds: ['slow'], now: at(120), until: at(240), lease: 'of the other', max: 1 };
        const [job] = await store.write((tx) => tx.jobs.take(due));
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
    const jobs = jobRunner({
      ...{ store: away, services, clock: world.clock, random: secureRandom },
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
    await within(10_000, ended.promise);
    assert.deepEqual([await done('z'), tries, failures], [1, 2, []]);
    await jobs.stop();
  });

  test('that takes longer than its lease is not taken over', async () => {
    const { store, services } = world.service;
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const kind: JobKind<unknown> = {
      name: 'longer',
      store: counts,
      async prepare() {
        begun.resolve();
        await end.promise;
      },
    };
    const parts = {
      store,
      services,
      clock: world.clock,
      random: secureRandom,
      onEnded() {},
      onFailed: () => assert.fail(),
    };
    const jobs = jobRunner({ ...parts, kinds: [kind], lease_s: 1 });
    jobs.start();
    await plan('longer', 'y', at(0));
    const running = jobs.runDue();
    await within(10_000, begun.promise);
    world.clock.advance(30);
    const isRenewed = async () => ((await store.read((tx) => tx.jobs.findNext(['longer']))) ?? '') > at(0);
    for (let looks = 0; looks < 100 && !(await isRenewed()); looks++) await wait(50);
    const others = runner({ name: 'longer' });
    await others.runDue();
    assert.equal(await done('y'), undefined);
    end.resolve();
    await running;
    assert.equal(await done('y'), 1);
    await Promise.all([jobs.stop(), others.stop()]);
  });
});
