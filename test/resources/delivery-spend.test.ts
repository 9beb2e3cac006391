// On either database: what is spent is added up by the ledger, whose tests run on both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addToLedger } from '../../src/features/delivery/ledger-writer.ts';
import { openWorld, type World } from '../rig/world.ts';
import { idOf, type LineItemFixture, lineItemCalls, type Params } from './line-item-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { call, open, campaign, create } = lineItemCalls(() => world);

interface Booked {
  readonly campaign: string;
  readonly line: string;
  readonly instrument: string;
}

async function book(place: LineItemFixture, asked: { instrument?: Params; campaign?: Params; line?: Params } = {}) {
  const paying = asked.instrument
    ? idOf(await call('POST', `${place.path}/funding_instruments`, { ...INSTRUMENT, ...asked.instrument }))
    : place.instrument;
  const id = await campaign(place, { ...BUDGET, ...asked.campaign, funding_instrument_id: paying });
  const line = idOf(await create(place, 'FOLLOWERS', { campaign_id: id, ...asked.line }));
  await call('POST', `${place.path}/promoted_accounts`, { line_item_id: line, user_id: world.keys.user_id! });
  return { campaign: id, line, instrument: paying } satisfies Booked;
}

const BUDGET = { daily_budget_amount_local_micro: 1_000_000 };
const INSTRUMENT = { currency: 'USD', start_time: '2026-01-01' };
const UNITS = 1_000_000;

/** Spends in the first hour of a day of delivery. */
async function spend(place: LineItemFixture, { campaign, line, instrument }: Booked, units: number): Promise<void> {
  const hours = (number: number) => [number, ...Array<number>(23).fill(0)];
  const delivered = {
    line_item: { id: line, campaign_id: campaign, funding_instrument_id: instrument },
    ...{ creative_id: 'creative', placement: 'ALL_ON_SERVICE', day: '2026-03-02', hours: 24 },
    ...{ from: '2026-03-02T00:00:00Z', until: '2026-03-02T01:00:00Z' },
    added: new Map([
      ['impressions', hours(1000)],
      ['billed_engagements', hours(units)],
      ['billed_charge_local_micro', hours(units * UNITS)],
    ] as const),
  };
  const account = { id: place.account, timezone: 'UTC' };
  await world.service.store.write((tx) => addToLedger(tx, account, [delivered], '2026-03-02T01:00:00Z'));
}

async function campaignOf(place: LineItemFixture, { campaign }: Booked) {
  const { body } = await call('GET', `${place.path}/campaigns/${campaign}`);
  const { effective_status, servable, reasons_not_servable } = body.data;
  return [effective_status, servable, reasons_not_servable];
}

async function instrumentOf(place: LineItemFixture, { instrument }: Booked) {
  const { body } = await call('GET', `${place.path}/funding_instruments/${instrument}`);
  const { credit_remaining_local_micro, able_to_fund, reasons_not_able_to_fund } = body.data;
  return [credit_remaining_local_micro, able_to_fund, reasons_not_able_to_fund];
}

describe('what is spent', () => {
  test('exhausts the total budget of a campaign, and a higher one lets it run again', async () => {
    const place = await open();
    const booked = await book(place, { campaign: { total_budget_amount_local_micro: 10 * UNITS } });
    await spend(place, booked, 9);
    assert.deepEqual(await campaignOf(place, booked), ['RUNNING', true, []]);
    await spend(place, booked, 1);
    assert.deepEqual(await campaignOf(place, booked), ['EXHAUSTED', false, ['BUDGET_EXHAUSTED']]);
    await call('PUT', `${place.path}/campaigns/${booked.campaign}`, { total_budget_amount_local_micro: 11 * UNITS });
    assert.deepEqual(await campaignOf(place, booked), ['RUNNING', true, []]);
  });

  test('leaves less credit on a line, until nothing is left for any of its campaigns', async () => {
    const place = await open();
    const instrument = { type: 'CREDIT_LINE', credit_limit_local_micro: 20 * UNITS };
    const booked = await book(place, { instrument });
    assert.deepEqual(await instrumentOf(place, booked), [20 * UNITS, true, []]);
    await spend(place, booked, 15);
    assert.deepEqual(await instrumentOf(place, booked), [5 * UNITS, true, []]);
    await spend(place, booked, 5);
    assert.deepEqual(await instrumentOf(place, booked), [0, false, ['BUDGET_EXHAUSTED']]);
    assert.deepEqual(await campaignOf(place, booked), ['UNKNOWN', false, ['FUNDING_PROBLEM']]);
    const params = { name: 'One more', ...BUDGET, funding_instrument_id: booked.instrument };
    const refused = await call('POST', `${place.path}/campaigns`, params);
    assert.deepEqual(
      [refused.status, refused.body.errors],
      [
        400,
        [
          {
            code: 'INVALID_FUNDING_INSTRUMENT',
            message: `Funding instrument ${booked.instrument} cannot fund campaigns: BUDGET_EXHAUSTED`,
            parameter: 'funding_instrument_id',
            value: booked.instrument,
          },
        ],
      ],
    );
  });

  test('uses up the amount of an insertion order, and the limit of a card', async () => {
    const place = await open();
    const kinds: readonly Params[] = [
      { type: 'INSERTION_ORDER', end_time: '2027-01-01', funded_amount_local_micro: 3 * UNITS },
      { type: 'CREDIT_CARD', credit_limit_local_micro: 3 * UNITS },
    ];
    for (const instrument of kinds) {
      const booked = await book(place, { instrument });
      await spend(place, booked, 2);
      assert.deepEqual(await instrumentOf(place, booked), [null, true, []]);
      await spend(place, booked, 1);
      assert.deepEqual(await instrumentOf(place, booked), [null, false, ['BUDGET_EXHAUSTED']]);
    }
  });

  test('is what a total budget must cover, on a campaign and on a line item', async () => {
    const place = await open();
    const total_budget_amount_local_micro = 10 * UNITS;
    const booked = await book(place, {
      campaign: { total_budget_amount_local_micro },
      line: { total_budget_amount_local_micro },
    });
    await spend(place, booked, 4);
    for (const path of [`campaigns/${booked.campaign}`, `line_items/${booked.line}`]) {
      const set = (units: number) =>
        call('PUT', `${place.path}/${path}`, { total_budget_amount_local_micro: units * UNITS });
      const errors = [
        {
          code: 'SPEND_EXCEEDS_BUDGET',
          message: 'The total budget of 3000000 is less than the 4000000 that have been spent',
          parameter: 'total_budget_amount_local_micro',
        },
      ];
      const refused = await set(3);
      assert.deepEqual([refused.status, refused.body.errors], [400, errors]);
      const [plural, id] = path.split('/') as [string, string];
      const params = { [`${plural.slice(0, -1)}_id`]: id, total_budget_amount_local_micro: 3 * UNITS };
      const batch = await world.sandbox.call('POST', `${place.path.replace('/12/', '/12/batch/')}/${plural}`, {
        json: [{ operation_type: 'Update', params }],
      });
      assert.deepEqual([batch.status, batch.body.operation_errors], [400, [errors]]);
      assert.equal((await set(path.startsWith('c') ? 10 : 4)).status, 200);
    }
  });

  test('does not count against the credit that a higher total needs', async () => {
    const place = await open();
    const instrument = { type: 'CREDIT_LINE', credit_limit_local_micro: 20 * UNITS };
    const booked = await book(place, { instrument, campaign: { total_budget_amount_local_micro: 12 * UNITS } });
    await spend(place, booked, 12);
    const path = `${place.path}/campaigns/${booked.campaign}`;
    assert.equal((await call('PUT', path, { total_budget_amount_local_micro: 20 * UNITS })).status, 200);
    assert.equal((await call('PUT', path, { total_budget_amount_local_micro: 21 * UNITS })).status, 403);
  });
});
