import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Row } from '../../src/contract/declare/resource.ts';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { campaignCalls, type Params } from './campaign-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { create, instrumentOf, setAccount } = campaignCalls(() => world);

describe('campaigns', () => {
  test('can be created, read, updated and deleted, and then listed only with deleted rows', async () => {
    const { path, instrument } = await openAccount(world.sandbox);
    const now = new Date(world.clock.now()).toISOString().replace('.000', '');
    const created = await world.sandbox.call('POST', `${path}/campaigns`, {
      params: {
        name: 'Spring launch',
        daily_budget_amount_local_micro: 140_000_000,
        funding_instrument_id: instrument,
        entity_status: 'PAUSED',
      },
    });
    assert.equal(created.status, 200);
    assert.deepEqual(created.body.data, {
      id: created.body.data.id,
      name: 'Spring launch',
      budget_optimization: 'CAMPAIGN',
      reasons_not_servable: ['PAUSED_BY_ADVERTISER', 'INCOMPLETE'],
      servable: false,
      purchase_order_number: null,
      effective_status: 'UNKNOWN',
      daily_budget_amount_local_micro: 140_000_000,
      funding_instrument_id: instrument,
      duration_in_days: null,
      standard_delivery: true,
      total_budget_amount_local_micro: null,
      entity_status: 'PAUSED',
      frequency_cap: null,
      currency: 'USD',
      created_at: now,
      updated_at: now,
      deleted: false,
    });
    const one = `${path}/campaigns/${created.body.data.id}`;
    assert.deepEqual((await world.sandbox.call('GET', one)).body.data, created.body.data);
    assert.equal((await world.sandbox.call('PUT', one, { params: { name: 'Autumn' } })).body.data.name, 'Autumn');
    const deleted = (await world.sandbox.call('DELETE', one)).body.data;
    assert.deepEqual(
      [deleted.deleted, deleted.reasons_not_servable, deleted.servable, deleted.effective_status],
      [true, [], null, 'UNKNOWN'],
    );
    assert.equal((await world.sandbox.call('DELETE', one)).status, 404);
    assert.equal((await world.sandbox.call('GET', one)).status, 404);
    assert.equal((await world.sandbox.call('GET', `${one}?with_deleted=true`)).body.data.name, 'Autumn');
  });

  test('may share a name, and require only a name and a funding instrument', async () => {
    const place = await openAccount(world.sandbox);
    const [one, two] = [await create(place), await create(place)];
    assert.notEqual(one.body.data.id, two.body.data.id);
    assert.equal(one.body.data.entity_status, 'ACTIVE');
    assert.equal(one.body.data.budget_optimization, 'CAMPAIGN');
    assert.match(one.body.data.id, /^[0-9a-z]{5}$/);
  });
});

describe('servability of a campaign', () => {
  const input: {
    readonly of: string;
    readonly campaign?: Params;
    readonly account?: string;
    readonly funding?: 'deleted' | 'over' | 'not started' | 'paused';
    readonly reasons: string[];
    readonly status: string;
  }[] = [
    { of: 'an active one without line items', reasons: ['INCOMPLETE'], status: 'UNKNOWN' },
    {
      of: 'a paused one',
      campaign: { entity_status: 'PAUSED' },
      reasons: ['PAUSED_BY_ADVERTISER', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
    {
      of: 'a draft',
      campaign: { entity_status: 'DRAFT' },
      reasons: ['PAUSED_BY_ADVERTISER', 'INCOMPLETE'],
      status: 'DRAFT',
    },
    {
      of: 'one on an account under review',
      account: 'UNDER_REVIEW',
      reasons: ['ACCOUNT_UNDER_REVIEW', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
    {
      of: 'one on a rejected account, paused, its instrument deleted',
      account: 'REJECTED',
      campaign: { entity_status: 'PAUSED' },
      funding: 'deleted',
      reasons: ['ACCOUNT_REJECTED', 'PAUSED_BY_ADVERTISER', 'FUNDING_PROBLEM', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
    {
      of: 'one whose instrument is over',
      funding: 'over',
      reasons: ['FUNDING_PROBLEM', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
    {
      of: 'one whose instrument is paused',
      funding: 'paused',
      reasons: ['FUNDING_PROBLEM', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
    {
      of: 'one whose instrument has yet to start',
      funding: 'not started',
      reasons: ['FUNDING_PROBLEM', 'INCOMPLETE'],
      status: 'UNKNOWN',
    },
  ];
  for (const { of, campaign, account, funding, reasons, status } of input) {
    test(of, async () => {
      const place = await openAccount(world.sandbox);
      const later = new Date(world.clock.now() + 3_600_000).toISOString();
      const instrument = await instrumentOf(place, {
        ...(funding === 'over' ? { end_time: later } : {}),
        ...(funding === 'not started' ? { start_time: later } : {}),
      });
      const made = await create({ ...place, instrument }, campaign);
      assert.equal(made.status, 200, made.text);
      if (account) await setAccount(place.account, { approval_status: account });
      if (funding === 'deleted') await world.sandbox.call('DELETE', `${place.path}/funding_instruments/${instrument}`);
      if (funding === 'over') world.clock.advance(3600);
      if (funding === 'paused') {
        const key = { account: place.account, id: instrument };
        await world.service.store.write(async (tx) => {
          await tx.records.update(fundingInstruments, key, { entity_status: 'PAUSED' });
          tx.invalidate(`${fundingInstruments.name}:${instrument}`);
        });
      }
      const read = await world.sandbox.call('GET', `${place.path}/campaigns/${made.body.data.id}`);
      assert.deepEqual(
        [read.body.data.reasons_not_servable, read.body.data.effective_status, read.body.data.servable],
        [reasons, status, false],
      );
      assert.equal(read.body.data.currency, 'USD');
      const listed = await world.sandbox.call('GET', `${place.path}/campaigns`, { params: { with_draft: true } });
      assert.deepEqual(listed.body.data, [read.body.data]);
    });
  }
});

describe('standard_delivery is derived from budget_optimization', () => {
  const input: [string, Params, Params | undefined, boolean | null][] = [
    ['by default', {}, undefined, true],
    ['switched off', { standard_delivery: false }, undefined, false],
    ['with line items it is null', { budget_optimization: 'LINE_ITEM' }, undefined, null],
    [
      'sent with line items it is ignored',
      { budget_optimization: 'LINE_ITEM', standard_delivery: true },
      undefined,
      null,
    ],
    ['changed to line items', { standard_delivery: false }, { budget_optimization: 'LINE_ITEM' }, null],
    ['changed back', { budget_optimization: 'LINE_ITEM' }, { budget_optimization: 'CAMPAIGN' }, true],
    ['budget_optimization emptied', { budget_optimization: 'LINE_ITEM' }, { budget_optimization: '' }, true],
    ['sent alone to a line item campaign', { budget_optimization: 'LINE_ITEM' }, { standard_delivery: false }, null],
    ['emptied', { standard_delivery: false }, { standard_delivery: '' }, true],
  ];
  for (const [what, params, change, expected] of input) {
    test(what, async () => {
      const place = await openAccount(world.sandbox);
      const made = await create(place, params);
      const one = `${place.path}/campaigns/${made.body.data.id}`;
      const last = change ? await world.sandbox.call('PUT', one, { params: change }) : made;
      assert.equal(last.status, 200, last.text);
      assert.strictEqual(last.body.data.standard_delivery, expected);
      assert.strictEqual((await world.sandbox.call('GET', one)).body.data.standard_delivery, expected);
    });
  }
});

describe('drafts', () => {
  const input: [string, string, number][] = [
    ['DRAFT', 'ACTIVE', 200],
    ['DRAFT', 'PAUSED', 200],
    ['DRAFT', 'DRAFT', 200],
    ['ACTIVE', 'PAUSED', 200],
    ['PAUSED', 'ACTIVE', 200],
    ['ACTIVE', 'DRAFT', 400],
    ['PAUSED', 'DRAFT', 400],
  ];
  for (const [from, to, status] of input) {
    test(`${from} to ${to} is ${status === 200 ? 'fine' : 'refused'}`, async () => {
      const place = await openAccount(world.sandbox);
      const { id } = (await create(place, { entity_status: from })).body.data;
      const reply = await world.sandbox.call('PUT', `${place.path}/campaigns/${id}`, { params: { entity_status: to } });
      assert.equal(reply.status, status, reply.text);
      if (status === 400) {
        assert.deepEqual([reply.body.errors[0].code, reply.body.errors[0].attribute], ['INVALID', 'entity_status']);
      }
    });
  }

  test('are excluded from lists and totals, but found by id', async () => {
    const place = await openAccount(world.sandbox);
    const draft = (await create(place, { entity_status: 'DRAFT' })).body.data;
    const active = (await create(place)).body.data;
    const list = async (params: Params) =>
      (await world.sandbox.call('GET', `${place.path}/campaigns`, { params: { ...params, with_total_count: true } }))
        .body;
    const hidden = await list({});
    assert.deepEqual([hidden.total_count, hidden.data.map((row: Row) => row.id)], [1, [active.id]]);
    assert.equal((await list({ campaign_ids: draft.id })).total_count, 0);
    assert.equal((await list({ with_draft: true })).total_count, 2);
    assert.deepEqual((await world.sandbox.call('GET', `${place.path}/campaigns/${draft.id}`)).body.data, draft);
  });
});
