import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { contentOfBytes, type ObjectStore } from '../../src/contract/services/objects.ts';
import { cachedReader } from '../../src/storage/objects/cached-reader.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { until } from '../rig/patience.ts';

const home = mkdtempSync(join(tmpdir(), 'barker-cache-'));
after(() => rmSync(home, { recursive: true, force: true }));

const MIB = 1_048_576;
const BYTES = Buffer.from(Array.from({ length: 9 * MIB }, (_, index) => (index * 7 + (index >> 9)) & 255));

describe('objects that are read through copies', () => {
  const folder = join(home, 'cache');
  const store = folderObjects(join(home, 'objects'), secureRandom);
  let fetched = 0;
  const counting: ObjectStore = {
    ...store,
    get: (...args) => {
      fetched += 1;
      return store.get(...args);
    },
  };
  const reader = cachedReader(counting, { folder, bytes_max: 12 * MIB, random: secureRandom });
  const read = async (key: string, start: number, end: number): Promise<Buffer> =>
    buffer(await (await reader.open(key))!.read({ start, end }));

  test('have the same bytes in every range, across blocks', async () => {
    await store.put('a/long', contentOfBytes(BYTES));
    assert.equal((await reader.open('a/long'))!.bytes, BYTES.length);
    for (const [start, end] of [
      [0, 10],
      [4 * MIB - 5, 4 * MIB + 5],
      [4 * MIB, 8 * MIB],
      [8 * MIB + 1, 9 * MIB],
      [0, 9 * MIB],
    ] as const) {
      assert.ok((await read('a/long', start, end)).equals(BYTES.subarray(start, end)), `${start} to ${end}`);
    }
    assert.equal(fetched, 3, 'each block once');
  });

  test('are fetched once, however many ask at once', async () => {
    await store.put('a/asked', contentOfBytes(BYTES.subarray(0, MIB)));
    fetched = 0;
    const all = await Promise.all(Array.from({ length: 20 }, () => read('a/asked', 5, 15)));
    for (const each of all) assert.deepEqual(each, BYTES.subarray(5, 15));
    assert.equal(fetched, 1);
  });

  test('take no more room than allowed, and are fetched again when their copy is gone', async () => {
    for (const name of ['x', 'y', 'z']) {
      await store.put(`a/${name}`, contentOfBytes(BYTES));
      assert.ok((await read(`a/${name}`, 0, 9 * MIB)).equals(BYTES));
    }
    assert.ok((await read('a/x', 0, 9 * MIB)).equals(BYTES));
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true });
    assert.ok((await read('a/x', 0, 9 * MIB)).equals(BYTES), 'somebody has emptied the folder');
    const size = (name: string): number => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    await until('what is too much is removed', async () => {
      return readdirSync(folder).reduce((sum, name) => sum + size(name), 0) <= 12 * MIB;
    });
  });

  test('that do not exist are not there, and empty ones are', async () => {
    assert.equal(await reader.open('a/none'), undefined);
    await store.put('a/empty', contentOfBytes(Buffer.alloc(0)));
    assert.equal((await reader.open('a/empty'))!.bytes, 0);
    assert.equal((await read('a/empty', 0, 0)).length, 0);
  });

  test('leave no copies to the next process', () => {
    writeFileSync(join(folder, 'draft_of_a_killed_process'), 'x');
    cachedReader(store, { folder, bytes_max: MIB, random: secureRandom });
    assert.deepEqual(readdirSync(folder), []);
  });
});
