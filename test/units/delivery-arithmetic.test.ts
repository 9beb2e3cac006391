import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localDay } from '../../src/base/zones.ts';
import { expectedReach } from '../../src/contract/delivery/reach.ts';
import { draw, keyOf, roundRandomly } from '../../src/features/delivery/simulation/draws.ts';
import { shareBelowCap } from '../../src/features/delivery/simulation/hour-frequency.ts';
import { planSpend } from '../../src/features/delivery/simulation/hour-pacing.ts';
import { apportion, apportionAt, proportion } from '../../src/features/delivery/simulation/largest-remainder.ts';
import { bidForCost, bidForPrice, costOf, priceOf, winRate } from '../../src/features/delivery/simulation/market.ts';
import { normalCdf, normalQuantile } from '../../src/features/delivery/simulation/normal.ts';
import { placementsOf } from '../../src/features/delivery/simulation/prepared-line.ts';
import { fc } from '../rig/laws.ts';

const near = (actual: number, expected: number, by: number): void =>
  assert.ok(Math.abs(actual - expected) <= by, `${actual} is not ${expected}`);

describe('draws', () => {
  test('depend on their arguments alone, and are spread evenly', () => {
    const key = keyOf('seed line');
    assert.equal(draw(key, 1_772_470_800, 'market'), draw(keyOf('seed line'), 1_772_470_800, 'market'));
    const drawn = Array.from({ length: 20_000 }, (_, hour) => draw(key, 1_772_470_800 + hour * 3600, 'billed'));
    for (let tenth = 0; tenth < 10; tenth++) {
      near(drawn.filter((each) => Math.floor(each * 10) === tenth).length, 2000, 150);
    }
    near(drawn.reduce((sum, each, at) => sum + each * (drawn[at + 1] ?? 0), 0) / 20_000, 0.25, 0.01);
    const others = new Set([
      ...[draw(key, 1, 'market'), draw(key, 1, 'billed'), draw(key, 2, 'market'), draw(key, 1, 'market', 1)],
      ...[draw(keyOf('seed lime'), 1, 'market'), draw(key, 1 + 2 ** 32, 'market')],
    ]);
    assert.equal(others.size, 6);
  });

  test('round to what is exact on average', () => {
    const key = keyOf('rounding');
    let sum = 0;
    for (let at = 0; at < 10_000; at++) sum += roundRandomly(0.03, draw(key, at, 'billed'));
    near(sum, 300, 60);
  });
});

describe('the normal distribution', () => {
  test('has the known values, in the tails too', () => {
    const known = [
      [0, 0.5],
      [1, 0.8413447460685429],
      [1.959963984540054, 0.975],
      [-3, 0.0013498980316300933],
      [-8, 6.220960574271786e-16],
    ] as const;
    for (const [x, share] of known) near(normalCdf(x) / share, 1, 1e-8);
    near(normalQuantile(0.975), 1.959963984540054, 1e-6);
    near(normalQuantile(0.5), 0, 1e-6);
  });
});

describe('the market', () => {
  const market = { mu: Math.log(4_000_000) };
  test('is won half the time with the median, at less than the bid', () => {
    near(winRate(market, 4_000_000), 0.5, 1e-9);
    assert.equal(winRate(market, 0), 0);
    near(costOf(market, 1e15), 4_000_000 * Math.exp(0.405), 1);
    assert.ok(priceOf(market, 4_000_000) < 4_000_000);
  });

  test('is never cheaper or less often won with a higher bid', () => {
    const amount = fc.double({ min: 1000, max: 1e10, noNaN: true });
    fc.assert(
      fc.property(amount, amount, (one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        assert.ok(winRate(market, low) <= winRate(market, high));
        assert.ok(costOf(market, low) <= costOf(market, high));
        assert.ok(priceOf(market, low) <= low);
      }),
    );
  });

  test('is searched for bids', () => {
    near(costOf(market, bidForCost(market, 1_000_000)) / 1_000_000, 1, 1e-6);
    near(priceOf(market, bidForPrice(market, 3_000_000)) / 3_000_000, 1, 1e-6);
    assert.ok(winRate(market, bidForCost(market, 1e12)) > 0.999999, 'the highest bid');
  });
});

describe('apportioning', () => {
  const weights = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1000, noNaN: true })), {
    minLength: 1,
    maxLength: 12,
  });
  test('adds up, and gives each its share rounded down or up', () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000_000),
        weights,
        fc.double({ min: 0, max: 0.9999999, noNaN: true }),
        (total, given, u) => {
          const sum = given.reduce((all, each) => all + each, 0);
          for (const parts of [apportion(total, given), apportionAt(total, given, u)]) {
            assert.equal(
              parts.reduce((all, each) => all + each, 0),
              total,
            );
            if (sum === 0) continue;
            for (const [at, part] of parts.entries()) {
              near(part, (total * given[at]!) / sum, 1.001);
              if (given[at] === 0) assert.equal(part, 0);
            }
          }
        },
      ),
    );
    assert.deepEqual(apportion(10, [1, 1, 1]), [4, 3, 3]);
    assert.deepEqual(apportionAt(1, [6, 2, 2], 0.1), [0, 0, 1]);
    assert.deepEqual(apportionAt(1, [6, 2, 2], 0.5), [1, 0, 0]);
  });

  test('takes exact proportions of large amounts', () => {
    const amount = fc.integer({ min: 0, max: 9_000_000_000_000_000 });
    fc.assert(
      fc.property(amount, fc.nat(1_000_000), fc.integer({ min: 1, max: 1_000_000 }), (whole, part, of) => {
        const exact = part >= of ? BigInt(whole) : (BigInt(whole) * BigInt(part)) / BigInt(of);
        assert.equal(proportion(whole, part, of), Number(exact));
      }),
    );
  });
});

describe('pacing', () => {
  const day = localDay('2026-03-03', 'America/Los_Angeles');
  const HOUR_MS = 3_600_000;
  const at = (hour: number, flightEnd_ms?: number) => ({
    ...{ day, hour, from_ms: day.start_ms + hour * HOUR_MS, until_ms: day.start_ms + (hour + 1) * HOUR_MS },
    ...{ flightEnd_ms, weight: (each: number) => (each < 12 ? 0.5 : 1.5) },
  });
  const nothing = { today: 0, total: 0 };

  test('gives an hour its part of the day by the curve', () => {
    near(planSpend({ daily: 24_000, total: null }, nothing, at(0)), 500, 1e-9);
    near(planSpend({ daily: 24_000, total: null }, { today: 6000, total: 6000 }, at(12)), 1500, 1e-9);
    assert.equal(planSpend({ daily: 24_000, total: null }, nothing, at(23)), 24_000, 'the last hour gets what is left');
    near(planSpend({ daily: 24_000, total: null }, nothing, at(0, day.start_ms + 2 * HOUR_MS)), 12_000, 1e-9);
    assert.equal(planSpend({ daily: null, total: null }, nothing, at(0)), Number.POSITIVE_INFINITY);
  });

  test('spreads a total budget over the flight, or over 30 days', () => {
    near(planSpend({ daily: null, total: 48_000 }, nothing, at(0, day.end_ms + 24 * HOUR_MS)), 500, 1e-9);
    near(planSpend({ daily: null, total: 720_000 }, nothing, at(0)), 500, 1);
    near(planSpend({ daily: 2400, total: 720_000 }, nothing, at(0)), 50, 1e-9);
  });
});

describe('people', () => {
  test('are reached at random', () => {
    assert.deepEqual(
      [expectedReach(0, 10), expectedReach(1, 10), expectedReach(10, 10), expectedReach(1000, 10), expectedReach(3, 0)],
      [0, 1, 6, 10, 0],
    );
  });

  test('have had their share of a frequency cap', () => {
    assert.equal(shareBelowCap(1, 0, 100), 1);
    near(shareBelowCap(1, 100, 100), Math.exp(-1), 1e-12);
    near(shareBelowCap(2, 100, 100), 2 * Math.exp(-1), 1e-12);
    assert.equal(shareBelowCap(1, 0, 0), 0);
  });

  test('are on the service, on the network, or on both', () => {
    assert.deepEqual(placementsOf({ placements: ['SERVICE_SEARCH', 'SERVICE_PROFILE'] }), [['ALL_ON_SERVICE', 1]]);
    assert.deepEqual(placementsOf({ placements: ['TAP_BANNER'] }), [['PUBLISHER_NETWORK', 1]]);
    assert.deepEqual(placementsOf({ placements: ['PUBLISHER_NETWORK', 'SERVICE_TIMELINE'] }), [
      ['ALL_ON_SERVICE', 0.7],
      ['PUBLISHER_NETWORK', 0.3],
    ]);
  });
});
