import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seek } from '../../src/features/audiences/members/find-entries.ts';
import { fc } from '../rig/laws.ts';

test('the search finds what a linear scan finds', () => {
  const numbers = fc.array(fc.nat({ max: 300 }), { maxLength: 200 });
  fc.assert(
    fc.property(
      numbers,
      fc.integer({ min: 1, max: 7 }),
      fc.nat({ max: 320 }),
      fc.nat(),
      (input, width, number, start) => {
        const sorted = input.sort((a, b) => a - b);
        const entries = new Uint32Array(sorted.length * width);
        for (const [index, each] of sorted.entries()) entries[index * width] = each;
        const first = sorted.length === 0 ? 0 : start % sorted.length;
        const found = sorted.findIndex((each, index) => index >= first && each >= number);
        const meant = found === -1 ? sorted.length : found;
        assert.equal(seek(entries, first * width, entries.length, width, number), meant * width);
      },
    ),
    { numRuns: 2000 },
  );
});
