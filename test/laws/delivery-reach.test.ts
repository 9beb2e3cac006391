// On either database: it is arithmetic.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectedReach } from '../../src/contract/delivery/reach.ts';
import { type Exposure, estimateReach, frequencyOf } from '../../src/features/ads/analytics/get-reach.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';

const RUNS = { seed: 20_260_302, numRuns: rounds(2000) };

/** What line items had; often as much as there are people, where chance matters most. */
const exposure: fc.Arbitrary<Exposure> = fc
  .record({ people: fc.integer({ min: 0, max: 100_000 }), percent: fc.integer({ min: 0, max: 800 }) })
  .map(({ people, percent }) => ({ impressions: Math.round((people * percent) / 100), people }));
/** Of people whom nobody counted, or who have all gone. */
const uncounted: fc.Arbitrary<Exposure> = fc.record({
  impressions: fc.integer({ min: 0, max: 1000 }),
  people: fc.constantFrom(undefined, 0),
});
const parts = fc.array(fc.oneof({ weight: 9, arbitrary: exposure }, { weight: 1, arbitrary: uncounted }), {
  maxLength: 6,
});

/** The largest audience of line items that had impressions. */
const largest = (of: readonly Exposure[]): number =>
  Math.max(0, ...of.map(({ people, impressions }) => (impressions > 0 ? (people ?? 0) : 0)));

/**
 * Of how many people the audiences of line items consist together: from the largest one to all of them apart. It may have been
 * counted when there were fewer.
 */
function unionOf(of: readonly Exposure[], apart: number): number {
  const each = of.map(({ people }) => people ?? 0);
  const [least, most] = [Math.max(0, ...each), each.reduce((sum, people) => sum + people, 0)];
  return Math.round(apart < 0 ? least * (1 + apart) : least + (most - least) * apart);
}

const overlap = fc.integer({ min: -50, max: 100 }).map((percent) => percent / 100);
const counted = (of: readonly Exposure[]) => of.filter(({ people }) => people !== undefined);

describe('the people whom ads reach', () => {
  test('are at least those of each line item, and at most all of them, the people and the impressions', () => {
    fc.assert(
      fc.property(parts, overlap, (of, apart) => {
        const union = unionOf(of, apart);
        const { people, impressions } = estimateReach(of, union);
        const each = counted(of).map((part) => expectedReach(part.impressions, part.people!));
        assert.equal(
          impressions,
          counted(of).reduce((sum, part) => sum + (part.people! > 0 ? part.impressions : 0), 0),
        );
        for (const reached of each) assert.ok(people >= reached, `${people} of ${each}`);
        const sum = each.reduce((total, reached) => total + reached, 0);
        const most = Math.min(sum, Math.max(union, largest(of)), impressions);
        assert.ok(people <= most, `${people} of ${each}, ${union} people, ${impressions}`);
      }),
      RUNS,
    );
  });

  test('are never fewer after more impressions', () => {
    fc.assert(
      fc.property(parts, overlap, fc.nat(5), fc.nat(50_000), (of, apart, at, more) => {
        const union = unionOf(of, apart);
        const later = of.map((part, place) =>
          place === at ? { ...part, impressions: part.impressions + more } : part,
        );
        assert.ok(estimateReach(later, union).people >= estimateReach(of, union).people);
      }),
      RUNS,
    );
  });

  test('have seen one ad at least', () => {
    fc.assert(
      fc.property(parts, overlap, (of, apart) => {
        const reach = estimateReach(of, unionOf(of, apart));
        if (reach.impressions > 0) assert.ok(frequencyOf(reach) >= 1);
        else assert.deepEqual([reach.people, frequencyOf(reach)], [0, 0]);
      }),
      RUNS,
    );
  });
});
