import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { byLargestRemainder, distribute, rotationOf } from '../../src/features/ads/analytics/segment-rotation.ts';

const weights = fc
  .array(fc.oneof(fc.nat(5), fc.nat(300), fc.nat(1_000_000)), { minLength: 1, maxLength: 12 })
  .filter((list) => list.some((weight) => weight > 0));
const partsOf = (count: number, people: readonly number[], start: number): number[] => {
  const parts = new Float64Array(people.length);
  distribute(count, rotationOf(people)!, start, parts);
  return [...parts];
};
const sumOf = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

describe('dealing out', () => {
  test('gives each turn to its segment, wherever it begins and however many there are', () => {
    fc.assert(
      fc.property(weights, fc.nat(10_000), fc.nat(100_000), (people, count, start) => {
        const { order } = rotationOf(people)!;
        const expected = people.map(() => 0);
        for (let turn = start; turn < start + count; turn++) expected[order[turn % order.length]!]! += 1;
        assert.deepEqual(partsOf(count, people, start), expected);
      }),
      { numRuns: 100 },
    );
  });

  test('adds up, gives a smaller number nowhere more, and keeps to the shares', () => {
    fc.assert(
      fc.property(weights, fc.nat(50_000), fc.nat(50_000), fc.nat(3000), (people, one, other, start) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const [few, many] = [partsOf(less, people, start), partsOf(more, people, start)];
        assert.equal(sumOf(many), more);
        assert.ok(few.every((part, at) => part <= many[at]!));
        const total = sumOf(people);
        for (const [at, weight] of people.entries()) {
          const share = weight / total;
          // Shares of large audiences are rounded to a part of a period.
          assert.ok(Math.abs(many[at]! - more * share) <= people.length + 2 + more / 2048, `${many[at]} of ${more}`);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('of nobody is not possible', () => assert.equal(rotationOf([0, 0]), undefined));
});

describe('dividing by the largest remainder', () => {
  test('adds up, and differs from the exact share by less than one', () => {
    fc.assert(
      fc.property(weights, fc.oneof(fc.nat(1000), fc.nat(1_000_000_000_000)), (shares, amount) => {
        const parts = byLargestRemainder(amount, shares);
        assert.equal(sumOf(parts), amount);
        const total = BigInt(sumOf(shares));
        for (const [at, weight] of shares.entries()) {
          const difference = BigInt(parts[at]!) * total - BigInt(amount) * BigInt(weight);
          assert.ok(difference < total && difference > -total);
        }
      }),
    );
  });

  test('gives the first of equal remainders more, and nothing where there are no weights', () => {
    assert.deepEqual(byLargestRemainder(4, [1, 1, 1]), [2, 1, 1]);
    assert.deepEqual(byLargestRemainder(4, [0, 0]), [0, 0]);
  });
});
