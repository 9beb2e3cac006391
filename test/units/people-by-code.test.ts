import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peopleByCode } from '../../src/features/audiences/directory/image.ts';
import { emptySet, numbersOf } from '../../src/features/audiences/directory/people-set.ts';
import { fc } from '../rig/laws.ts';

const PEOPLE = 700;

/** Whether few people have a code, or so many that they are kept as a set. */
const list = fc
  .constantFrom(3, 20, 24, 200)
  .chain((maxLength) => fc.uniqueArray(fc.nat(PEOPLE - 1), { maxLength, size: 'max' }))
  .map((people) => people.sort((one, other) => one - other));

test('people of codes are those of their lists, however many they are', () => {
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 8 }), (lists) => {
      const starts = new Uint32Array(lists.length + 1);
      for (const [code, { length }] of lists.entries()) starts[code + 1] = starts[code]! + length;
      const byCode = peopleByCode(starts, Uint32Array.from(lists.flat()), PEOPLE);
      const [once, twice] = [emptySet(PEOPLE), emptySet(PEOPLE)];
      for (const [code, people] of lists.entries()) {
        assert.equal(byCode.countOf(code), people.length);
        const set = emptySet(PEOPLE);
        byCode.addTo(set, code);
        assert.deepEqual([...numbersOf(set)], people);
        byCode.addRepeated(once, twice, code);
      }
      const times = (person: number) => lists.filter((people) => people.includes(person)).length;
      const everybody = Array.from({ length: PEOPLE }, (_, person) => person);
      assert.deepEqual(
        [...numbersOf(once)],
        everybody.filter((person) => times(person) >= 1),
      );
      assert.deepEqual(
        [...numbersOf(twice)],
        everybody.filter((person) => times(person) >= 2),
      );
    }),
    { numRuns: 200 },
  );
});
