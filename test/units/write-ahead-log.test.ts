import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { withTimeout } from '../../src/base/timers.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import { rewriteWal } from '../../src/storage/core/wal-repair.ts';
import { type Connection, WriterQueue } from '../../src/storage/core/writer-queue.ts';

const MB = 1_000_000;

describe('the write-ahead log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-log-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('is checkpointed and restarted under constant writes, and nothing is missing', async () => {
    const file = join(folder, 'barker.db');
    const driver = openSqlite({ file });
    await driver.write((session) => session.runRaw('create table things (bytes blob) strict'));
    let longest = 0;
    const writer = async (): Promise<void> => {
      for (let made = 0; made < 40; made++) {
        await driver.write((session) => session.runRaw(`insert into things values (zeroblob(${MB}))`));
        longest = Math.max(longest, statSync(`${file}-wal`).size);
      }
    };
    // Four times as much as the log may grow to.
    await Promise.all(Array.from({ length: 7 }, writer));
    assert.ok(longest < 100 * MB, `${longest} bytes`);
    await driver.close();
    const again = openSqlite({ file });
    const [row] = await again.read((session) =>
      session.allRaw('select count(*) as made, sum(length(bytes)) as bytes from things'),
    );
    assert.deepEqual(row, { made: 280, bytes: 280 * MB });
    await again.close();
  });

  test('takes no change once the database file was deleted, or another has its place', async () => {
    const file = join(folder, 'gone.db');
    const driver = openSqlite({ file });
    await driver.write((session) => session.runRaw('create table things (number integer) strict'));
    const refuses = async (): Promise<void> => {
      const told = (error: unknown) => error instanceof StoreUnavailable && /gone\.db was deleted/.test(error.message);
      await assert.rejects(driver.ping(), told);
      await assert.rejects(
        driver.write((session) => session.runRaw('insert into things values (1)')),
        told,
      );
    };
    await driver.ping();
    renameSync(file, `${file}.away`);
    await refuses();
    writeFileSync(file, '');
    await refuses();
    renameSync(`${file}.away`, file);
    await driver.write((session) => session.runRaw('insert into things values (1)'));
    await driver.close();
  });

  test('is synced before a change is visible or acknowledged', async (context) => {
    const driver = openSqlite({ file: join(folder, 'slow.db') });
    await driver.write((session) => session.runRaw('create table things (number integer) strict'));
    const count = () =>
      driver.read(async (session) => (await session.allRaw('select count(*) as number from things'))[0]?.number);
    const handle = await open(join(folder, 'slow.db'));
    const synced = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    context.mock.method(Object.getPrototypeOf(handle), 'datasync', () => {
      reached.resolve();
      return synced.promise;
    });
    await handle.close();
    let isTold = false;
    const written = driver
      .write((session) => session.runRaw('insert into things values (1)'))
      .then(() => {
        isTold = true;
      });
    await withTimeout(10_000, reached.promise);
    for (let turn = 0; turn < 5; turn++) {
      assert.equal(await count(), 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(isTold, false);
    synced.resolve();
    await written;
    assert.equal(await count(), 1);
    await driver.close();
  });
});

/** A connection on which everything succeeds, and that says what it was told. */
function yielding(): Connection & { readonly words: string[] } {
  const words: string[] = [];
  return {
    words,
    session: {} as Connection['session'],
    exec: (word) => void words.push(word),
    query: () => [],
    isInTransaction: () => false,
    close: () => {},
  };
}

describe('a sync that fails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-sync-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The prototype of the file handles of this machine, whose `datasync` fails while `isFailing`. */
  async function failingDisk(context: TestContext) {
    const handle = await open(folder);
    const disk = { isFailing: false, syncs: 0 };
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    const { datasync } = prototype;
    context.mock.method(prototype, 'datasync', function (this: object) {
      disk.syncs += 1;
      if (disk.isFailing) return Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
      return datasync.call(this);
    });
    return disk;
  }
  const numbers = (driver: Driver) =>
    driver.read(async (session) =>
      (await session.allRaw('select number from things order by number')).map(({ number }) => number),
    );
  const add = (driver: Driver, number: number) =>
    driver.write((session) => session.runRaw(`insert into things values (${number})`));

  test('makes the store unavailable, shows no change, and is repaired once the disk works again', async (context) => {
    const disk = await failingDisk(context);
    const file = join(folder, 'full.db');
    const driver = openSqlite({ file });
    let repairs = 0;
    driver.onRepaired!(() => {
      repairs += 1;
    });
    await driver.write((session) => session.runRaw('create table things (number integer) strict'));
    await add(driver, 1);
    disk.isFailing = true;
    await assert.rejects(add(driver, 2), (error) => error instanceof StoreUnavailable && error.isOutcomeUnknown);
    await assert.rejects(add(driver, 3), (error) => error instanceof StoreUnavailable && !error.isOutcomeUnknown);
    await assert.rejects(driver.ping(), StoreUnavailable);
    assert.deepEqual(await numbers(driver), [1]);
    disk.isFailing = false;
    // A repair is tried at most twice a second.
    const deadline = performance.now() + 10_000;
    while (repairs === 0 && performance.now() < deadline) {
      await driver.ping().catch(() => new Promise((resolve) => setImmediate(resolve)));
    }
    await add(driver, 4);
    assert.deepEqual(await numbers(driver), [1, 2, 4]);
    await driver.close();
    const again = openSqlite({ file });
    assert.deepEqual(await numbers(again), [1, 2, 4]);
    await again.close();
  });

  test('that fails once is repaired without notice', async (context) => {
    const disk = await failingDisk(context);
    const driver = openSqlite({ file: join(folder, 'once.db') });
    await driver.write((session) => session.runRaw('create table things (number integer) strict'));
    disk.isFailing = true;
    const written = add(driver, 1);
    const before = disk.syncs;
    while (disk.syncs === before) await new Promise((resolve) => setImmediate(resolve));
    disk.isFailing = false;
    await written;
    assert.deepEqual(await numbers(driver), [1]);
    await driver.close();
  });

  test('is not repaired when the written bytes cannot be read back', async () => {
    const file = join(folder, 'lost.db');
    const driver = openSqlite({ file });
    await driver.write((session) => session.runRaw('create table things (number integer) strict'));
    for (const number of [1, 2]) await add(driver, number);
    const log = await open(`${file}-wal`, 'r+');
    const { size } = await log.stat();
    const frames = Math.floor(size / 4120);
    await rewriteWal(log, frames);
    await assert.rejects(rewriteWal(log, frames + 1), /is truncated/);
    const whole = Buffer.alloc(size);
    await log.read(whole, 0, size, 0);
    for (const [at, message] of [
      [16, /has no header|wrong checksum/],
      [size - 4120 + 8, /another log/],
      [size - 1, /wrong checksum/],
    ] as const) {
      await log.write(Buffer.from([whole[at]! ^ 1]), 0, 1, at);
      await assert.rejects(rewriteWal(log, frames), message);
      await log.write(whole, 0, size, 0);
    }
    await rewriteWal(log, frames);
    await log.close();
    assert.deepEqual(await numbers(driver), [1, 2]);
    await driver.close();
  });
});

describe('a writer with its own sync thread', () => {
  test('writes nothing after the disk has failed', async () => {
    const connection = yielding();
    let isWhole = false;
    const queue = new WriterQueue(connection, {
      groupCommit: true,
      beforeGroup: async () => {},
      afterGroup: () => {},
      async sync() {
        if (!isWhole) throw new Error('EIO');
      },
    });
    const isUnavailable = (error: unknown): boolean =>
      error instanceof StoreUnavailable && error.message === 'could not sync to disk: EIO';
    await assert.rejects(
      queue.write(async () => 1),
      isUnavailable,
    );
    await assert.rejects(queue.check(), isUnavailable);
    isWhole = true;
    const before = connection.words.length;
    await assert.rejects(
      queue.write(async () => 2),
      isUnavailable,
    );
    assert.equal(connection.words.length, before);
  });

  test('lets a long log be checkpointed before the next group', async () => {
    const told: string[] = [];
    let tends = 0;
    const queue = new WriterQueue(yielding(), {
      groupCommit: true,
      beforeGroup: async () => {},
      afterGroup: () => void told.push('ended'),
      async checkpoint() {
        tends += 1;
        if (tends !== 2) return;
        told.push('waits');
        await new Promise((resolve) => setImmediate(resolve));
        told.push('goes on');
      },
    });
    await queue.write(async () => 1);
    await queue.write(async () => 2);
    assert.deepEqual(told, ['ended', 'waits', 'goes on', 'ended']);
  });
});
