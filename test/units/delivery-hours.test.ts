import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import { HOUR_MAX, packHours, unpackHours, visitHours } from '../../src/contract/delivery/packed-hours.ts';

const hoursOf = (hours: number, number: (hour: number) => number): number[] =>
  Array.from({ length: hours }, (_, hour) => number(hour));

describe('the hours of a day of delivery', () => {
  test('are the same after packing, for days of 23, 24 and 25 hours and every metric', () => {
    for (const hours of [23, 24, 25]) {
      const metrics = new Map<DeliveryMetric, readonly number[]>(
        DELIVERY_METRICS.map((metric, place) => [metric, hoursOf(hours, (hour) => hour * 1000 ** (place % 4))]),
      );
      assert.deepEqual(unpackHours(packHours(hours, metrics)), { hours, metrics });
    }
  });

  test('keep spend that exceeds 32 bits exactly', () => {
    const spend = [Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32 + 1, 127, 128, ...hoursOf(19, () => 0)];
    const metrics = new Map<DeliveryMetric, readonly number[]>([['billed_charge_local_micro', spend]]);
    assert.deepEqual(unpackHours(packHours(24, metrics)).metrics.get('billed_charge_local_micro'), spend);
  });

  test('keep sums above 2^53, and the largest number in place of a larger one', () => {
    const amounts = [2 ** 53 + 2, 12_345_678_901_234_568, HOUR_MAX, 2 ** 63, 2 ** 70];
    const packed = packHours(5, new Map([['conversion_purchases.sale_amount_view', amounts]]));
    const read = unpackHours(packed).metrics.get('conversion_purchases.sale_amount_view');
    assert.deepEqual(read, [...amounts.slice(0, 3), HOUR_MAX, HOUR_MAX]);
    assert.ok(HOUR_MAX < 2 ** 63 && HOUR_MAX > 2 ** 63 - 2000);
    const visited: number[] = [];
    const slots = Int16Array.from(DELIVERY_METRICS, () => 0);
    visitHours(packed, slots, (_, hour, number) => (visited[hour] = number));
    assert.deepEqual(visited, read);
  });

  test('leave out metrics without activity, in whatever order they are given', () => {
    const [one, none] = [hoursOf(24, (hour) => hour), hoursOf(24, () => 0)];
    const packed = packHours(
      24,
      new Map<DeliveryMetric, readonly number[]>([
        ['likes', one],
        ['impressions', one],
      ]),
    );
    const others = new Map<DeliveryMetric, readonly number[]>([
      ['impressions', one],
      ['clicks', none],
      ['likes', one],
    ]);
    assert.deepEqual(packHours(24, others), packed);
    assert.deepEqual([...unpackHours(packed).metrics.keys()], ['impressions', 'likes']);
    assert.deepEqual(packHours(24, new Map()), Uint8Array.of(24));
  });

  test('refuse what is no day', () => {
    const numbers = (...values: number[]) => new Map<DeliveryMetric, readonly number[]>([['likes', values]]);
    assert.throws(() => packHours(0, new Map()), /a day of 0 hours/);
    assert.throws(() => packHours(2, numbers(1)), /1 numbers of likes for 2 hours/);
    assert.throws(() => packHours(1, numbers(-1)), /-1 is no count/);
    assert.throws(() => packHours(1, numbers(0.5)), /0.5 is no count/);
    assert.throws(() => unpackHours(new Uint8Array()), /no day of delivery/);
    assert.throws(
      () => unpackHours(packHours(24, new Map([['likes', hoursOf(24, () => 300)]])).slice(0, -1)),
      /cut off/,
    );
    assert.throws(() => unpackHours(Uint8Array.of(24, 255, 255, 3)), /is not known/);
  });

  test('have each metric once, in places that are stored and so never change', () => {
    assert.equal(new Set(DELIVERY_METRICS).size, DELIVERY_METRICS.length);
    const places = ['impressions', 'billed_charge_local_micro', 'media_engagements'] as const;
    assert.deepEqual(
      places.map((metric) => DELIVERY_METRICS.indexOf(metric)),
      [0, 2, 28],
    );
    assert.equal(DELIVERY_METRICS.indexOf('conversion_purchases.post_view'), 29);
    assert.equal(DELIVERY_METRICS.indexOf('mobile_conversion_spent_credits.post_view'), 107);
    assert.equal(DELIVERY_METRICS.length, 199);
  });
});
