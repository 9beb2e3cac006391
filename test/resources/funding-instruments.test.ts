import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
let account: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ({ path, account } = await openAccount(world.sandbox));
});
after(() => world.close());

type Params = Record<string, string | number>;

const create = (params: Params) =>
  world.sandbox.call('POST', `${path}/funding_instruments`, {
    params: { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD', ...params },
  });

describe('funding instruments', () => {
  test('an insertion order is returned as in the reference', async () => {
    const reply = await create({
      start_time: '2026-03-01T00:00:00Z',
      end_time: '2026-12-31T00:00:00Z',
      funded_amount_local_micro: 140_000_000_000,
      type: 'INSERTION_ORDER',
    });
    const { id, created_at } = reply.body.data;
    assert.match(id, /^[0-9a-z]{5}$/);
    assert.deepEqual(reply.body, {
      data: {
        start_time: '2026-03-01T00:00:00Z',
        description: '(no payment method has been set up yet)',
        credit_limit_local_micro: null,
        end_time: '2026-12-31T00:00:00Z',
        id,
        entity_status: 'ACTIVE',
        account_id: account,
        reasons_not_able_to_fund: [],
        io_header: null,
        currency: 'USD',
        funded_amount_local_micro: 140_000_000_000,
        created_at,
        type: 'INSERTION_ORDER',
        able_to_fund: true,
        updated_at: created_at,
        credit_remaining_local_micro: null,
        deleted: false,
      },
      request: {
        params: {
          start_time: '2026-03-01T00:00:00Z',
          end_time: '2026-12-31T00:00:00Z',
          account_id: account,
          currency: 'USD',
          funded_amount_local_micro: 140_000_000_000,
          type: 'INSERTION_ORDER',
        },
      },
    });
  });

  const amounts = { credit_limit_local_micro: 5_000_000, funded_amount_local_micro: 7_000_000 };
  const kinds: [string, number | null, number | null, number | null][] = [
    ['CREDIT_CARD', 5_000_000, 7_000_000, null],
    ['CREDIT_LINE', 5_000_000, 7_000_000, 5_000_000],
    ['AGENCY_CREDIT_LINE', 5_000_000, 7_000_000, 5_000_000],
    ['INSERTION_ORDER', null, 7_000_000, null],
    ['PARTNER_MANAGED', 5_000_000, 7_000_000, null],
  ];
  for (const [type, limit, funded, remaining] of kinds) {
    test(`the amounts of ${type}`, async () => {
      const end_time = '2027-01-01';
      const { data } = (await create({ type, end_time, ...amounts })).body;
      assert.deepEqual(
        [data.credit_limit_local_micro, data.funded_amount_local_micro, data.credit_remaining_local_micro],
        [limit, funded, remaining],
      );
      const bare = (await create({ type, end_time })).body.data;
      assert.deepEqual(
        [bare.credit_limit_local_micro, bare.funded_amount_local_micro, bare.credit_remaining_local_micro],
        [null, null, null],
      );
      assert.equal(bare.able_to_fund, true);
    });
  }

  test('only insertion orders require an end time', async () => {
    for (const [type] of kinds) {
      const reply = await create({ type });
      assert.equal(reply.status, type === 'INSERTION_ORDER' ? 400 : 200, type);
      if (reply.status === 400) {
        assert.deepEqual(reply.body.errors, [
          { code: 'MISSING_PARAMETER', message: '"end_time" is a required parameter', parameter: 'end_time' },
        ]);
      } else assert.equal(reply.body.data.end_time, null);
    }
  });

  test('currencies are case-insensitive', async () => {
    const { data, request } = (await create({ currency: 'jpy' })).body;
    assert.deepEqual([data.currency, request.params.currency], ['JPY', 'jpy']);
  });

  test('the end must be after the start', async () => {
    for (const end_time of ['2026-01-01', '2025-12-31T23:59:59Z', '2026-01-01T01:00:00+01:00']) {
      const reply = await create({ end_time });
      assert.equal(reply.status, 400);
      assert.deepEqual([reply.body.errors[0].code, reply.body.errors[0].parameter], ['INVALID_PARAMETER', 'end_time']);
    }
    assert.equal((await create({ end_time: '2026-01-01T00:00:01Z' })).status, 200);
  });

  test('amounts must be multiples of the smallest unit; every other one is reported', async () => {
    const reply = await create({
      currency: 'JPY',
      credit_limit_local_micro: 1_500_000,
      funded_amount_local_micro: 10_000,
    });
    assert.deepEqual(
      reply.body.errors.map((error: { code: string; parameter: string }) => `${error.code} ${error.parameter}`),
      ['INVALID_DENOMINATION credit_limit_local_micro', 'INVALID_DENOMINATION funded_amount_local_micro'],
    );
  });

  test('times are returned in UTC for any offset', async () => {
    const cases: [string, string][] = [
      ['2026-01-01', '2026-01-01T00:00:00Z'],
      ['2026-01-01T10:00:00', '2026-01-01T10:00:00Z'],
      ['2026-01-01T10:00:00+0200', '2026-01-01T08:00:00Z'],
      ['2026-01-01T10:00:00-05:30', '2026-01-01T15:30:00Z'],
      ['2026-01-01T10:00:00+02', '2026-01-01T08:00:00Z'],
      ['2026-01-01T10:00:00.987Z', '2026-01-01T10:00:00Z'],
    ];
    for (const [start_time, expected] of cases) {
      const { body } = await create({ start_time });
      assert.deepEqual([body.data.start_time, body.request.params.start_time], [expected, start_time]);
    }
  });

  test('able_to_fund and its reasons follow from state and time, in the order of the reference', async () => {
    const { id } = (await create({ start_time: '2026-04-01', end_time: '2026-05-01' })).body.data;
    const read = async () => {
      const reply = await world.sandbox.call('GET', `${path}/funding_instruments/${id}?with_deleted=true`);
      const { able_to_fund, reasons_not_able_to_fund } = reply.body.data;
      assert.equal(able_to_fund, reasons_not_able_to_fund.length === 0);
      return reasons_not_able_to_fund;
    };
    const until = (time: string) => world.clock.advance((Date.parse(time) - world.clock.now()) / 1000);
    assert.deepEqual(await read(), ['STARTS_IN_FUTURE']);
    until('2026-03-31T23:59:59Z');
    assert.deepEqual(await read(), ['STARTS_IN_FUTURE']);
    until('2026-04-01T00:00:00Z');
    assert.deepEqual(await read(), []);
    until('2026-04-30T23:59:59Z');
    assert.deepEqual(await read(), []);
    until('2026-05-01T00:00:00Z');
    assert.deepEqual(await read(), ['EXPIRED']);
    await world.service.store.write(async (tx) => {
      await tx.records.update(fundingInstruments, { account, id }, { entity_status: 'PAUSED' });
      tx.invalidate(`${fundingInstruments.name}:${id}`);
    });
    assert.deepEqual(await read(), ['PAUSED', 'EXPIRED']);
    await world.sandbox.call('DELETE', `${path}/funding_instruments/${id}`);
    assert.deepEqual(await read(), ['DELETED', 'PAUSED', 'EXPIRED']);
  });

  test('a deleted instrument keeps its status and has the reason DELETED', async () => {
    const { id } = (await create({})).body.data;
    const { data } = (await world.sandbox.call('DELETE', `${path}/funding_instruments/${id}`)).body;
    assert.deepEqual(
      [data.deleted, data.able_to_fund, data.reasons_not_able_to_fund, data.entity_status],
      [true, false, ['DELETED'], 'ACTIVE'],
    );
  });
});
