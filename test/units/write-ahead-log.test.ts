import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openSqlite } from '../../src/storage/sqlite.ts';
import { type Connection, writerQueue } from '../../src/storage/writer-queue.ts';

const plain = (sql: string) => ({ sql, bind: () => [] });
const MB = 1_000_000;

describe('the write-ahead log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-log-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('begins anew while writers never rest, and nothing of it is missing', async () => {
    const file = join(folder, 'barker.db');
    const driver = openSqlite({ file });
    await driver.write((session) => session.run(plain('create table things (bytes blob) strict'), {}));
    let longest = 0;
    const writer = async (): Promise<void> => {
      for (let made = 0; made < 40; made++) {
        await driver.write((session) => session.run(plain(`insert into things values (zeroblob(${MB}))`), {}));
        longest = Math.max(longest, statSync(`${file}-wal`).size);
      }
    };
    // Four times as much as the log may grow to.
    await Promise.all(Array.from({ length: 7 }, writer));
    assert.ok(longest < 100 * MB, `${longest} bytes`);
    await driver.close();
    const again = openSqlite({ file });
    const [row] = await again.read((session) =>
      session.all(plain('select count(*) as made, sum(length(bytes)) as bytes from things'), {}),
    );
    assert.deepEqual(row, { made: 280, bytes: 280 * MB });
    await again.close();
  });

  test('is on the disk before anybody sees what was written, or is told that it is', async (context) => {
    const driver = openSqlite({ file: join(folder, 'slow.db') });
    await driver.write((session) => session.run(plain('create table things (number integer) strict'), {}));
    const count = () =>
      driver.read(async (session) => (await session.all(plain('select count(*) as number from things'), {}))[0].number);
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
      .write((session) => session.run(plain('insert into things values (1)'), {}))
      .then(() => {
        isTold = true;
      });
    await reached.promise;
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
    run: (word) => void words.push(word),
    look: () => [],
    isInTransaction: () => false,
    close: () => {},
  };
}

describe('a writer whose commits are brought to the disk apart', () => {
  test('writes nothing any more once the disk has failed', async () => {
    const connection = yielding();
    let isWhole = false;
    const queue = writerQueue(connection, {
      groups: true,
      begins: async () => {},
      ended: () => {},
      async sync() {
        if (!isWhole) throw new Error('EIO');
      },
    });
    const failure = { message: 'the disk did not take what was written: EIO' };
    await assert.rejects(
      queue.write(async () => 1),
      failure,
    );
    assert.equal(queue.failure()?.message, failure.message);
    isWhole = true;
    const before = connection.words.length;
    await assert.rejects(
      queue.write(async () => 2),
      failure,
    );
    assert.equal(connection.words.length, before);
  });

  test('lets a log that became long be dealt with before the next group', async () => {
    const told: string[] = [];
    let tends = 0;
    const queue = writerQueue(yielding(), {
      groups: true,
      begins: async () => {},
      ended: () => void told.push('ended'),
      async tend() {
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
