import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { byLargestRemainder } from '../../src/features/ads/analytics/segment-rotation.ts';

// Law 2: segments add up to the whole. To see it fail: let `left > 1` be the condition of the loop that gives the rest.
test('parts by the largest remainder add up, and each is its share rounded down or up', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 12 });
  const amounts = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 2 ** 52 }));
  fc.assert(
    fc.property(amounts, weights, (amount, shares) => {
      const total = shares.reduce((sum, each) => sum + each, 0);
      fc.pre(total > 0);
      const parts = byLargestRemainder(amount, shares);
      assert.equal(
        parts.reduce((sum, each) => sum + each, 0),
        amount,
      );
      for (const [at, part] of parts.entries()) {
        const least = Number((BigInt(amount) * BigInt(shares[at]!)) / BigInt(total));
        assert.ok(part === least || part === least + 1, `${part} of ${least}`);
      }
    }),
  );
});
