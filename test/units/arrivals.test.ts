import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFifo } from '../../src/base/arrivals.ts';
import { seededRandom } from '../fuzz/seeded-random.ts';

test('members stand in the order in which they came, and each leaves once', () => {
  const all = createFifo<string>();
  assert.equal(all.oldest(), undefined);
  const [a, b, c] = ['a', 'b', 'c'].map((each) => all.add(each));
  assert.deepEqual([...all], ['a', 'b', 'c']);
  assert.equal(b!(), true);
  assert.equal(b!(), false);
  assert.deepEqual([...all, all.size], ['a', 'c', 2]);
  assert.equal(a!(), true);
  assert.equal(all.oldest(), 'c');
  all.add('a');
  assert.equal(c!(), true);
  assert.deepEqual([...all, all.size], ['a', 1]);
});

test('a member may leave while all are looked at', () => {
  const all = createFifo<number>();
  const leave = [1, 2, 3].map((each) => all.add(each));
  const seen: number[] = [];
  for (const each of all) {
    seen.push(each);
    leave[each - 1]!();
  }
  assert.deepEqual([seen, all.size, all.oldest()], [[1, 2, 3], 0, undefined]);
});

test('it has the members that a set would have', () => {
  const random = seededRandom(7, 1);
  const all = createFifo<number>();
  const model = new Set<number>();
  const leaving = new Map<number, () => boolean>();
  for (let step = 0; step < 2000; step++) {
    const known = [...leaving.keys()];
    if (known.length === 0 || random.below(2) === 0) {
      model.add(step);
      leaving.set(step, all.add(step));
    } else {
      const one = known[random.below(known.length)]!;
      assert.equal(leaving.get(one)!(), model.delete(one));
      if (random.below(2) === 0) leaving.delete(one);
    }
    assert.equal(all.size, model.size);
    assert.equal(all.oldest(), [...model][0]);
  }
  assert.deepEqual([...all], [...model]);
});
