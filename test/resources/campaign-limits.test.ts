import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Row } from '../../src/contract/declare/resource.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { type CampaignFixture, campaignCalls, type Params, requiredFields } from './campaign-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { create, setAccount } = campaignCalls(() => world);

describe('the limit of active campaigns', () => {
  const tooMany = (account: string, max: number) => ({
    code: 'TOO_MANY_CAMPAIGNS',
    message: `Account ${account} cannot have more than ${max} active campaigns`,
    parameter: 'entity_status',
  });

  /** Active campaigns straight into the store. */
  async function fillUp(place: CampaignFixture, count: number): Promise<string[]> {
    const made = await create(place, { entity_status: 'PAUSED' });
    const { services } = world.service;
    const ids = await services.ids.take(campaigns.name, campaigns.ids.from, count);
    await services.store.write(async (tx) => {
      const key = { account: place.account, id: made.body.data.id as string };
      const row = (await tx.records.get(campaigns, key, { deleted: 'shown' }))!;
      const extra = { name_folded: 'spring launch', entity_status: 'ACTIVE' };
      for (const id of ids) await tx.records.insert(campaigns, { ...row, ...extra, id } as unknown as Row);
    });
    return ids;
  }

  test('is 200, applies to creating and activating, and does not count inactive campaigns', async () => {
    const place = await openAccount(world.sandbox);
    const [first, second] = await fillUp(place, 199);
    assert.equal((await create(place)).status, 200, 'the 200th');
    const refused = await create(place);
    assert.deepEqual([refused.status, refused.body.errors], [400, [tooMany(place.account, 200)]]);
    for (const entity_status of ['PAUSED', 'DRAFT']) {
      const made = await create(place, { entity_status });
      assert.equal(made.status, 200, made.text);
      const one = `${place.path}/campaigns/${made.body.data.id}`;
      const on = await world.sandbox.call('PUT', one, { params: { entity_status: 'ACTIVE' } });
      assert.deepEqual([on.status, on.body.errors], [400, [tooMany(place.account, 200)]]);
      assert.equal((await world.sandbox.call('GET', one)).body.data.entity_status, entity_status);
    }
    const same = await world.sandbox.call('PUT', `${place.path}/campaigns/${first}`, {
      params: { entity_status: 'ACTIVE', name: 'Still active' },
    });
    assert.equal(same.status, 200, 'one that is active already adds none');
    await world.sandbox.call('PUT', `${place.path}/campaigns/${first}`, { params: { entity_status: 'PAUSED' } });
    assert.equal((await create(place)).status, 200, 'pausing one makes room');
    await world.sandbox.call('DELETE', `${place.path}/campaigns/${second}`);
    assert.equal((await create(place)).status, 200, 'deleting one makes room');
    assert.equal((await create(place)).status, 400);
    const elsewhere = await openAccount(world.sandbox);
    assert.equal((await create(elsewhere)).status, 200, 'another account has its own');
  });

  test('applies to the net effect of a batch, and reports the last items that exceed it', async () => {
    const place = await openAccount(world.sandbox);
    const [one, two] = await fillUp(place, 199);
    const batch = (json: unknown) =>
      world.sandbox.call('POST', `/12/batch/accounts/${place.account}/campaigns`, { json });
    const item = (more: Params = {}) => ({ operation_type: 'Create', params: requiredFields(place.instrument, more) });
    const pause = (id: string) => ({ operation_type: 'Update', params: { campaign_id: id, entity_status: 'PAUSED' } });
    const resume = (id: string) => ({ operation_type: 'Update', params: { campaign_id: id, entity_status: 'ACTIVE' } });
    const over = await batch([item(), item({ entity_status: 'PAUSED' }), item(), item()]);
    assert.equal(over.status, 400);
    const fault = tooMany(place.account, 200);
    assert.deepEqual(over.body.operation_errors, [[], [], [fault], [fault]]);
    const exchanged = await batch([item(), item(), pause(one!), resume(one!), pause(one!)]);
    assert.equal(exchanged.status, 200, exchanged.text);
    const swap = await batch([pause(two!), resume(one!)]);
    assert.equal(swap.status, 200, swap.text);
    const swapBack = await batch([resume(two!), pause(one!)]);
    assert.equal(swapBack.status, 200, 'the order inside a batch does not matter');
    const undone = await batch([item(), resume(one!), pause(one!)]);
    assert.deepEqual(
      undone.body.operation_errors,
      [[fault], [], []],
      'an item that a later one undoes is not to blame',
    );
    const removed = await batch([item(), { operation_type: 'Delete', params: { campaign_id: two } }]);
    assert.equal(removed.status, 200, removed.text);
    const count = await world.sandbox.call('GET', `${place.path}/campaigns`, { params: { count: 1000 } });
    const active = count.body.data.filter((row: Row) => row.entity_status === 'ACTIVE');
    assert.equal(active.length, 200);
  });

  test('can be raised for an account', async () => {
    const place = await openAccount(world.sandbox);
    await setAccount(place.account, { limits: '{"active_campaigns_max":201}' });
    await fillUp(place, 200);
    assert.equal((await create(place)).status, 200);
    const refused = await create(place);
    assert.deepEqual(refused.body.errors, [tooMany(place.account, 201)]);
  });
});
