import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation, Principal } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import { durationWords } from '../../src/engine/describe/words.ts';
import { type RateLimits, rateLimiter } from '../../src/http/rate-limiter.ts';
import { rateSettings } from '../../src/settings/rates.ts';

const limits = {
  isOn: true,
  ...Object.fromEntries(Object.values(RATES).map((rate) => [rate.setting, 2])),
} as RateLimits;
const clock = { ms: 1_772_471_095_000, now: () => clock.ms };

const operation = (id: string, rate: Operation['rate']) => ({ id, rate, parameters: {} }) as unknown as Operation;
const reads = operation('things.get', 'reads');
const writes = operation('things.create', 'writes');
const core = operation('things.list', 'account_reads');

const principal = (user: string, application = '1') => ({ kind: 'user', user, application }) as Principal;
const scope = (user = '1', account: string | undefined = 'a', application = '1') =>
  ({
    environment: 'sandbox',
    caller: principal(user, application),
    address: '::1',
    account,
    withTotalCount: false,
  }) as const;

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

describe('windows of calls', () => {
  test('open with the first call and end after their length, not at a round time', () => {
    const rates = rateLimiter(limits, clock);
    const opened = Math.floor(clock.ms / 1000);
    assert.deepEqual(rates.take(reads, scope()).user, { limit: 2, remaining: 1, reset: opened + 900 });
    clock.ms += 899_000;
    assert.deepEqual(rates.take(reads, scope()).user, { limit: 2, remaining: 0, reset: opened + 900 });
    assert.equal(rates.take(reads, scope()).isRefused, true);
    clock.ms += 1000;
    assert.deepEqual(rates.take(reads, scope()).user, { limit: 2, remaining: 1, reset: opened + 1800 });
  });

  test('can be read without counting', () => {
    const rates = rateLimiter({ ...limits, rate_user_quota_per_15min: 100 }, clock);
    for (const operation of [reads, writes, core]) {
      const fresh = rates.peek(operation, scope());
      const charged = rates.take(operation, scope()).user;
      assert.deepEqual(charged, { ...fresh, remaining: fresh.remaining - 1 }, operation.id);
      assert.deepEqual(rates.peek(operation, scope()), charged, operation.id);
    }
  });

  test('belong to a user, an application and an environment', () => {
    const rates = rateLimiter(limits, clock);
    for (let index = 0; index < 3; index++) rates.take(reads, scope('1'));
    assert.equal(rates.take(reads, scope('1')).isRefused, true);
    assert.equal(rates.take(reads, scope('2')).isRefused, false);
    assert.equal(rates.take(reads, scope('1', 'a', '2')).isRefused, false);
    assert.equal(rates.take(reads, { ...scope('1'), environment: 'production' }).isRefused, false);
    assert.equal(rates.take(operation('others.get', 'reads'), scope('1')).isRefused, false);
  });

  test('writes are counted together, whatever they write', () => {
    const rates = rateLimiter(limits, clock);
    rates.take(writes, scope());
    assert.equal(rates.take(operation('others.remove', 'writes'), scope()).user.remaining, 0);
    assert.equal(rates.take(operation('others.update', 'writes'), scope()).isRefused, true);
  });

  test('a call refused for the account does not count for the user', () => {
    const rates = rateLimiter({ ...limits, rate_user_quota_per_15min: 100 }, clock);
    for (let index = 0; index < 2; index++) rates.take(core, scope());
    const refused = rates.take(core, scope());
    assert.deepEqual([refused.isRefused, refused.account?.remaining, refused.user.remaining], [true, 0, 98]);
    assert.equal(rates.take(core, scope('2')).isRefused, true, 'users of an account share its window');
    assert.equal(rates.take(core, scope('1', 'b')).user.remaining, 97);
  });

  test('request tokens are also counted per address, and an IPv6 /64 is one address', () => {
    const rates = rateLimiter({ ...limits, rate_request_tokens_per_address_15min: 2 }, clock);
    const from = (address: string, application: string) =>
      rates.take(operation('request_token.create', 'request_tokens'), { ...scope('1', 'a', application), address });
    assert.equal(from('2001:db8::1', '1').isRefused, false);
    assert.equal(from('2001:db8::2', '2').isRefused, false);
    assert.equal(from('2001:db8::3', '3').isRefused, true);
    assert.equal(from('2001:db8:0:1::3', '3').isRefused, false);
  });

  test('a call with an internal error is refunded once', () => {
    const rates = rateLimiter(limits, clock);
    const taken = rates.take(core, scope());
    const input = rates.refund(taken);
    assert.deepEqual([input.user.remaining, input.account?.remaining], [2, 2]);
    assert.deepEqual(rates.refund(input), input);
    assert.equal(rates.take(core, scope()).user.remaining, 1);
    rates.take(core, scope());
    const refused = rates.take(core, scope());
    assert.equal(rates.refund(refused).user.remaining, 0, 'a refused call took nothing');
  });

  test('switched off, they count but refuse nobody', () => {
    const rates = rateLimiter({ ...limits, isOn: false }, clock);
    for (let index = 0; index < 5; index++) assert.equal(rates.take(core, scope()).isRefused, false);
    assert.equal(rates.take(core, scope()).user.limit, 1_000_000_000);
  });
});
