import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nonceDigest } from '../../src/contract/store/nonces.ts';
import { nonceSet } from '../../src/features/auth/oauth1/nonce-set.ts';
import { fc } from '../rig/laws.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const digests = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => nonceDigest('1', 1, `${index}`));

describe('a set of nonces', () => {
  test('does what a set does', () => {
    // Few enough to be added and deleted many times, and to lie in each other's way.
    const few = digests(40);
    const step = fc.record({ adds: fc.boolean(), which: fc.nat(few.length - 1) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const [ours, plain] = [nonceSet(), new Set<string>()];
        for (const { adds, which } of steps) {
          const digest = few[which]!;
          if (adds) {
            assert.equal(ours.add(digest), !plain.has(digest));
            plain.add(digest);
          } else {
            ours.delete(digest);
            plain.delete(digest);
          }
          assert.equal(ours.size, plain.size);
        }
        for (const digest of few) assert.equal(ours.add(digest), !plain.has(digest));
      }),
      { numRuns: 300 },
    );
  });

  test('keeps many', () => {
    const many = digests(20_000);
    const set = nonceSet();
    for (const digest of many) assert.ok(set.add(digest));
    for (const digest of many) assert.ok(!set.add(digest));
    for (const digest of many.slice(0, 10_000)) set.delete(digest);
    assert.equal(set.size, 10_000);
    assert.deepEqual([set.add(many[0]!), set.add(many[10_000]!)], [true, false]);
  });

  test('tells digests apart wherever they differ in what is kept', () => {
    const set = nonceSet();
    const [digest] = digests(1) as [string];
    assert.ok(set.add(digest));
    for (let index = 0; index < 24; index++) {
      const other = ALPHABET[ALPHABET.indexOf(digest[index]!) ^ 2]!;
      assert.ok(set.add(digest.slice(0, index) + other + digest.slice(index + 1)), String(index));
    }
  });
});
