import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

describe('campaigns', () => {
  test('a campaign is created, read, changed, deleted, and then found only among the deleted', async () => {
    const { path, instrument } = await openAccount(world.sandbox);
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
      created_at: '2026-03-02T17:04:55Z',
      updated_at: '2026-03-02T17:04:55Z',
      deleted: false,
    });
    const one = `${path}/campaigns/${created.body.data.id}`;
    assert.deepEqual((await world.sandbox.call('GET', one)).body.data, created.body.data);
    assert.equal((await world.sandbox.call('PUT', one, { params: { name: 'Autumn' } })).body.data.name, 'Autumn');
    assert.equal((await world.sandbox.call('DELETE', one)).body.data.deleted, true);
    assert.equal((await world.sandbox.call('DELETE', one)).status, 404);
    assert.equal((await world.sandbox.call('GET', one)).status, 404);
    assert.equal((await world.sandbox.call('GET', `${one}?with_deleted=true`)).body.data.name, 'Autumn');
  });
});
