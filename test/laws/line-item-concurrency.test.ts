import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  errorsOf,
  idOf,
  type LineItemFixture,
  lineItemCalls,
  type ObjectiveName,
  type Params,
} from '../resources/line-item-calls.ts';
import type { Reply } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';

const PER_CAMPAIGN = 12;
const ACTIVE = 20;

let world: World;
const { call, open, campaign, create, change, batch } = lineItemCalls(() => world);
before(async () => {
  const limits = { active_line_items_max: ACTIVE, campaign_line_items_max: PER_CAMPAIGN };
  world = await openWorld({ flags: { rate_limits: 'off', active_campaigns_max: 8000, ...limits } });
});
after(() => world.close());

const good = (replies: readonly Reply[]) => replies.filter((reply) => reply.status === 200);
const bad = (replies: readonly Reply[]) => replies.filter((reply) => reply.status !== 200);
const atOnce = (count: number, send: (number: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, number) => send(number)));
const rows = async (
  place: LineItemFixture,
  params: Params = {},
): Promise<{ id: string; objective: string; entity_status: string }[]> =>
  (await call('GET', `${place.path}/line_items`, { count: 1000, ...params })).body.data;
const active = async (place: LineItemFixture) =>
  (await rows(place)).filter((row) => row.entity_status === 'ACTIVE').length;
const item = (campaign_id: string, entity_status = 'PAUSED') => ({
  operation_type: 'Create',
  params: {
    campaign_id,
    objective: 'REACH',
    product_type: 'PROMOTED_POSTS',
    placements: 'ALL_ON_SERVICE',
    entity_status,
  },
});

describe('under 50 writers at once', () => {
  test('a campaign never exceeds its maximum of line items', async () => {
    const place = await open();
    const campaign_id = await campaign(place);
    const replies = await atOnce(50, () => create(place, 'REACH', { campaign_id, entity_status: 'PAUSED' }));
    assert.equal(good(replies).length, PER_CAMPAIGN);
    for (const reply of bad(replies)) assert.deepEqual(errorsOf(reply), ['TOO_MANY_LINE_ITEMS campaign_id']);
    assert.equal((await rows(place)).length, PER_CAMPAIGN);
  });

  test('an account never exceeds its active line items over many campaigns', async () => {
    const place = await open();
    const ids = await Promise.all(Array.from({ length: 5 }, () => campaign(place)));
    const replies = await atOnce(50, (number) => create(place, 'REACH', { campaign_id: ids[number % 5]! }));
    assert.equal(good(replies).length, ACTIVE);
    assert.equal(await active(place), ACTIVE);
  });

  test('no line items are activated beyond the limit', async () => {
    const place = await open();
    const campaigns = await Promise.all(Array.from({ length: 5 }, () => campaign(place)));
    const made = await Promise.all(
      campaigns.map((id) =>
        batch(
          place,
          Array.from({ length: 10 }, () => item(id)),
        ),
      ),
    );
    const ids: string[] = made.flatMap((reply) => reply.body.data.map((row: { id: string }) => row.id));
    assert.equal(ids.length, 50);
    const replies = await atOnce(50, (number) =>
      number % 2
        ? change(place, ids[number]!, { entity_status: 'ACTIVE' })
        : call('PUT', `${place.path}/line_items/${ids[number]}/activate`),
    );
    assert.equal(good(replies).length, ACTIVE);
    assert.equal(await active(place), ACTIVE);
  });

  test('singles and batches compete, and each batch is stored whole or not at all', async () => {
    const place = await open();
    const campaign_id = await campaign(place);
    const [singles, batches] = await Promise.all([
      atOnce(25, () => create(place, 'REACH', { campaign_id, entity_status: 'PAUSED' })),
      atOnce(25, () => batch(place, [item(campaign_id), item(campaign_id), item(campaign_id)])),
    ]);
    const stored = good(singles).length + 3 * good(batches).length;
    assert.equal((await rows(place)).length, stored);
    assert.ok(stored <= PER_CAMPAIGN && stored > PER_CAMPAIGN - 3, `${stored} are stored`);
  });

  test('batches that swap one line item for another in a full campaign all succeed', async () => {
    const place = await open();
    const campaign_id = await campaign(place);
    const full = await batch(
      place,
      Array.from({ length: PER_CAMPAIGN }, () => item(campaign_id)),
    );
    const ids: string[] = full.body.data.map((row: { id: string }) => row.id);
    const replies = await atOnce(PER_CAMPAIGN, (number) =>
      batch(place, [item(campaign_id), { operation_type: 'Delete', params: { line_item_id: ids[number] } }]),
    );
    assert.equal(good(replies).length, PER_CAMPAIGN, bad(replies)[0]?.text);
    assert.equal((await rows(place)).length, PER_CAMPAIGN);
  });

  test('line items of one campaign have one objective', async () => {
    const place = await open();
    const campaign_id = await campaign(place);
    const objectives: ObjectiveName[] = ['REACH', 'ENGAGEMENTS', 'VIDEO_VIEWS', 'FOLLOWERS', 'WEBSITE_CLICKS'];
    const replies = await atOnce(50, (number) =>
      create(place, objectives[number % 5]!, { campaign_id, entity_status: 'PAUSED' }),
    );
    assert.ok(good(replies).length > 0);
    assert.equal(new Set((await rows(place)).map((row) => row.objective)).size, 1);
  });

  test('a campaign and its line items agree on budget optimization', async () => {
    for (let round = 0; round < 8; round++) {
      const place = await open();
      const campaign_id = await campaign(place);
      const path = `${place.path}/campaigns/${campaign_id}`;
      const [turned, ...made] = await Promise.all([
        call('PUT', path, { budget_optimization: 'LINE_ITEM' }),
        ...Array.from({ length: 5 }, () => create(place, 'REACH', { campaign_id, entity_status: 'PAUSED' })),
      ]);
      const isTheirs = (await call('GET', path)).body.data.budget_optimization === 'LINE_ITEM';
      assert.equal(isTheirs, turned.status === 200);
      for (const reply of made) {
        idOf(reply);
        assert.equal(reply.body.data.standard_delivery, isTheirs ? true : null);
      }
    }
  });

  test('an app is listed once', async () => {
    const place = await open();
    await atOnce(10, () => create(place, 'APP_INSTALLS', { entity_status: 'PAUSED' }));
    const reach = await create(place, 'REACH', { entity_status: 'PAUSED' });
    await atOnce(10, () => change(place, idOf(reach), { android_store_identifier: 'com.harbour.brew' }));
    assert.equal((await call('GET', `${place.path}/account_apps`)).body.data.length, 1);
  });
});
