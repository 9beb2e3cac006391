import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compared } from '../../bench/rig/compare.ts';
import { growthPlot } from '../../bench/rig/growth-plot.ts';
import { exponentOf } from '../../bench/rig/report-page.ts';

describe('two commits', () => {
  test('differ by the mean of the ratios of their pairs, with an interval around it', () => {
    const { times, low, high } = compared('get', [0.8, 0.82, 0.78, 0.81, 0.79]);
    assert.ok(Math.abs(times - 0.8) < 0.001);
    assert.ok(low > 0.77 && high < 0.83);
    const steady = compared('get', [1, 1, 1, 1, 1]);
    assert.deepEqual([steady.low, steady.times, steady.high], [1, 1, 1]);
  });

  test('that were measured on a noisy machine are not told apart', () => {
    const { low, high } = compared('get', [0.6, 1.2, 0.7, 1.1, 0.9]);
    assert.ok(low < 0.9 && high > 1);
  });
});

describe('growth', () => {
  test('is the power of the size: level, in proportion, or more', () => {
    const at = (cost: (size: number) => number) => [10, 100, 1000].map((size) => [size, cost(size)] as const);
    assert.equal(exponentOf(at(() => 3)), 0);
    assert.ok(Math.abs(exponentOf(at((size) => 5 * size)) - 1) < 1e-9);
    assert.ok(Math.abs(exponentOf(at((size) => size * size)) - 2) < 1e-9);
  });

  test('is drawn with every line, its name, and whole powers of ten around the values', () => {
    const lines = {
      list: [
        [1000, 2],
        [1_000_000, 2.5],
      ],
      search: [
        [1000, 1],
        [1_000_000, 40],
      ],
    } as const;
    const plot = growthPlot({ kind: 'growth', title: 'Lists', of: 'campaigns', unit: ' ms', lines });
    for (const text of ['>list<', '>search<', '>1,000<', '>1,000,000<', '>100<', '>1.00<', '>campaigns<'])
      assert.ok(plot.includes(text), text);
    assert.equal(plot.match(/<polyline/g)?.length, 2);
    assert.doesNotMatch(plot, /NaN|undefined|Infinity/);
  });
});
