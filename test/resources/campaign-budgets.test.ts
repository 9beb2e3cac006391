// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { campaignCalls, type Params } from './campaign-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { create, instrumentOf } = campaignCalls(() => world);

describe('budgets', () => {
  const daily = 'daily_budget_amount_local_micro';
  const total = 'total_budget_amount_local_micro';
  const exceeds = {
    code: 'INVALID',
    message: 'Daily budget cannot exceed the total budget',
    attribute: daily,
  };
  test('the daily budget must not exceed the total budget, after merging with stored values', async () => {
    const place = await openAccount(world.sandbox);
    const refused = await create(place, { [daily]: 3_000_000, [total]: 2_000_000 });
    assert.deepEqual([refused.status, refused.body.errors], [400, [exceeds]]);
    const made = await create(place, { [daily]: 2_000_000, [total]: 2_000_000 });
    assert.equal(made.status, 200);
    const one = `${place.path}/campaigns/${made.body.data.id}`;
    const steps: [Params, number][] = [
      [{ [daily]: 3_000_000 }, 400],
      [{ [total]: 1_000_000 }, 400],
      [{ [daily]: 3_000_000, [total]: 3_000_000 }, 200],
      [{ [total]: '' }, 200],
      [{ [daily]: 9_000_000 }, 200],
      [{ [total]: 8_000_000 }, 400],
      [{ [daily]: '', [total]: 8_000_000 }, 200],
    ];
    for (const [params, status] of steps) {
      const reply = await world.sandbox.call('PUT', one, { params });
      assert.equal(reply.status, status, `${JSON.stringify(params)} ${reply.text}`);
      if (status === 400) assert.deepEqual(reply.body.errors, [exceeds]);
    }
    const { data } = (await world.sandbox.call('GET', one)).body;
    assert.deepEqual([data[daily], data[total]], [null, 8_000_000]);
  });

  test('are stored for campaigns with budgets per line item', async () => {
    const place = await openAccount(world.sandbox);
    const made = await create(place, { budget_optimization: 'LINE_ITEM', [daily]: 1_000_000, [total]: 2_000_000 });
    assert.deepEqual([made.body.data[daily], made.body.data[total]], [1_000_000, 2_000_000]);
  });

  const denominations: [string, number, boolean][] = [
    ['USD', 10_000, true],
    ['USD', 9_999, false],
    ['EUR', 1_010_000, true],
    ['JPY', 1_000_000, true],
    ['JPY', 1_500_000, false],
    ['KWD', 1_000, true],
    ['KWD', 1_500, false],
  ];
  for (const [currency, amount, isWhole] of denominations) {
    test(`${amount} micros of ${currency} ${isWhole ? 'is' : 'is not'} a whole number of its smallest unit`, async () => {
      const place = await openAccount(world.sandbox);
      const instrument = await instrumentOf(place, { currency });
      const reply = await create({ ...place, instrument }, { [daily]: amount, [total]: amount });
      if (isWhole) {
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.body.data.currency, currency);
        return;
      }
      const unit = { USD: 10_000, JPY: 1_000_000, KWD: 1_000 }[currency];
      assert.equal(reply.status, 400);
      assert.deepEqual(
        reply.body.errors,
        [daily, total].map((parameter) => ({
          code: 'INVALID_DENOMINATION',
          message: `Expected a multiple of ${unit} ${currency} micros, got ${amount} for ${parameter}`,
          parameter,
        })),
      );
      const plain = await create({ ...place, instrument });
      const put = await world.sandbox.call('PUT', `${place.path}/campaigns/${plain.body.data.id}`, {
        params: { [total]: amount },
      });
      assert.deepEqual(
        put.body.errors.map((error: { code: string; parameter: string }) => [error.code, error.parameter]),
        [['INVALID_DENOMINATION', total]],
      );
    });
  }

  test('the total must not exceed the remaining credit of a credit line', async () => {
    const place = await openAccount(world.sandbox);
    for (const type of ['CREDIT_LINE', 'AGENCY_CREDIT_LINE']) {
      const instrument = await instrumentOf(place, { type, credit_limit_local_micro: 5_000_000 });
      const over = await create({ ...place, instrument }, { [total]: 6_000_000 });
      assert.equal(over.status, 403);
      assert.equal(over.body.errors[0].code, 'FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT');
      const within = await create({ ...place, instrument }, { [total]: 5_000_000 });
      assert.equal(within.status, 200, within.text);
      const one = `${place.path}/campaigns/${within.body.data.id}`;
      assert.equal((await world.sandbox.call('PUT', one, { params: { [total]: 5_010_000 } })).status, 403);
    }
    const unlimited: Params[] = [{ type: 'CREDIT_LINE' }, { type: 'CREDIT_CARD', credit_limit_local_micro: 5_000_000 }];
    for (const params of unlimited) {
      const instrument = await instrumentOf(place, params);
      assert.equal((await create({ ...place, instrument }, { [total]: 6_000_000 })).status, 200);
    }
  });

  test('the largest amount is returned exactly', async () => {
    const place = await openAccount(world.sandbox);
    const instrument = await instrumentOf(place, { currency: 'KWD' });
    const largest = 9_007_199_254_740_000;
    const made = await create({ ...place, instrument }, { [total]: largest });
    assert.equal(made.body.data[total], largest);
    assert.match(made.text, new RegExp(`"${total}":${largest}[,}]`));
  });
});

describe('the funding instrument of a campaign', () => {
  const name = 'funding_instrument_id';
  test('must exist and be able to fund, but may start in the future', async () => {
    const place = await openAccount(world.sandbox);
    const soon = new Date(world.clock.now() + 60_000).toISOString();
    const over = await instrumentOf(place, { end_time: soon });
    const deleted = await instrumentOf(place, {});
    await world.sandbox.call('DELETE', `${place.path}/funding_instruments/${deleted}`);
    world.clock.advance(60);
    const later = await instrumentOf(place, { start_time: '2030-01-01' });
    const cases: [string, number, string | undefined, string | undefined][] = [
      [over, 400, 'INVALID_FUNDING_INSTRUMENT', `Funding instrument ${over} cannot fund campaigns: EXPIRED`],
      [deleted, 400, 'INVALID_FUNDING_INSTRUMENT', `Funding instrument ${deleted} cannot fund campaigns: DELETED`],
      ['zz9', 404, 'FUNDING_INSTRUMENT_NOT_FOUND', 'Funding instrument zz9 was not found'],
      [later, 200, undefined, undefined],
      [place.instrument.toUpperCase(), 200, undefined, undefined],
    ];
    for (const [instrument, status, code, message] of cases) {
      const reply = await create({ ...place, instrument });
      assert.equal(reply.status, status, reply.text);
      if (status === 200) assert.equal(reply.body.data[name], instrument.toLowerCase());
      else assert.deepEqual(reply.body.errors, [{ code, message, parameter: name, value: instrument }]);
    }
  });

  test('cannot be changed: another one is ignored', async () => {
    const place = await openAccount(world.sandbox);
    const other = await instrumentOf(place, { currency: 'EUR' });
    const { id } = (await create(place)).body.data;
    for (const value of [other, 'zz9']) {
      const reply = await world.sandbox.call('PUT', `${place.path}/campaigns/${id}`, { params: { [name]: value } });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual([reply.body.data[name], reply.body.data.currency], [place.instrument, 'USD']);
      assert.equal(reply.body.request.params[name], value);
    }
  });
});
