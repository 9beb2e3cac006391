import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Row } from '../../src/contract/declare/resource.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { openWorld, type World } from '../rig/world.ts';
import { campaignCalls } from './campaign-calls.ts';
import { idOf, type LineItemFixture, lineItemCalls, type Params, VALID } from './line-item-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { call, open, campaign, create, change, batch } = lineItemCalls(() => world);
const { setAccount } = campaignCalls(() => world);

/** Line items of a campaign straight into the store. */
async function fillUp(
  place: LineItemFixture,
  campaign_id: string,
  count: number,
  entity_status: string,
): Promise<string[]> {
  const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id, entity_status }));
  const { services } = world.service;
  const ids = await services.ids.take(lineItems.name, lineItems.ids.from, count - 1);
  await services.store.write(async (tx) => {
    const row = (await tx.records.get(lineItems, { account: place.account, id }, { deleted: 'shown' }))!;
    for (const other of ids) await tx.records.insert(lineItems, { ...row, id: other } as unknown as Row);
  });
  return [id, ...ids];
}

const tooMany = (campaign_id: string, max: number) => ({
  code: 'TOO_MANY_LINE_ITEMS',
  message: `Campaign ${campaign_id} cannot have more than ${max} line items`,
  parameter: 'campaign_id',
});
const tooManyActive = (account: string, max: number) => ({
  code: 'TOO_MANY_LINE_ITEMS',
  message: `Account ${account} cannot have more than ${max} active line items`,
  parameter: 'entity_status',
});

const item = (campaign_id: string, more: Params = {}) => ({
  operation_type: 'Create',
  params: { campaign_id, objective: 'ENGAGEMENTS', placements: 'ALL_ON_SERVICE', ...VALID.ENGAGEMENTS, ...more },
});
const remove = (line_item_id: string) => ({ operation_type: 'Delete', params: { line_item_id } });
const turn = (line_item_id: string, entity_status: string) => ({
  operation_type: 'Update',
  params: { line_item_id, entity_status },
});

describe('the limit of line items of a campaign', () => {
  test('is 100, counting paused but not deleted line items', async () => {
    const place = await open();
    const campaign_id = await campaign(place);
    const [first] = await fillUp(place, campaign_id, 99, 'PAUSED');
    for (const entity_status of ['DRAFT', 'ACTIVE', 'PAUSED']) {
      const made = await create(place, 'ENGAGEMENTS', { campaign_id, entity_status });
      if (entity_status === 'DRAFT') assert.equal(made.status, 200, 'the 100th');
      else assert.deepEqual([made.status, made.body.errors], [400, [tooMany(campaign_id, 100)]]);
    }
    assert.equal((await change(place, first!, { name: 'x', entity_status: 'ACTIVE' })).status, 200, 'adds none');
    await call('DELETE', `${place.path}/line_items/${first}`);
    idOf(await create(place, 'ENGAGEMENTS', { campaign_id }));
    idOf(await create(place, 'ENGAGEMENTS'));
  });

  test('applies to the net effect of a batch, per campaign', async () => {
    const place = await open();
    const [full, empty] = [await campaign(place), await campaign(place)];
    const [first, second] = await fillUp(place, full, 99, 'PAUSED');
    const over = await batch(place, [item(full), item(empty), item(full), remove(first!), item(full)]);
    assert.equal(over.status, 400);
    assert.deepEqual(over.body.operation_errors, [[], [], [], [], [tooMany(full, 100)]]);
    const fits = await batch(place, [item(full), item(empty), item(full), remove(second!)]);
    assert.equal(fits.status, 200, fits.text);
  });
});

describe('the limit of active line items of an account', () => {
  test('is 256 over all campaigns, for creating, updating and activating', async () => {
    const place = await open();
    const [one, two] = [await campaign(place), await campaign(place)];
    const third = await campaign(place);
    const [first] = await fillUp(place, one, 99, 'ACTIVE');
    await fillUp(place, two, 99, 'ACTIVE');
    await fillUp(place, third, 57, 'ACTIVE');
    idOf(await create(place, 'ENGAGEMENTS', { campaign_id: one }));
    const refused = await create(place, 'ENGAGEMENTS', { campaign_id: two });
    assert.deepEqual([refused.status, refused.body.errors], [400, [tooManyActive(place.account, 256)]]);
    const paused = idOf(await create(place, 'ENGAGEMENTS', { entity_status: 'PAUSED' }));
    for (const on of [
      await change(place, paused, { entity_status: 'ACTIVE' }),
      await call('PUT', `${place.path}/line_items/${paused}/activate`),
    ]) {
      assert.deepEqual([on.status, on.body.errors], [400, [tooManyActive(place.account, 256)]]);
    }
    const swap = await batch(place, [turn(paused, 'ACTIVE'), turn(first!, 'PAUSED')]);
    assert.equal(swap.status, 200, swap.text);
    const over = await batch(place, [item(third, { entity_status: 'PAUSED' }), item(third), turn(first!, 'ACTIVE')]);
    const fault = tooManyActive(place.account, 256);
    assert.deepEqual(over.body.operation_errors, [[], [fault], [fault]]);
    await call('DELETE', `${place.path}/campaigns/${third}`);
    idOf(await create(place, 'ENGAGEMENTS', { campaign_id: two }));
  });

  test('can be raised for an account', async () => {
    const place = await open();
    await setAccount(place.account, { limits: '{"active_line_items_max":1}' });
    idOf(await create(place, 'ENGAGEMENTS'));
    const refused = await create(place, 'ENGAGEMENTS');
    assert.deepEqual(refused.body.errors, [tooManyActive(place.account, 1)]);
  });
});
