import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { openWorld, type World } from '../rig/world.ts';
import { errorsOf, idOf, lineItemCalls } from './line-item-calls.ts';
import { createItem, good, itemErrors, openFixture } from './targeting-calls.ts';

const SHOW_IN_UNITED_STATES = '10001';

let world: World;
const { open, campaign, create, change, batch, call } = lineItemCalls(() => world);

describe('an item of a batch of line items has its errors', () => {
  before(async () => {
    world = await openWorld({ flags: { rate_limits: 'off' } });
  });
  after(() => world.close());

  const input: [what: string, params: Record<string, unknown>, fault: string][] = [
    ['no campaign', { campaign_id: '' }, 'MISSING_PARAMETER campaign_id'],
    ['a bid of nothing', { bid_amount_local_micro: 0 }, 'INVALID_PARAMETER bid_amount_local_micro'],
    ['a bid that is no number', { bid_amount_local_micro: 'much' }, 'INVALID_PARAMETER bid_amount_local_micro'],
    ['a place that is not for sale here', { placements: ['SPOTLIGHT'] }, 'INVALID_PLACEMENT_TYPE placements'],
    ['a campaign that there is not', { campaign_id: 'zzzz9' }, 'CAMPAIGN_NOT_FOUND campaign_id'],
    [
      'a part of a cent',
      { daily_budget_amount_local_micro: 1_000_001 },
      'INVALID_DENOMINATION daily_budget_amount_local_micro',
    ],
    ['a category that there is not', { categories: ['IAB999'] }, 'INVALID_IAB_CATEGORY categories'],
    ['a switch that is neither on nor off', { standard_delivery: 'maybe' }, 'INVALID_PARAMETER standard_delivery'],
    ['what cannot be set', { advertiser_user_id: '1' }, 'INVALID_PARAMETER advertiser_user_id'],
    ['a time that is none', { start_time: 'tomorrow' }, 'INVALID_PARAMETER start_time'],
    [
      'a cap without its days',
      { frequency_cap: 2 },
      'FEATURE_NOT_AVAILABLE frequency_cap; INCLUSIVE_PARAMETERS duration_in_days',
    ],
    ['a cap of nothing', { frequency_cap: 0, duration_in_days: 7 }, 'INVALID_PARAMETER frequency_cap'],
    [
      'more categories than there can be',
      { categories: Array.from({ length: 1001 }, (_, index) => `IAB${index}`) },
      'INVALID_PARAMETER categories',
    ],
  ];
  for (const [what, params, fault] of input) {
    test(what, async () => {
      const place = await open();
      const item = { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: ['ALL_ON_SERVICE'] };
      const of = { campaign_id: await campaign(place), ...item, ...params };
      assert.deepEqual(itemErrors(await batch(place, [{ operation_type: 'Create', params: of }])), [fault]);
    });
  }

  test('a change to a missing campaign', async () => {
    const place = await open();
    const line_item_id = idOf(await create(place, 'ENGAGEMENTS'));
    const item = { operation_type: 'Update', params: { line_item_id, campaign_id: '' } };
    assert.deepEqual(itemErrors(await batch(place, [item])), ['INVALID_PARAMETER campaign_id']);
  });

  test('and so does a single change', async () => {
    const place = await open();
    const id = idOf(await create(place, 'ENGAGEMENTS'));
    const refused = await change(place, id, { daily_budget_amount_local_micro: 1_000_001 });
    assert.deepEqual(errorsOf(refused), ['INVALID_DENOMINATION daily_budget_amount_local_micro']);
  });
});

describe('an item of a batch of criteria has its errors', () => {
  before(async () => {
    world = await openWorld({ flags: { rate_limits: 'off' } });
  });
  after(() => world.close());

  const input: [what: string, type: string, value: unknown, fault: string][] = [
    ['a control character', 'BROAD_KEYWORD', 'a\u0007', 'ILLEGAL_CHARACTERS targeting_value'],
    ['what is no text', 'BROAD_KEYWORD', { a: 1 }, 'INVALID_PARAMETER targeting_value'],
    ['nothing', 'BROAD_KEYWORD', '', 'MISSING_PARAMETER targeting_value'],
    ['a text that is too long', 'BROAD_KEYWORD', 'x'.repeat(256), 'INVALID_PARAMETER targeting_value'],
  ];
  for (const [what, type, value, fault] of input) {
    test(what, async () => {
      const place = await openFixture(world);
      const item = createItem(await place.line(), type, value as string);
      assert.deepEqual(itemErrors(await place.batch([item])), [fault]);
    });
  }

  test('more months than are distinguished', async () => {
    const place = await openFixture(world);
    const item = createItem(await place.line(), 'NETWORK_ACTIVATION_DURATION', '25', 'LT');
    assert.deepEqual(itemErrors(await place.batch([item])), ['INVALID_PARAMETER targeting_value']);
  });

  test('a show that is not broadcast in the locations of the line item', async () => {
    const place = await openFixture(world);
    const line = await place.line();
    const germany = locations().find(({ name }) => name === 'Germany')!.targeting_value;
    good(await place.add(line, 'LOCATION', germany));
    const refused = await place.batch([createItem(line, 'TV_SHOW', SHOW_IN_UNITED_STATES)]);
    assert.match(itemErrors(refused)[0]!, /^TV_SHOW_OUTSIDE_MARKET /);
  });

  test('an empty batch is refused as a whole', async () => {
    const place = await openFixture(world);
    const refused = await place.batch([]);
    assert.equal(refused.status, 400);
    assert.deepEqual(errorsOf(refused).length, 1);
  });
});

describe('activating too many', () => {
  test('campaigns', async () => {
    world = await openWorld({ flags: { rate_limits: 'off', active_campaigns_max: 1 } });
    try {
      const place = await open();
      await campaign(place);
      const paused = await campaign(place, { entity_status: 'PAUSED' });
      const refused = await call('PUT', `${place.path}/campaigns/${paused}/activate`);
      assert.match(errorsOf(refused).join(), /^TOO_MANY_CAMPAIGNS /);
      const unknown = await call('PUT', `${place.path}/campaigns/zzzz9/activate`);
      assert.deepEqual(errorsOf(unknown), ['CAMPAIGN_NOT_FOUND campaign_id']);
    } finally {
      await world.close();
    }
  });
});
