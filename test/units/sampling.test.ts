import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

/** What a run of a tier and a seed takes of a hundred numbers in four shapes. */
function taken(tier: string, seed: number): { readonly sampled: number[]; readonly sampler: number[] } {
  const program = `
    import { sampled, sampler } from ${JSON.stringify(pathToFileURL(resolve('test/rig/sampling.ts')).href)};
    const all = Array.from({ length: 100 }, (_, number) => number);
    const shapeOf = (number) => String(number % 4);
    const isTried = sampler();
    console.log(JSON.stringify({
      sampled: sampled(all, shapeOf, String),
      sampler: all.filter((number) => isTried(shapeOf(number), String(number))),
    }));`;
  const env = { ...process.env, TEST_TIER: tier, TEST_SEED: String(seed) };
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
  return JSON.parse(stdout);
}

describe('samples of a cross product', () => {
  for (const way of ['sampled', 'sampler'] as const) {
    test(`(${way}) have every shape, the same cases for a seed, and others for another`, () => {
      const [one, again, other] = [taken('short', 1)[way], taken('short', 1)[way], taken('short', 2)[way]];
      assert.deepEqual(one, again);
      assert.notDeepEqual(one, other);
      for (const some of [one, other]) {
        assert.equal(new Set(some.map((number) => number % 4)).size, 4);
        assert.ok(some.length < 40, `${some.length} of 100`);
        assert.deepEqual(
          some,
          some.toSorted((a, b) => a - b),
        );
      }
    });

    test(`(${way}) are everything in a full run`, () => assert.equal(taken('full', 1)[way].length, 100));
  }
});
