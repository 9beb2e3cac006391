import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Subject } from '../../src/contract/store/audiences.ts';
import type { WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const write = <T>(work: (tx: WriteTransaction) => Promise<T>) => world.service.store.write(work);
const bytesOf = (size: number): Uint8Array => new Uint8Array(size).map((_, index) => index);

let keys = 0;
const append = async (tx: WriteTransaction, subject: Subject, accepted_at: number, size = 10) => {
  const key = String(++keys);
  await tx.audienceLog.storePayload(subject, key, bytesOf(size));
  return tx.audienceLog.append(subject, { accepted_at, records: size, key, bytes: size });
};
const uploadsAfter = (subject: Subject, number: number, bytes_max: number) =>
  world.service.store.read((tx) => tx.audienceLog.findAfter(subject, number, bytes_max));

describe('the log of uploads', () => {
  test('assigns dense numbers despite concurrent and failing writes', async () => {
    const subject = 'audience:dense';
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        write(async (tx) => {
          const { number } = await append(tx, subject, 100 + index);
          if (index % 4 === 3) throw new Error('it fails');
          return number;
        }),
      ),
    );
    const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    assert.deepEqual(
      taken.sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    const uploads = await uploadsAfter(subject, 0, Number.MAX_SAFE_INTEGER);
    assert.deepEqual(
      uploads.map(({ number }) => number),
      taken,
    );
    const times = uploads.map(({ accepted_at }) => accepted_at);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  });

  test('never lets time go backwards within a subject', async () => {
    const at = (subject: Subject, seconds: number) => write((tx) => append(tx, subject, seconds));
    assert.deepEqual(await at('audience:clock', 100), { number: 1, accepted_at: 100 });
    assert.deepEqual(await at('audience:clock', 60), { number: 2, accepted_at: 100 });
    assert.deepEqual(await at('list:clock', 60), { number: 1, accepted_at: 60 });
  });

  test('is read in batches of at least one upload, byte for byte as stored', async () => {
    const subject = 'audience:pieces';
    for (const size of [5000, 300, 300, 300]) await write((tx) => append(tx, subject, 1, size));
    const read = async (number: number, bytes_max: number) =>
      (await uploadsAfter(subject, number, bytes_max)).map((upload) => [upload.number, upload.payload.length]);
    assert.deepEqual(await read(0, 1), [[1, 5000]]);
    assert.deepEqual(await read(0, 5300), [
      [1, 5000],
      [2, 300],
    ]);
    assert.deepEqual(await read(1, 650), [
      [2, 300],
      [3, 300],
    ]);
    assert.deepEqual(await read(4, 1000), []);
    const [first] = await uploadsAfter(subject, 0, 1);
    assert.deepEqual(new Uint8Array(first!.payload), bytesOf(5000));
    const found = await world.service.store.read((tx) =>
      Promise.all([tx.audienceLog.find(subject), tx.audienceLog.find(subject, 2), tx.audienceLog.find(subject, 9)]),
    );
    assert.deepEqual(
      found.map((each) => each?.number),
      [4, 2, undefined],
    );
  });

  test('is removed in steps, without touching other subjects', async () => {
    const [subject, other]: Subject[] = ['audience:gone', 'audience:stays'];
    for (let index = 0; index < 5; index++) await write((tx) => append(tx, subject!, 1));
    await write((tx) => append(tx, other!, 1));
    const remove = () => write((tx) => tx.audienceLog.remove(subject!, 2));
    assert.deepEqual([await remove(), await remove(), await remove(), await remove()], [false, false, true, true]);
    assert.deepEqual(await uploadsAfter(subject!, 0, 1000), []);
    assert.equal((await uploadsAfter(other!, 0, 1000)).length, 1);
    assert.deepEqual(await write((tx) => append(tx, subject!, 1)), { number: 1, accepted_at: 1 });
  });
});

describe('scheduled work', () => {
  const at = (seconds: number): string =>
    new Date(world.clock.now() + seconds * 1000).toISOString().replace('.000', '');
  const find = (key: string) => world.service.store.read((tx) => tx.jobs.find('by', key));

  test('is only moved to an earlier one, and kept while it is being done', async () => {
    const plan = (key: string, seconds: number) =>
      write((tx) => tx.jobs.planNoLaterThan({ kind: 'by', key, run_at: at(seconds) }));
    for (const [seconds, expected] of [
      [30, 30],
      [60, 30],
      [10, 10],
    ] as const) {
      await plan('a', seconds);
      assert.equal(await find('a'), at(expected));
    }
    await plan('b', 0);
    const due = { kinds: ['by'], now: at(0), node: 'this', lease: 'mine', lease_s: 60, max: 10 };
    const [job] = await write((tx) => tx.jobs.take(due));
    await plan('b', -60);
    assert.equal(await find('b'), at(0));
    assert.equal(await write((tx) => tx.jobs.finish(job!)), true);
    assert.equal(await find('b'), undefined);
  });
});
