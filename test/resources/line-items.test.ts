import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import {
  errorsOf,
  idOf,
  type LineItemFixture,
  lineItemCalls,
  type ObjectiveName,
  type Params,
  subset,
} from './line-item-calls.ts';

let world: World;
let place: LineItemFixture;
const { call, open, campaign, create, change, batch } = lineItemCalls(() => world);
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', active_campaigns_max: 8000, active_line_items_max: 8000 },
  });
  place = await open();
});
after(() => world.close());

describe('a line item', () => {
  test('has every field of the reference, with its defaults', async () => {
    const campaign_id = await campaign(place, { budget_optimization: 'LINE_ITEM' });
    const now = new Date(world.clock.now()).toISOString().replace('.000', '');
    const params = {
      campaign_id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_SERVICE',
      bid_amount_local_micro: 3_210_000,
      daily_budget_amount_local_micro: 1_000_000,
      start_time: '2026-03-15',
      entity_status: 'PAUSED',
    };
    const made = await call('POST', `${place.path}/line_items`, params);
    assert.deepEqual(made.body.request.params, {
      ...params,
      placements: ['ALL_ON_SERVICE'],
      account_id: place.account,
    });
    assert.deepEqual(made.body.data, {
      id: idOf(made),
      campaign_id,
      name: null,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: ['ALL_ON_SERVICE'],
      entity_status: 'PAUSED',
      start_time: '2026-03-15T00:00:00Z',
      end_time: null,
      bid_strategy: 'MAX',
      bid_amount_local_micro: 3_210_000,
      goal: 'ENGAGEMENT',
      pay_by: 'ENGAGEMENT',
      daily_budget_amount_local_micro: 1_000_000,
      total_budget_amount_local_micro: null,
      standard_delivery: true,
      frequency_cap: null,
      duration_in_days: null,
      audience_expansion: null,
      advertiser_domain: null,
      categories: [],
      primary_web_event_tag: null,
      android_store_identifier: null,
      ios_store_identifier: null,
      advertiser_user_id: world.keys.user_id,
      target_cpa_local_micro: null,
      creative_source: 'MANUAL',
      automatic_post_promotion: null,
      funding_instrument_id: place.instrument,
      currency: 'USD',
      created_at: now,
      updated_at: now,
      deleted: false,
    });
    assert.equal(made.body.data.id.length, 5);
    assert.deepEqual((await call('GET', `${place.path}/line_items/${idOf(made)}`)).body.data, made.body.data);
  });

  test('ignores parameters of earlier versions', async () => {
    const legacy = { bid_type: 'x', bid_unit: 'x', charge_by: 'x', optimization: 'x', lookalike_expansion: 'x' };
    const more = { automatically_select_bid: 'x', include_sentiment: 'x', tracking_tags: 'x', creative_source: 'x' };
    const made = await create(place, 'ENGAGEMENTS', { ...legacy, ...more });
    idOf(made);
    for (const name of Object.keys({ ...legacy, ...more })) assert.ok(!(name in made.body.request.params), name);
    for (const name of Object.keys(legacy)) assert.ok(!(name in made.body.data), name);
  });

  test('ignores changes of create-only fields', async () => {
    const made = (await create(place, 'ENGAGEMENTS')).body.data;
    const other = await campaign(place);
    const changed = await change(place, made.id, {
      campaign_id: other,
      objective: 'FOLLOWERS',
      product_type: 'MEDIA',
      placements: 'SERVICE_TIMELINE',
    });
    assert.deepEqual(changed.body.data, made);
  });

  test('leaves the draft state for good', async () => {
    const id = idOf(await create(place, 'ENGAGEMENTS', { entity_status: 'DRAFT' }));
    const listed = async (params: Params) =>
      (await call('GET', `${place.path}/line_items`, { line_item_ids: id, ...params })).body.data.length;
    assert.deepEqual([await listed({}), await listed({ with_draft: true })], [0, 1]);
    assert.equal((await call('GET', `${place.path}/line_items/${id}`)).status, 200);
    assert.equal((await change(place, id, { entity_status: 'DRAFT' })).status, 200);
    assert.equal((await change(place, id, { entity_status: 'PAUSED' })).body.data.entity_status, 'PAUSED');
    assert.deepEqual(errorsOf(await change(place, id, { entity_status: 'DRAFT' })), ['INVALID entity_status']);
  });

  for (const what of ['campaigns', 'line_items']) {
    test(`${what} are activated by a call of their own`, async () => {
      const campaign_id = await campaign(place, { entity_status: 'DRAFT' });
      const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id, entity_status: 'PAUSED' }));
      const path = `${place.path}/${what}/${what === 'campaigns' ? campaign_id : id}`;
      const reply = await call('PUT', `${path}/activate`);
      assert.equal(reply.body.data.entity_status, 'ACTIVE', reply.text);
      assert.deepEqual(reply.body.data, (await call('GET', path)).body.data);
      assert.equal((await call('PUT', `${path}/activate`)).status, 200, 'a second time too');
    });
  }

  test('is found by campaign, funding instrument and name prefix', async () => {
    const campaign_id = await campaign(place);
    const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id, name: 'Espresso Bar' }));
    idOf(await create(place, 'ENGAGEMENTS', { campaign_id }));
    const found = async (params: Params) =>
      (await call('GET', `${place.path}/line_items`, params)).body.data.map((row: { id: string }) => row.id);
    assert.equal((await found({ campaign_ids: campaign_id })).length, 2);
    assert.deepEqual(await found({ campaign_ids: campaign_id, q: 'espresso' }), [id]);
    assert.ok((await found({ funding_instrument_ids: place.instrument })).includes(id));
    assert.deepEqual(await found({ funding_instrument_ids: 'zz9' }), []);
    await change(place, id, { name: '' });
    assert.deepEqual(await found({ campaign_ids: campaign_id, q: 'espresso' }), []);
  });

  test('is hidden with its campaign, unchanged', async () => {
    const campaign_id = await campaign(place);
    const id = idOf(await create(place, 'APP_INSTALLS', { campaign_id }));
    const path = `${place.path}/line_items`;
    const criteria = `${place.path}/targeting_criteria`;
    assert.equal((await call('DELETE', `${place.path}/campaigns/${campaign_id}`)).status, 200);
    for (const [method, rest] of [
      ['GET', ''],
      ['PUT', ''],
      ['PUT', '/activate'],
      ['DELETE', ''],
    ] as const) {
      assert.deepEqual(errorsOf(await call(method, `${path}/${id}${rest}`)), ['LINE_ITEM_NOT_FOUND line_item_id']);
    }
    assert.deepEqual((await call('GET', path, { line_item_ids: id })).body.data, []);
    const shown = (await call('GET', path, { line_item_ids: id, with_deleted: true })).body.data;
    assert.deepEqual([shown.length, shown[0].deleted], [1, false]);
    assert.equal((await call('GET', `${path}/${id}`, { with_deleted: true })).status, 200);
    const below = await call('GET', criteria, { line_item_ids: id, with_deleted: true });
    assert.deepEqual([below.body.data.length, below.body.data[0].deleted], [1, false]);
    assert.deepEqual((await call('GET', criteria, { line_item_ids: id })).body.data, []);
    assert.deepEqual(errorsOf(await create(place, 'APP_INSTALLS', { campaign_id })), [
      'CAMPAIGN_NOT_FOUND campaign_id',
    ]);
  });

  test('has a history', async () => {
    const id = idOf(await create(place, 'ENGAGEMENTS', { name: 'a' }));
    await change(place, id, { name: 'b', bid_amount_local_micro: 1_000_000, bid_strategy: 'MAX' });
    await call('DELETE', `${place.path}/line_items/${id}`);
    const history = await call('GET', `${place.path}/account_history`, { entity_type: 'LINE_ITEM', entity_id: id });
    assert.deepEqual(
      history.body.data.map((each: { change_type: string; changes: unknown }) => [each.change_type, each.changes]),
      [
        ['DELETE', {}],
        [
          'UPDATE',
          {
            name: { old: 'a', new: 'b' },
            bid_strategy: { old: 'AUTO', new: 'MAX' },
            bid_amount_local_micro: { old: null, new: 1_000_000 },
          },
        ],
        ['CREATE', {}],
      ],
    );
  });
});

describe('line items of one campaign', () => {
  test('have the same objective and product type; both differences are reported', async () => {
    const campaign_id = await campaign(place);
    const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id }));
    const other = await create(place, 'FOLLOWERS', { campaign_id });
    assert.equal(other.status, 400);
    assert.deepEqual(other.body.errors, [
      {
        code: 'INVALID',
        message: `Line items with different product types are not allowed under the same campaign (campaign_id=${campaign_id})`,
        attribute: 'product_type',
      },
      {
        code: 'INVALID',
        message: `Line items with different objectives are not allowed under the same campaign (campaign_id=${campaign_id})`,
        attribute: 'objective',
      },
    ]);
    assert.deepEqual(errorsOf(await create(place, 'REACH', { campaign_id })), ['INVALID objective']);
    await call('DELETE', `${place.path}/line_items/${id}`);
    idOf(await create(place, 'FOLLOWERS', { campaign_id }));
  });

  test('are also compared within a batch', async () => {
    const campaign_id = await campaign(place);
    const item = (objective: ObjectiveName) => ({
      operation_type: 'Create',
      params: { campaign_id, objective, product_type: 'PROMOTED_POSTS', placements: ['ALL_ON_SERVICE'] },
    });
    const reply = await batch(place, [item('REACH'), item('ENGAGEMENTS'), item('REACH')]);
    assert.equal(reply.status, 400);
    const codes = reply.body.operation_errors.map((errors: { attribute: string }[]) => errors.map((e) => e.attribute));
    assert.deepEqual(codes, [[], ['objective'], []]);
  });

  test('prevent changing the budget optimization of the campaign', async () => {
    const campaign_id = await campaign(place);
    const path = `${place.path}/campaigns/${campaign_id}`;
    const id = idOf(await create(place, 'ENGAGEMENTS', { campaign_id }));
    const refused = await call('PUT', path, { budget_optimization: 'LINE_ITEM' });
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID',
        message: 'Budget optimization cannot change while the campaign has line items',
        attribute: 'budget_optimization',
      },
    ]);
    assert.equal((await call('PUT', path, { budget_optimization: 'CAMPAIGN' })).status, 200, 'as it is');
    await call('DELETE', `${place.path}/line_items/${id}`);
    assert.equal((await call('PUT', path, { budget_optimization: 'LINE_ITEM' })).status, 200);
  });
});

/** Applications that a line item names. @source campaigns 5.3 and 9.6 */
describe('naming an app', () => {
  const apps = async (at: LineItemFixture) =>
    (await call('GET', `${at.path}/account_apps`)).body.data.map(
      (app: { os_type: string; store_identifier: string }) => `${app.os_type} ${app.store_identifier}`,
    );
  const platforms = async (at: LineItemFixture, id: string) =>
    (await call('GET', `${at.path}/targeting_criteria`, { line_item_ids: id })).body.data.map(
      (each: { targeting_type: string; operator_type: string; targeting_value: string }) =>
        `${each.targeting_type} ${each.operator_type} ${each.targeting_value}`,
    );

  test('adds it to the account once, and targets its platform', async () => {
    const at = await open();
    const id = idOf(await create(at, 'APP_INSTALLS'));
    const listed = await call('GET', `${at.path}/account_apps`);
    const [app] = listed.body.data;
    assert.deepEqual(subset(app, { store_identifier: 0, os_type: 0, conversion_tracking_enabled: 0, deleted: 0 }), {
      store_identifier: 'com.harbour.brew',
      os_type: 'Android',
      conversion_tracking_enabled: false,
      deleted: false,
    });
    assert.deepEqual([app.deep_link_pattern, app.id.length, listed.body.next_cursor], [null, 2, null]);
    assert.deepEqual(await platforms(at, id), ['PLATFORM EQ 1']);
    const [criterion] = (await call('GET', `${at.path}/targeting_criteria`, { line_item_ids: id })).body.data;
    const asked = { entity_type: 'TARGETING_CRITERIA', entity_id: criterion.id };
    const [change, ...more] = (await call('GET', `${at.path}/account_history`, asked)).body.data;
    assert.deepEqual([change.change_type, change.change_by.user_id, more], ['CREATE', world.keys.user_id, []]);
    idOf(await create(at, 'APP_ENGAGEMENTS', { ios_store_identifier: 333903271 }));
    assert.deepEqual(await apps(at), ['iOS 333903271', 'Android com.harbour.brew']);
  });

  test('also on update, unless present; clearing the app removes nothing', async () => {
    const at = await open();
    const id = idOf(await create(at, 'ENGAGEMENTS'));
    assert.deepEqual(await platforms(at, id), []);
    const set = await change(at, id, { ios_store_identifier: '42' });
    assert.strictEqual(set.body.data.ios_store_identifier, '42');
    assert.deepEqual(await platforms(at, id), ['PLATFORM EQ 0']);
    await change(at, id, { ios_store_identifier: '43' });
    assert.deepEqual(await platforms(at, id), ['PLATFORM EQ 0']);
    await change(at, id, { ios_store_identifier: '' });
    assert.deepEqual(await platforms(at, id), ['PLATFORM EQ 0']);
    assert.deepEqual((await apps(at)).sort(), ['iOS 42', 'iOS 43']);
  });

  test('in a batch', async () => {
    const at = await open();
    const campaign_id = await campaign(at);
    const params = {
      campaign_id,
      objective: 'APP_INSTALLS',
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_SERVICE',
    };
    const item = (more: Params) => ({ operation_type: 'Create', params: { ...params, ...more } });
    const reply = await batch(at, [
      item({ android_store_identifier: 'a.b', ios_store_identifier: '1' }),
      item({ android_store_identifier: 'a.b' }),
    ]);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual((await apps(at)).sort(), ['Android a.b', 'iOS 1']);
    assert.deepEqual((await platforms(at, reply.body.data[0].id)).sort(), ['PLATFORM EQ 0', 'PLATFORM EQ 1']);
    assert.deepEqual(await platforms(at, reply.body.data[1].id), ['PLATFORM EQ 1']);
  });
});
