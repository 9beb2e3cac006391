import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  dataOf,
  expectErrors,
  invalid,
  type Json,
  LINE_ITEM,
  missing,
  refused,
  type Values,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import { type Rule, Skipped } from '../rule.ts';
import { cellsOf } from '../sentences.ts';

const BID = 'bid_amount_local_micro';

/** Sends a line item that is refused, or not kept. */
async function tries(account: Account, values: Values) {
  const campaign_id = values.campaign_id ?? (await account.campaign()).id;
  return account.call('POST', 'line_items', { ...LINE_ITEM, ...values, campaign_id });
}

/** Checks of fields: section 9.1. */
const fieldRules: readonly Rule[] = [
  accountRule('campaigns 9.1.6', async (account) => {
    const { campaign_id, id } = await account.lineItem({ entity_status: 'DRAFT' });
    const live = dataOf(await account.call('PUT', `line_items/${id}`, { entity_status: 'PAUSED' }));
    assert.deepEqual([live.entity_status, live.campaign_id], ['PAUSED', campaign_id]);
    expectErrors(
      await account.call('PUT', `line_items/${id}`, { entity_status: 'DRAFT' }),
      400,
      refused('entity_status'),
    );
  }),
  accountRule('campaigns 9.1.8', async (account) => {
    const range = { start_time: '2100-01-02T00:00:00Z', end_time: '2100-01-01T00:00:00Z' };
    const order = refused('end_time', 'Expected end_time to be after start_time');
    expectErrors(await tries(account, range), 400, order);
    const past = refused('end_time', 'Expected end_time to be in the future');
    expectErrors(await tries(account, { end_time: '2020-01-01T00:00:00Z' }), 400, past);
  }),
  accountRule('campaigns 9.1.10', async (account) => {
    expectErrors(await tries(account, { bid_strategy: 'MAX' }), 400, missing(BID));
    assert.equal((await account.lineItem({ bid_strategy: 'AUTO', [BID]: 2_000_000 }))[BID], null);
    const zero = invalid(`Expected a value greater than 0, got 0 for ${BID}`, BID);
    expectErrors(await tries(account, { [BID]: 0 }), 400, zero);
  }),
  accountRule('campaigns 9.1.13', async (account) => {
    const daily = 'daily_budget_amount_local_micro';
    assert.equal((await account.lineItem({ [daily]: 2_000_000 }))[daily], 2_000_000);
    const values = { [daily]: 2_000_000, total_budget_amount_local_micro: 1_000_000 };
    expectErrors(await tries(account, values), 400, refused(daily));
  }),
  accountRule('campaigns 9.1.14', async (account) => {
    const total = 'total_budget_amount_local_micro';
    const campaign = await account.campaign({ [total]: 5_000_000 });
    const reply = await tries(account, { campaign_id: campaign.id, [total]: 6_000_000 });
    expectErrors(reply, 400, refused(total));
  }),
  accountRule('campaigns 9.1.15', async (account) => {
    assert.equal((await account.lineItem()).standard_delivery, null);
    const { id } = await account.campaign({ budget_optimization: 'LINE_ITEM' });
    assert.equal((await account.lineItem({ campaign_id: id })).standard_delivery, true);
  }),
  accountRule('campaigns 9.1.19', async (account) => {
    const values = { placements: 'PUBLISHER_NETWORK', categories: 'IAB1' };
    expectErrors(await tries(account, values), 400, missing('advertiser_domain'));
    const line = await account.lineItem({ ...values, advertiser_domain: 'shop.example' });
    assert.equal(line.advertiser_domain, 'shop.example');
  }),
  accountRule('campaigns 9.1.20', async (account) => {
    const values = { placements: 'PUBLISHER_NETWORK', advertiser_domain: 'shop.example' };
    const error = invalid('A minimum of 1 items must be provided for categories', 'categories');
    expectErrors(await tries(account, values), 400, error);
  }),
  accountRule('campaigns 9.1.21', async (account) => {
    const values = { objective: 'WEBSITE_CLICKS', goal: 'WEBSITE_CONVERSIONS' };
    expectErrors(await tries(account, values), 400, missing('primary_web_event_tag'));
  }),
  accountRule('campaigns 9.1.24', async (account) => {
    const users = dataOf(await account.get('promotable_users'));
    const full = users.find((each: Json) => each.promotable_user_type === 'FULL');
    assert.equal((await account.lineItem()).advertiser_user_id, full.user_id);
  }),
  accountRule('campaigns 9.1.25', async (account) => {
    const { target_cpa_local_micro, automatic_post_promotion } = await account.lineItem({ target_cpa_local_micro: 5 });
    assert.deepEqual([target_cpa_local_micro, automatic_post_promotion], [null, null]);
  }),
  accountRule('campaigns 9.1.26', async (account) => {
    assert.equal((await account.lineItem()).creative_source, 'MANUAL');
  }),
  accountRule('campaigns 9.1.27', async (account) => {
    const { id, currency } = await account.instrument();
    const line = await account.lineItem();
    assert.deepEqual([line.funding_instrument_id, line.currency], [id, currency]);
  }),
  accountRule('campaigns 9.1.29', async (account) => {
    account.onlyInSandbox();
    expectStatus(await account.call('POST', 'features', { feature_keys: 'REACH_FREQUENCY_CAP' }), 200);
    const code = 'INCLUSIVE_PARAMETERS';
    expectErrors(await tries(account, { frequency_cap: 3 }), 400, { code });
    expectErrors(await tries(account, { duration_in_days: 7 }), 400, { code });
    const { frequency_cap } = await account.lineItem({ frequency_cap: 3, duration_in_days: 7 });
    assert.equal(frequency_cap, 3);
    expectStatus(await account.call('DELETE', 'features', { feature_keys: 'REACH_FREQUENCY_CAP' }), 200);
    const refusedFeature = await tries(account, { frequency_cap: 3, duration_in_days: 7 });
    assert.equal(refusedFeature.body.errors[0].code, 'FEATURE_NOT_AVAILABLE');
  }),
  accountRule('campaigns 9.1.30', async (account) => {
    for (const objective of ['APP_INSTALLS', 'APP_ENGAGEMENTS']) {
      expectErrors(await tries(account, { objective }), 400, missing('android_store_identifier'));
    }
  }),
  accountRule('campaigns 9.1.31', async (account) => {
    const line = await account.lineItem({
      bid_type: 'MAX',
      bid_unit: 'VIEW',
      charge_by: 'ALL',
      optimization: 'DEFAULT',
    });
    for (const name of ['bid_type', 'bid_unit', 'charge_by', 'optimization', 'include_sentiment', 'tracking_tags']) {
      assert.ok(!(name in line), name);
    }
  }),
  accountRule('campaigns 9.1.32', async (account) => {
    const line = await account.lineItem();
    for (const name of ['effective_status', 'servable', 'reasons_not_servable']) assert.ok(!(name in line), name);
  }),
];

/** Checks of objectives and bidding: sections 9.2 and 9.3. */
const biddingRules: readonly Rule[] = [
  accountRule('campaigns 9.2.9', async (account) => {
    for (const objective of ['AWARENESS', 'LEAD_GENERATION', 'CUSTOM']) {
      const error = { code: 'INVALID_PARAMETER', parameter: 'objective' };
      expectErrors(await tries(account, { objective, campaign_id: 'a1' }), 400, error);
    }
  }),
  accountRule('campaigns 9.2.10', async (account) => {
    const media = { product_type: 'MEDIA' };
    expectErrors(await tries(account, media), 400, refused('product_type'));
    const preroll = { objective: 'PREROLL_VIEWS', categories: 'IAB7' };
    expectErrors(await tries(account, preroll), 400, refused('product_type'));
    expectStatus(await tries(account, { ...preroll, ...media }), 200);
  }),
  accountRule('campaigns 9.2.11', async (account) => {
    const { campaign_id, id } = await account.lineItem();
    const values = { campaign_id, objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' };
    expectErrors(await tries(account, values), 400, refused('product_type'), refused('objective'));
    await account.call('DELETE', `line_items/${id}`);
    expectStatus(await tries(account, values), 200);
  }),
  ...['1', '2', '3', '4', '5', '6', '7', '8'].map((row) =>
    accountRule(`campaigns 9.3.${row}`, async (account) => {
      const [objective, strategies, goals] = cellsOf(`campaigns 9.3.${row}`) as [string, string, string];
      const [goal] = goals.split(', ');
      const line = await account.lineItem({ ...OBJECTIVES[objective], objective });
      assert.deepEqual([line.goal, line.bid_strategy], [goal, 'AUTO']);
      const barred = ['MAX', 'TARGET'].find((each) => !strategies.includes(each));
      if (!barred) return;
      const values = { ...OBJECTIVES[objective], objective, bid_strategy: barred, [BID]: 2_000_000 };
      const reply = await tries(account, values);
      expectErrors(reply, 400, { code: 'INVALID_PARAMETER', parameter: 'bid_strategy' });
    }),
  ),
  accountRule('campaigns 9.3.10', async (account) => {
    assert.equal((await account.lineItem({ [BID]: 2_000_000 })).bid_strategy, 'MAX');
    assert.equal((await account.lineItem({ objective: 'REACH', [BID]: 2_000_000 })).bid_strategy, 'TARGET');
    assert.equal((await account.lineItem()).bid_strategy, 'AUTO');
  }),
  accountRule('campaigns 9.3.11', async (account) => {
    const { id, pay_by } = await account.lineItem({ objective: 'VIDEO_VIEWS' });
    assert.equal(pay_by, 'VIEW');
    assert.equal(dataOf(await account.call('PUT', `line_items/${id}`, { goal: 'VIEW_6S' })).pay_by, 'IMPRESSION');
  }),
  accountRule('campaigns 9.3.12', async (account) => {
    const { id } = await account.lineItem({ bid_strategy: 'MAX', [BID]: 2_000_000 });
    assert.equal(dataOf(await account.call('PUT', `line_items/${id}`, { bid_strategy: 'AUTO' }))[BID], null);
    expectErrors(await account.call('PUT', `line_items/${id}`, { bid_strategy: 'MAX' }), 400, missing(BID));
  }),
  accountRule('campaigns 9.3.13', async (account) => {
    const barred: Values[] = [
      { goal: 'FOLLOWERS' },
      { bid_strategy: 'TARGET', [BID]: 2_000_000 },
      { pay_by: 'LINK_CLICK' },
    ];
    for (const values of barred) {
      const [parameter] = Object.keys(values);
      expectErrors(await tries(account, values), 400, { code: 'INVALID_PARAMETER', parameter });
    }
  }),
];

/** What a line item of an objective needs. */
const OBJECTIVES: Readonly<Record<string, Values>> = {
  APP_ENGAGEMENTS: { android_store_identifier: 'com.conformance.app' },
  APP_INSTALLS: { android_store_identifier: 'com.conformance.app' },
  FOLLOWERS: { product_type: 'PROMOTED_ACCOUNT' },
  PREROLL_VIEWS: { product_type: 'MEDIA', categories: 'IAB7' },
};

/** Checks of placements and categories: sections 9.4 and 9.5. */
const placementRules: readonly Rule[] = [
  accountRule('campaigns 9.4.1', async (account) => {
    const all = dataOf(await account.get('/12/line_items/placements'));
    const types = all.map(({ product_type }: Json) => product_type).sort();
    assert.deepEqual(types, ['MEDIA', 'PROMOTED_ACCOUNT', 'PROMOTED_POSTS']);
    const error = { code: 'INVALID_PARAMETER', parameter: 'product_type' };
    expectErrors(await account.get('/12/line_items/placements', { product_type: 'PAPER' }), 400, error);
  }),
  ...['2', '3', '4'].map((row) =>
    accountRule(`campaigns 9.4.${row}`, async (account) => {
      const [product_type, sets] = cellsOf(`campaigns 9.4.${row}`) as [string, string];
      const [found] = dataOf(await account.get('/12/line_items/placements', { product_type }));
      assert.equal(found.placements.map((set: string[]) => `[${set.join(', ')}]`).join('; '), sets);
    }),
  ),
  accountRule('campaigns 9.4.5', async (account) => {
    const line = await account.lineItem({ placements: 'SERVICE_TIMELINE,SERVICE_PROFILE' });
    assert.deepEqual(line.placements, ['SERVICE_PROFILE', 'SERVICE_TIMELINE']);
  }),
  accountRule('campaigns 9.4.6', async (account) => {
    expectErrors(await tries(account, { placements: 'TAP_FULL' }), 400, refused('placements'));
    const error = { code: 'INVALID_PARAMETER', parameter: 'placements' };
    expectErrors(await tries(account, { placements: 'NOWHERE', campaign_id: 'a1' }), 400, error);
  }),
  accountRule('campaigns 9.4.7', async (account) => {
    for (const placements of ['SPOTLIGHT', 'TREND']) {
      const error = { code: 'INVALID_PLACEMENT_TYPE', message: `Placement ${placements} is not available` };
      expectErrors(await tries(account, { placements, campaign_id: 'a1' }), 400, error);
    }
  }),
  accountRule('campaigns 9.4.8', async (account) => {
    const reach = { objective: 'REACH' };
    expectErrors(await tries(account, { ...reach, placements: 'SERVICE_SEARCH' }), 400, refused('placements'));
    expectStatus(await tries(account, { ...reach, placements: 'SERVICE_TIMELINE' }), 200);
  }),
  accountRule('campaigns 9.5.1', async (account) => {
    const values = { ...OBJECTIVES.PREROLL_VIEWS, objective: 'PREROLL_VIEWS', categories: 'IAB8-5' };
    assert.deepEqual((await account.lineItem(values)).categories.toSorted(), ['IAB8-18', 'IAB8-5']);
  }),
  accountRule('campaigns 9.5.3', async (account) => {
    const preroll = { ...OBJECTIVES.PREROLL_VIEWS, objective: 'PREROLL_VIEWS' };
    const message = 'Categories must be those of one or two advertiser business categories';
    const many = await tries(account, { ...preroll, categories: 'IAB7,IAB2,IAB20' });
    expectErrors(many, 400, refused('categories', message));
    const unknown = await tries(account, { ...preroll, categories: 'IAB99' });
    expectErrors(unknown, 404, { code: 'INVALID_IAB_CATEGORY' });
    const none = await tries(account, { ...preroll, categories: '' });
    expectErrors(none, 400, invalid('A minimum of 1 items must be provided for categories', 'categories'));
  }),
  accountRule('campaigns 9.6.2', async (account) => {
    const { id } = await account.lineItem();
    assert.equal(dataOf(await account.call('DELETE', `line_items/${id}`)).deleted, true);
    expectErrors(await account.call('DELETE', `line_items/${id}`), 404, { code: 'LINE_ITEM_NOT_FOUND' });
  }),
  accountRule('campaigns 9.6.4', async (account) => {
    const { id } = await account.lineItem();
    assert.equal(dataOf(await account.call('PUT', `line_items/${id}/activate`)).entity_status, 'ACTIVE');
  }),
  accountRule('campaigns 9.6.5', async (account) => {
    const values = { android_store_identifier: 'com.conformance.app', ios_store_identifier: '1300000001' };
    const { id } = await account.lineItem({ objective: 'APP_INSTALLS', ...values });
    const platforms = async () => {
      const rows = dataOf(await account.get('targeting_criteria', { line_item_ids: id }));
      return rows.map((row: Json) => `${row.targeting_type} ${row.operator_type} ${row.targeting_value}`).sort();
    };
    assert.deepEqual(await platforms(), ['PLATFORM EQ 0', 'PLATFORM EQ 1']);
    expectStatus(await account.call('PUT', `line_items/${id}`, { ios_store_identifier: '' }), 200);
    assert.deepEqual(await platforms(), ['PLATFORM EQ 0', 'PLATFORM EQ 1']);
  }),
  accountRule('campaigns 9.6.6', async (account) => {
    account.onlyInSandbox();
    const { id: campaign_id } = await account.campaign();
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ operation_type: 'Create', params: { ...LINE_ITEM, campaign_id } }));
    for (const count of [40, 40, 20]) {
      const { status } = await account.batch('line_items', items(count));
      if (status !== 200) throw new Skipped('the server has a lower limit');
    }
    const message = `Campaign ${campaign_id} cannot have more than 100 line items`;
    expectErrors(await tries(account, { campaign_id }), 400, { code: 'TOO_MANY_LINE_ITEMS', message });
  }),
];

/** Checks of section 9. */
export const lineItemRules: readonly Rule[] = [...fieldRules, ...biddingRules, ...placementRules];
