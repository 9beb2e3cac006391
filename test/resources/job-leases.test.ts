import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { JobKind } from '../../src/contract/store/jobs.ts';
import { LeaseLost } from '../../src/features/platform/job-leases.ts';
import { type JobOutcome, JobRunner } from '../../src/features/platform/job-runner.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { engine } from '../rig/databases.ts';
import { anotherNode } from '../rig/nodes.ts';
import { inTime, until } from '../rig/patience.ts';
import { openWorldOver, type World } from '../rig/world.ts';

/** The lease of a job that must not end: a busy machine stands still for seconds. */
const RENEWED_S = 6;

let driver: Driver;
let world: World;
let statements: string[] = [];
before(async () => {
  const keep = (opened: Driver): Driver => {
    driver = opened;
    return driver;
  };
  world = await openWorldOver(keep, { probe: (sql) => void statements.push(sql) });
  // Only the runners of the tests look for jobs.
  await world.service.jobs.stop();
});
after(() => world.close());

interface Reports {
  readonly outcomes: JobOutcome[];
  readonly failures: string[];
}

/** Job runners of a node of their own: each result adds one to a number of the job. */
function runnersOf(
  node: string,
  kind: Partial<JobKind<unknown>> & { name: string },
  { store = world.service.store, lease_s = 60 }: { readonly store?: Store; readonly lease_s?: number } = {},
): JobRunner & Reports {
  const reports: Reports = { outcomes: [], failures: [] };
  const jobs = new JobRunner({
    ...{ store, lease_s, clock: world.clock, random: secureRandom, services: world.service.services },
    node: anotherNode(node),
    kinds: [{ store: async (tx, { key }) => void (await tx.takeNumbers(`done ${key}`, 0, 1)), ...kind }],
    onEnded: (_, outcome) => void reports.outcomes.push(outcome),
    onFailed: (_, error) => void reports.failures.push((error as Error).message),
  });
  return Object.assign(jobs, reports);
}

const now = () => formatInstant(world.clock.now());
const plan = (kind: string, key: string) =>
  world.service.store.write((tx) => tx.jobs.plan({ kind, key, run_at: now() }));
const done = (key: string) => world.service.store.read((tx) => tx.findNumber(`done ${key}`));
const databaseTime = () => world.service.store.read((tx) => tx.nodes.findTime());

/** The lease of a job, as it is stored. */
async function leaseOf(key: string): Promise<{ node: string; leased_until: string }> {
  const [row] = await driver.read((session) =>
    session.allRaw<{ node: string; leased_until: string }>(
      `select node, leased_until from jobs where "key" = '${key}'`,
    ),
  );
  return row!;
}

/** Waits until the database's clock has passed a time. */
async function untilAfter(time: string): Promise<void> {
  await until(`the clock of the database has passed ${time}`, async () => (await databaseTime()) > time);
}

/** Work that waits until it is told to end, or that its lease was lost. */
function lastingWork() {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<unknown>();
  const prepare: JobKind<unknown>['prepare'] = async (_, __, signal) => {
    signal.addEventListener('abort', () => lost.resolve(signal.reason));
    begun.resolve();
    await end.promise;
  };
  return { prepare, begun: begun.promise, end: end.resolve, lost: lost.promise };
}

// PostgreSQL decides by the statistics of its tables.
if (engine === 'sqlite') {
  test('due jobs are looked for by their time: those that wait are not read, however many', async () => {
    statements = [];
    const jobs = runnersOf('first', { name: 'looked for' });
    await plan('looked for', 'z');
    await jobs.runDue();
    await jobs.stop();
    const looks = new Set(statements.filter((sql) => /^select .* from "jobs" where "run_at" <= /.test(sql)));
    assert.equal(looks.size, 2);
    for (const sql of looks) {
      const values = Array.from(sql.matchAll(/\?/g), () => 1);
      const steps = await driver.read((session) =>
        session.allRaw<{ detail: string }>(`explain query plan ${sql}`, values),
      );
      assert.equal(steps[0]?.detail, 'SEARCH jobs USING INDEX jobs_due (run_at<?)', sql);
    }
  });
}

describe('the lease of a job', () => {
  test('names its node, and lasts by the clock of the database', async () => {
    const work = lastingWork();
    const jobs = runnersOf('first', { name: 'named', prepare: work.prepare });
    const before = await databaseTime();
    await plan('named', 'a');
    const running = jobs.runDue();
    await inTime(work.begun);
    const { node, leased_until } = await leaseOf('a');
    const after = await databaseTime();
    assert.equal(node, 'first');
    const ofLease = (time: string) => new Date(Date.parse(time) + 60_000).toISOString();
    assert.ok(leased_until >= ofLease(before) && leased_until <= ofLease(after), `${before} ${leased_until} ${after}`);
    work.end();
    await running;
    assert.deepEqual([await done('a'), jobs.outcomes], [1, ['done']]);
    await jobs.stop();
  });

  test('is renewed beyond its first term while the job runs, so that no other node takes it', async () => {
    const work = lastingWork();
    const jobs = runnersOf('first', { name: 'longer', prepare: work.prepare }, { lease_s: RENEWED_S });
    await plan('longer', 'b');
    const running = jobs.runDue();
    await inTime(work.begun);
    await untilAfter((await leaseOf('b')).leased_until);
    const other = runnersOf('second', { name: 'longer' });
    await other.runDue();
    assert.equal(await done('b'), undefined);
    work.end();
    await running;
    assert.deepEqual([await done('b'), jobs.outcomes, other.outcomes], [1, ['done'], []]);
    await Promise.all([jobs.stop(), other.stop()]);
  });

  test('is renewed with those of all other jobs of the process, in one statement', async () => {
    const keys = ['c1', 'c2', 'c3'];
    const works = keys.map(() => lastingWork());
    const prepare: JobKind<unknown>['prepare'] = (job, services, signal) =>
      works[keys.indexOf(job.key)]!.prepare!(job, services, signal);
    const jobs = runnersOf('first', { name: 'several', prepare }, { lease_s: RENEWED_S });
    for (const key of keys) await plan('several', key);
    const running = jobs.runDue();
    await inTime(Promise.all(works.map(({ begun }) => begun)));
    const ends = () => Promise.all(keys.map(async (key) => (await leaseOf(key)).leased_until));
    const first = await ends();
    statements = [];
    const renewals = () => statements.filter((sql) => /^update "jobs" set "leased_until"/.test(sql)).length;
    await until('they are renewed', async () => (await leaseOf('c3')).leased_until !== first[2]);
    assert.equal(renewals(), 1);
    const renewed = await ends();
    assert.ok(renewed.every((time, index) => time > first[index]!));
    for (const { end } of works) end();
    await running;
    await jobs.stop();
  });

  test('is lost when its owner cannot write: the work is told to stop, and another node does the job, once', async () => {
    const { store } = world.service;
    let isCutOff = false;
    const write: Store['write'] = (work) =>
      isCutOff ? Promise.reject(new StoreUnavailable(new Error('connection reset'))) : store.write(work);
    const ofOwner: Store = { ...store, write, writeUrgent: write };
    const work = lastingWork();
    const jobs = runnersOf('first', { name: 'cut off', prepare: work.prepare }, { store: ofOwner, lease_s: 1 });
    await plan('cut off', 'd');
    const running = jobs.runDue();
    await inTime(work.begun);
    isCutOff = true;
    const reason = await inTime(work.lost);
    assert.ok(reason instanceof LeaseLost);
    assert.equal(reason.message, 'the lease of the job could not be renewed for 1 s');
    await untilAfter((await leaseOf('d')).leased_until);
    const other = runnersOf('second', { name: 'cut off' });
    await other.runDue();
    assert.equal(await done('d'), 1);
    isCutOff = false;
    work.end();
    await running;
    assert.deepEqual([await done('d'), jobs.outcomes, jobs.failures, other.outcomes], [1, ['lost'], [], ['done']]);
    await Promise.all([jobs.stop(), other.stop()]);
  });

  test('that lapsed while nobody took the job is still good: the work is not done twice', async () => {
    const { store } = world.service;
    let isCutOff = false;
    const write: Store['write'] = (work) =>
      isCutOff ? Promise.reject(new StoreUnavailable(new Error('connection reset'))) : store.write(work);
    const ofOwner: Store = { ...store, write, writeUrgent: write };
    const work = lastingWork();
    const jobs = runnersOf('first', { name: 'lapsed', prepare: work.prepare }, { store: ofOwner, lease_s: 1 });
    await plan('lapsed', 'e');
    const running = jobs.runDue();
    await inTime(work.begun);
    isCutOff = true;
    await inTime(work.lost);
    isCutOff = false;
    work.end();
    await running;
    assert.deepEqual([await done('e'), jobs.outcomes, jobs.failures], [1, ['done'], []]);
    await jobs.stop();
  });

  test('is lost when the job is planned anew: the work is told to stop, and is done again then', async () => {
    const work = lastingWork();
    const stops: JobKind<unknown>['prepare'] = async (job, services, signal) => {
      await work.prepare!(job, services, signal);
      signal.throwIfAborted();
    };
    const jobs = runnersOf('first', { name: 'anew', prepare: stops }, { lease_s: 2 * RENEWED_S });
    await plan('anew', 'f');
    const running = jobs.runDue();
    await inTime(work.begun);
    await plan('anew', 'f');
    const reason = await inTime(work.lost);
    assert.equal((reason as Error).message, 'the job was taken over or planned anew');
    work.end();
    await running;
    assert.deepEqual([await done('f'), jobs.outcomes, jobs.failures], [1, ['lost', 'done'], []]);
    await jobs.stop();
  });
});
