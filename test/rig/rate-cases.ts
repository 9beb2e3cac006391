import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../src/contract/declare/callers.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { RATES } from '../../src/contract/declare/rates.ts';
import type { RateWindows } from '../../src/contract/services/rate-windows.ts';
import { type RateLimits, rateLimiter } from '../../src/http/rate-limiter.ts';

const limits = {
  isOn: true,
  ...Object.fromEntries(Object.values(RATES).map((rate) => [rate.setting, 2])),
} as RateLimits;

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

/** The cases that windows of calls fulfil, wherever they are kept. `open` makes empty ones. */
export function testRates(open: () => RateWindows | Promise<RateWindows>): void {
  const clock = { ms: 1_772_471_095_000, now: () => clock.ms };
  const limiterOf = async (of: RateLimits) => rateLimiter(of, clock, await open());

  test('open with the first call and end after their length, not at a round time', async () => {
    const rates = await limiterOf(limits);
    const opened = Math.floor(clock.ms / 1000);
    assert.deepEqual((await rates.take(reads, scope())).user, { limit: 2, remaining: 1, reset: opened + 900 });
    clock.ms += 899_000;
    assert.deepEqual((await rates.take(reads, scope())).user, { limit: 2, remaining: 0, reset: opened + 900 });
    assert.equal((await rates.take(reads, scope())).isRefused, true);
    clock.ms += 1000;
    assert.deepEqual((await rates.take(reads, scope())).user, { limit: 2, remaining: 1, reset: opened + 1800 });
  });

  test('a window that a refused call opened stays open', async () => {
    const rates = await limiterOf({ ...limits, rate_user_quota_per_15min: 1 });
    const opened = Math.floor(clock.ms / 1000);
    await rates.take(core, scope());
    clock.ms += 100_000;
    const refused = await rates.take(core, scope('1', 'b'));
    const fresh = { limit: 2, remaining: 2, reset: opened + 1000 };
    assert.deepEqual([refused.isRefused, refused.account], [true, fresh]);
    clock.ms += 100_000;
    assert.deepEqual((await rates.take(core, scope('2', 'b'))).account, { ...fresh, remaining: 1 });
  });

  test('after the clock is set back nobody waits longer than a window, and nothing is forgotten', async () => {
    const rates = await limiterOf(limits);
    await rates.take(reads, scope());
    clock.ms -= 3_600_000;
    const reset = Math.floor(clock.ms / 1000) + 900;
    assert.deepEqual((await rates.peek([reads], scope()))[0], { limit: 2, remaining: 1, reset });
    assert.deepEqual((await rates.take(reads, scope())).user, { limit: 2, remaining: 0, reset });
    clock.ms += 900_000;
    assert.equal((await rates.take(reads, scope())).user.remaining, 1);
  });

  test('can be read without counting', async () => {
    const rates = await limiterOf({ ...limits, rate_user_quota_per_15min: 100 });
    for (const operation of [reads, writes, core]) {
      const [fresh] = await rates.peek([operation], scope());
      const charged = (await rates.take(operation, scope())).user;
      assert.deepEqual(charged, { ...fresh, remaining: fresh!.remaining - 1 }, operation.id);
      assert.deepEqual(await rates.peek([operation], scope()), [charged], operation.id);
    }
  });

  test('belong to a user, an application and an environment', async () => {
    const rates = await limiterOf(limits);
    for (let index = 0; index < 3; index++) await rates.take(reads, scope('1'));
    const isRefused = async (operation: Operation, of: Parameters<typeof rates.take>[1]) =>
      (await rates.take(operation, of)).isRefused;
    assert.equal(await isRefused(reads, scope('1')), true);
    assert.equal(await isRefused(reads, scope('2')), false);
    assert.equal(await isRefused(reads, scope('1', 'a', '2')), false);
    assert.equal(await isRefused(reads, { ...scope('1'), environment: 'production' }), false);
    assert.equal(await isRefused(operation('others.get', 'reads'), scope('1')), false);
  });

  test('writes are counted together, whatever they write', async () => {
    const rates = await limiterOf(limits);
    await rates.take(writes, scope());
    assert.equal((await rates.take(operation('others.remove', 'writes'), scope())).user.remaining, 0);
    assert.equal((await rates.take(operation('others.update', 'writes'), scope())).isRefused, true);
  });

  test('a call refused for the account does not count for the user', async () => {
    const rates = await limiterOf({ ...limits, rate_user_quota_per_15min: 100 });
    for (let index = 0; index < 2; index++) await rates.take(core, scope());
    const refused = await rates.take(core, scope());
    assert.deepEqual([refused.isRefused, refused.account?.remaining, refused.user.remaining], [true, 0, 98]);
    assert.equal((await rates.take(core, scope('2'))).isRefused, true, 'users of an account share its window');
    assert.equal((await rates.take(core, scope('1', 'b'))).user.remaining, 97);
  });

  test('request tokens are also counted per address, and an IPv6 /64 is one address', async () => {
    const rates = await limiterOf({ ...limits, rate_request_tokens_per_address_15min: 2 });
    const from = async (address: string, application: string) => {
      const place = { ...scope('1', 'a', application), address };
      return (await rates.take(operation('request_token.create', 'request_tokens'), place)).isRefused;
    };
    assert.equal(await from('2001:db8::1', '1'), false);
    assert.equal(await from('2001:db8::2', '2'), false);
    assert.equal(await from('2001:db8::3', '3'), true);
    assert.equal(await from('2001:db8:0:1::3', '3'), false);
  });

  test('a call with an internal error is refunded once', async () => {
    const rates = await limiterOf(limits);
    const taken = await rates.take(core, scope());
    const input = rates.refund(taken);
    assert.deepEqual([input.user.remaining, input.account?.remaining], [2, 2]);
    assert.deepEqual(rates.refund(input), input);
    assert.equal((await rates.take(core, scope())).user.remaining, 1);
    await rates.take(core, scope());
    const refused = await rates.take(core, scope());
    assert.equal(rates.refund(refused).user.remaining, 0, 'a refused call took nothing');
  });

  test('a refund does not reach the window that opened since', async () => {
    const rates = await limiterOf(limits);
    const taken = await rates.take(reads, scope());
    clock.ms += 900_000;
    await rates.take(reads, scope());
    rates.refund(taken);
    assert.equal((await rates.take(reads, scope())).user.remaining, 0);
  });

  test('calls at the same time are counted one by one', async () => {
    const rates = await limiterOf({ ...limits, rate_writes_per_min: 30 });
    const taken = await Promise.all(Array.from({ length: 50 }, () => rates.take(writes, scope())));
    const left = taken.filter(({ isRefused }) => !isRefused).map(({ user }) => user.remaining);
    assert.deepEqual(
      left,
      Array.from({ length: 30 }, (_, at) => 29 - at),
    );
  });

  test('switched off, they count but refuse nobody', async () => {
    const rates = await limiterOf({ ...limits, isOn: false });
    for (let index = 0; index < 5; index++) assert.equal((await rates.take(core, scope())).isRefused, false);
    assert.equal((await rates.take(core, scope())).user.limit, 1_000_000_000);
  });
}
