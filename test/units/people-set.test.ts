import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addBytesBetween,
  addNumbersBetween,
  emptySet,
  numbersOf,
  type PeopleSet,
} from '../../src/features/audiences/directory/people-set.ts';
import { fc } from '../rig/laws.ts';

/** People among whom somebody is looked for, and what is known of each. */
interface People<Column> {
  readonly column: Column;
  readonly of: PeopleSet;
}

/** Some of few or many people: with few in a word of a set only those are looked at. */
function people<Column>(columnOf: (values: number[]) => Column, max: number): fc.Arbitrary<People<Column>> {
  const edges = fc.constantFrom(0, 1, max - 1, max);
  return fc
    .array(fc.tuple(fc.oneof(edges, fc.integer({ min: 0, max })), fc.nat(9)), { minLength: 1, maxLength: 200 })
    .chain((all) =>
      fc.constantFrom(1, 5, 10).map((share) => {
        const of = emptySet(all.length);
        for (const [number, [, chance]] of all.entries()) if (chance < share) of[number >>> 5]! |= 1 << (number & 31);
        return { column: columnOf(all.map(([value]) => value)), of };
      }),
    );
}

/** Compares what is added with what each person of the set has. */
function checkRange<Column extends Uint8Array | Uint32Array>(
  add: (set: PeopleSet, of: PeopleSet, column: Column, from: number, to: number) => void,
  all: fc.Arbitrary<People<Column>>,
  bound: fc.Arbitrary<number>,
): void {
  fc.assert(
    fc.property(all, bound, bound, ({ column, of }, from, to) => {
      const set = new Uint32Array(of.length);
      add(set, of, column, from, to);
      const isMeant = (person: number): boolean => column[person]! >= from && column[person]! <= to;
      assert.deepEqual([...numbersOf(set)], [...numbersOf(of)].filter(isMeant));
    }),
  );
}

describe('those of a set of people', () => {
  test('whose byte is in a range', () => {
    const all = people((values) => Uint8Array.from(values), 255);
    checkRange(addBytesBetween, all, fc.integer({ min: 0, max: 255 }));
  });

  test('whose number is in a range', () => {
    const all = people((values) => Uint32Array.from(values), 2 ** 32 - 1);
    const edges = fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1);
    checkRange(addNumbersBetween, all, fc.oneof(edges, fc.integer({ min: 0, max: 2 ** 32 - 1 })));
  });
});
