import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Session } from '../../src/storage/core/session.ts';
import { sharedSnapshot } from '../../src/storage/core/shared-snapshot.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';

test('after a failure to open a snapshot the next read opens one', async () => {
  let isBroken = true;
  const said: string[] = [];
  const reads = sharedSnapshot({
    session: {} as Session,
    exec(word) {
      if (isBroken) throw new Error('database is not open');
      said.push(word);
    },
    query: () => [],
    isInTransaction: () => true,
    close: () => {},
  });
  await assert.rejects(
    reads.read(async () => 'never'),
    /not open/,
  );
  assert.equal(reads.busy(), 0);
  isBroken = false;
  assert.equal(await reads.read(async () => 'read'), 'read');
  await nextTurn();
  await nextTurn();
  assert.deepEqual(said, ['begin', 'commit']);
});

test('a long read keeps its snapshot, and does not block the thread', async () => {
  const said: string[] = [];
  const reads = sharedSnapshot({
    session: {} as Session,
    exec: (word) => void said.push(word),
    query: () => [],
    isInTransaction: () => true,
    close: () => {},
  });
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = reads.read(() => promise);
  await nextTurn();
  await nextTurn();
  const waits = process.getActiveResourcesInfo().filter((kind) => kind === 'Immediate');
  assert.deepEqual([said, waits], [['begin'], []]);
  resolve('read');
  assert.equal(await slow, 'read');
  assert.deepEqual(said, ['begin', 'commit']);
});

describe('reads that share a snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-snapshot-'));
  const file = join(folder, 'barker.db');
  const driver = openSqlite({ file });
  const another = new DatabaseSync(file, { timeout: 5000 });
  after(async () => {
    another.close();
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  });
  another.exec('create table things (name text) strict');

  const add = (name: string) => driver.write((session) => session.runRaw(`insert into things values ('${name}')`));
  const count = async (session: Session): Promise<number> =>
    (await session.allRaw<{ number: number }>('select count(*) as number from things'))[0]!.number;

  test('acknowledged changes are seen at once, also in the same turn', async () => {
    for (let made = 1; made <= 5; made++) {
      await driver.read(count);
      await add(`own ${made}`);
      assert.equal(await driver.read(count), made);
    }
  });

  test('changes of another process are seen in the next turn', async () => {
    const before = await driver.read(count);
    another.exec("insert into things values ('other')");
    await nextTurn();
    await nextTurn();
    assert.equal(await driver.read(count), before + 1);
  });

  test('a read under way keeps its snapshot while a write is acknowledged; the next read waits for it', async () => {
    const before = await driver.read(count);
    let finish = (): void => {};
    const slow = driver.read(async (session) => {
      const first = await count(session);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return [first, await count(session)];
    });
    await add('meanwhile');
    const next = driver.read(count);
    finish();
    assert.deepEqual(await slow, [before, before]);
    assert.equal(await next, before + 1);
  });

  test('a read that fails leaves the connection usable', async () => {
    await assert.rejects(driver.read((session) => session.allRaw('select nothing from nowhere')));
    assert.equal(typeof (await driver.read(count)), 'number');
    await nextTurn();
    await nextTurn();
    assert.equal(typeof (await driver.read(count)), 'number');
  });
});
