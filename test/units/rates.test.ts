import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { durationWords } from '../../build/docs/words.ts';
import { operations } from '../../src/app/dependencies.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { memoryWindows } from '../../src/http/memory-windows.ts';
import { rateSettings } from '../../src/settings/rates.ts';
import { testRates } from '../rig/rate-cases.ts';

const UNITS_S: Readonly<Record<string, number>> = { min: 60, '15min': 900, hour: 3600, day: 86_400 };

describe('the table of rates', () => {
  for (const [name, { setting, address, window_s }] of Object.entries(RATES)) {
    test(`${name}: its settings have its name and window`, () => {
      for (const each of address === undefined ? [setting] : [setting, address]) {
        const [, named, unit] = /^rate_(\w+?)_per_(?:address_)?([0-9]*[a-z]+)$/.exec(each) ?? [];
        assert.deepEqual([named, UNITS_S[unit!]], [name, window_s], each);
      }
    });
  }

  test('has all rate settings, each of one category', () => {
    const settings = Object.values(RATES).flatMap(({ setting, address = [] }) => [setting, address].flat());
    assert.deepEqual(settings.toSorted(), Object.keys(rateSettings).toSorted());
  });

  test('charges no call for an account and an address', () => {
    assert.deepEqual(
      Object.values(RATES).filter(({ perAccount, address }) => perAccount && address !== undefined),
      [],
    );
  });

  test('has no unused category', () => {
    const used = new Set<string>([...operations.map(({ rate }) => rate), 'user_quota', 'total_count']);
    assert.deepEqual(
      Object.keys(RATES).filter((name) => !used.has(name)),
      [],
    );
  });

  test('is described with its windows', () => {
    assert.deepEqual([60, 900, 3600, 7200, 86_400, 90].map(durationWords), [
      'a minute',
      '15 minutes',
      'an hour',
      '2 hours',
      'a day',
      '90 seconds',
    ]);
  });
});

describe('windows of calls in memory', () => {
  testRates(() => memoryWindows());

  test('are synchronous, so that calls wait for nothing', () => {
    const charge = { key: 'a', isOfAddress: false, window_s: 60, limit: 1 };
    const windows = memoryWindows();
    assert.deepEqual(windows.take([charge], 1000), {
      ...{ isRefused: false, calls: 1 },
      windows: [{ used: 1, reset_s: 1060 }],
    });
    assert.equal(windows.take([charge], 1001).isRefused, true);
  });

  test('each call counts for as many processes as share the limits', () => {
    const charge = { key: 'a', isOfAddress: false, window_s: 60, limit: 100 };
    let nodes = 4;
    const windows = memoryWindows(() => nodes);
    windows.adopt(charge, { used: 60, reset_s: 1050 }, 1000);
    const isRefused = () => windows.take([charge], 1001).isRefused;
    const taken = Array.from({ length: 10 }, isRefused);
    assert.deepEqual(taken, Array(10).fill(false), 'a quarter of what was left');
    assert.equal(isRefused(), true);
    nodes = 1;
    assert.equal(isRefused(), true, 'the window stays full');
    assert.equal(windows.take([charge], 1050).isRefused, false);
  });

  test('a call is taken back as often as it was counted, however many processes there are by then', () => {
    const charge = { key: 'a', isOfAddress: false, window_s: 60, limit: 100 };
    let nodes = 4;
    const windows = memoryWindows(() => nodes);
    const taken = windows.take([charge], 1000);
    nodes = 1;
    windows.refund([charge], taken);
    assert.deepEqual(windows.peek([charge], 1001), [{ used: 0, reset_s: 1060 }]);
  });
});
