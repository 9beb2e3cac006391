import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { blockIds } from '../../src/features/platform/ids.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';

/** A store of which only the numbers are used: what several processes share. */
function numbers(): { store: Store; taken: () => number } {
  const next = new Map<string, number>();
  let taken = 0;
  const takeNumbers = async (sequence: string, start: number, count: number): Promise<number> => {
    taken += 1;
    const first = next.get(sequence) ?? start;
    next.set(sequence, first + count);
    return first;
  };
  const write = async (work: (tx: { takeNumbers: typeof takeNumbers }) => Promise<unknown>) => work({ takeNumbers });
  return { store: { write } as unknown as Store, taken: () => taken };
}

const value = (id: string) => Number.parseInt(id, 36);

describe('ids', () => {
  test('are base 36, above the start of their kind, and grow by 1 to 97', async () => {
    const ids = blockIds(numbers().store, seededRandom(1, 'test'), { isShared: false });
    const start = 36 ** 4 * 8;
    const taken = await ids.take('thing', start, 500);
    assert.equal(taken.length, 500);
    let last = start;
    for (const id of taken) {
      assert.match(id, /^[0-9a-z]{5}$/);
      assert.ok(value(id) > last && value(id) - last <= 97, id);
      last = value(id);
    }
  });

  test('of two processes are never the same', async () => {
    const { store } = numbers();
    const [one, two] = [
      blockIds(store, seededRandom(1, 'a'), { isShared: false }),
      blockIds(store, seededRandom(1, 'a'), { isShared: false }),
    ];
    const all: string[] = [];
    for (let round = 0; round < 40; round++) {
      all.push(...(await one.take('thing', 1000, 17)), ...(await two.take('thing', 1000, 23)));
    }
    assert.equal(new Set(all).size, 40 * 40);
  });

  test('of two processes that know of each other grow from second to second, and few are lost', async () => {
    const { store } = numbers();
    let now = 0;
    const options = { isShared: true, now_ms: () => now };
    const [one, two] = [blockIds(store, seededRandom(1, 'a'), options), blockIds(store, seededRandom(1, 'b'), options)];
    let highest = 1000;
    for (let second = 0; second < 100; second++) {
      const taken = [...(await one.take('thing', 1000, 1)), ...(await two.take('thing', 1000, 2))].map(value);
      assert.ok(Math.min(...taken) > highest);
      highest = Math.max(...taken);
      now += 1000;
    }
    assert.ok(highest < 1000 + 100 * 2 * 4 * 97);
  });

  test('of such a process are reserved in larger blocks when many are needed', async () => {
    const { store, taken } = numbers();
    const ids = blockIds(store, seededRandom(1, 'a'), { isShared: true, now_ms: () => 0 });
    for (let count = 0; count < 1000; count++) await ids.take('thing', 1000, 1);
    assert.ok(taken() < 12, `${taken()} blocks`);
  });

  test('taken at once are never the same, and grow within the process', async () => {
    const { store, taken } = numbers();
    const ids = blockIds(store, seededRandom(1, 'a'), { isShared: false });
    const all = (await Promise.all(Array.from({ length: 100 }, () => ids.take('thing', 1000, 3)))).flat();
    assert.equal(new Set(all).size, 300);
    assert.ok(taken() <= 3, 'the database is asked for blocks');
  });

  test('of different kinds are independent', async () => {
    const ids = blockIds(numbers().store, seededRandom(1, 'a'), { isShared: false });
    const [thing] = await ids.take('thing', 1000, 1);
    const [other] = await ids.take('other', 5_000_000, 1);
    assert.ok(value(thing!) < 1100);
    assert.ok(value(other!) > 5_000_000);
  });

  test('more than a block can be taken at once', async () => {
    const ids = blockIds(numbers().store, seededRandom(1, 'a'), { isShared: false });
    assert.equal(new Set(await ids.take('thing', 1000, 5000)).size, 5000);
  });

  test('a failed reservation is tried again', async () => {
    const { store } = numbers();
    let fails = true;
    const flaky = {
      write: (work: never) => (fails ? Promise.reject(new Error('no database')) : store.write(work)),
    } as unknown as Store;
    const ids = blockIds(flaky, seededRandom(1, 'a'), { isShared: false });
    await assert.rejects(ids.take('thing', 1000, 1), /no database/);
    fails = false;
    assert.equal((await ids.take('thing', 1000, 1)).length, 1);
  });
});
