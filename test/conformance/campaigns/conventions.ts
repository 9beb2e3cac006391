import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  CREDIT_CARD,
  dataOf,
  echoOf,
  expectErrors,
  idsOf,
  invalid,
  type Json,
  LINE_ITEM,
  missing,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import type { Rule } from '../rule.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const BEYOND_53_BITS = '9007199254740993';
const DAILY = 'daily_budget_amount_local_micro';

/** Checks of ids, times and money: sections 1.1 to 1.3. */
const valueRules: readonly Rule[] = [
  accountRule('campaigns 1.1.1', async (account) => {
    const { id } = await account.campaign();
    assert.match(id, /^[0-9a-z]+$/);
  }),
  accountRule('campaigns 1.1.3', async (account) => {
    for (const { user_id } of dataOf(await account.get('promotable_users'))) assert.match(user_id, /^\d{1,19}$/);
  }),
  accountRule('campaigns 1.1.4', async (account) => {
    const ids = [await account.campaign(), await account.campaign()].map(({ id }) => Number.parseInt(id, 36));
    assert.ok(ids[0]! < ids[1]!, `${ids}`);
  }),
  accountRule('campaigns 1.1.5', async (account) => {
    const { id } = await account.campaign();
    assert.equal(dataOf(await account.get(`campaigns/${id.toUpperCase()}`)).id, id);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: ` ${id.toUpperCase()} ` })), [id]);
  }),
  accountRule('campaigns 1.1.6', async (account) => {
    const code = 'INVALID_ID_ILLEGAL_CHARACTERS';
    expectErrors(await account.get('campaigns/a_b'), 404, { code });
    expectErrors(await account.get(`campaigns/${'a'.repeat(65)}`), 404, { code });
    const error = invalid('Expected an id, got "a_b" for campaign_ids', 'campaign_ids');
    expectErrors(await account.get('campaigns', { campaign_ids: 'a_b' }), 400, error);
  }),
  accountRule('campaigns 1.2.1', async (account) => {
    const { created_at, updated_at } = await account.campaign();
    for (const time of [created_at, updated_at]) assert.match(time, TIME);
  }),
  accountRule('campaigns 1.2.2', async (account) => {
    const line = await account.lineItem();
    for (const offset of ['+0900', '+09:00', '+09']) {
      const reply = await account.call('PUT', `line_items/${line.id}`, { start_time: `2030-01-02T03:04:05${offset}` });
      assert.equal(dataOf(reply).start_time, '2030-01-01T18:04:05Z');
      assert.equal(echoOf(reply).start_time, `2030-01-02T03:04:05${offset}`);
    }
  }),
  accountRule('campaigns 1.2.3', async (account) => {
    const line = await account.lineItem({ start_time: '2030-01-02T03:04:05.678' });
    assert.equal(line.start_time, '2030-01-02T03:04:05Z');
  }),
  accountRule('campaigns 1.2.4', async (account) => {
    const line = await account.lineItem({ start_time: '2030-01-02' });
    assert.equal(line.start_time, '2030-01-02T00:00:00Z');
  }),
  accountRule('campaigns 1.2.5', async (account) => {
    const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id: 'a1', start_time: 'soon' });
    const error = invalid('Expected time, got "soon" for start_time', 'start_time');
    expectErrors(reply, 400, { ...error, details: 'invalid date', value: 'soon' });
  }),
  accountRule('campaigns 1.2.6', async (account) => {
    const made = await account.campaign();
    assert.equal(made.created_at, made.updated_at);
    const changed = dataOf(await account.call('PUT', `campaigns/${made.id}`, { name: made.name }));
    assert.equal(changed.created_at, made.created_at);
    assert.ok(changed.updated_at >= made.updated_at);
  }),
  accountRule('campaigns 1.3.2', async (account) => {
    account.onlyInSandbox();
    const reply = await account.call('POST', 'funding_instruments', { ...CREDIT_CARD, currency: 'CHF' });
    expectErrors(reply, 400, { code: 'INVALID_PARAMETER', parameter: 'currency' });
  }),
  accountRule('campaigns 1.3.3', async (account) => {
    const { id } = await account.campaign();
    for (const raw of ['some', '1.5', BEYOND_53_BITS]) {
      const reply = await account.call('PUT', `campaigns/${id}`, { [DAILY]: raw });
      expectErrors(reply, 400, invalid(`Expected Long, got "${raw}" for ${DAILY}`, DAILY));
    }
    for (const raw of ['0', '-1000000']) {
      const reply = await account.call('PUT', `campaigns/${id}`, { [DAILY]: raw });
      expectErrors(reply, 400, invalid(`Expected a value greater than 0, got ${raw} for ${DAILY}`, DAILY));
    }
  }),
  accountRule('campaigns 1.3.4', async (account) => {
    const { currency } = await account.instrument();
    const [rule] = dataOf(await account.get('/12/bidding_rules', { currency }));
    const { id } = await account.campaign();
    const raw = rule.minimum_denomination + 1;
    const total = 'total_budget_amount_local_micro';
    const error = (name: string): Json => ({
      code: 'INVALID_DENOMINATION',
      message: `Expected a multiple of ${rule.minimum_denomination} ${currency} micros, got ${raw} for ${name}`,
    });
    const reply = await account.call('PUT', `campaigns/${id}`, { [DAILY]: raw, [total]: raw });
    expectErrors(reply, 400, error(DAILY), error(total));
  }),
];

/** Checks of parameters: section 1.4. */
const parameterRules: readonly Rule[] = [
  accountRule('campaigns 1.4.1', async (account) => {
    const { id } = await account.campaign();
    const inQuery = await account.call('PUT', `campaigns/${id}?name=Query`);
    assert.equal(dataOf(inQuery).name, 'Query');
    assert.equal(dataOf(await account.call('PUT', `campaigns/${id}`, { name: 'Form' })).name, 'Form');
  }),
  accountRule('campaigns 1.4.2', async (account) => {
    const { id } = await account.campaign();
    const both = await account.call('PUT', `campaigns/${id}?name=Query`, { name: 'Form' });
    assert.equal(dataOf(both).name, 'Form');
    const twice = await account.get('campaigns?count=1&count=2');
    expectErrors(twice, 400, invalid('Expected one value, got 2 for count', 'count'));
  }),
  accountRule('campaigns 1.4.3', async (account) => {
    for (const path of [`/12/batch/accounts/${account.id}/campaigns`, 'audience_estimate']) {
      const reply = await account.call('POST', path, {}, { body: '[]', type: 'text/plain' });
      expectErrors(reply, 400, invalid('Content-Type must be application/json'));
    }
  }),
  accountRule('campaigns 1.4.4', async (account) => {
    const { id } = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${id}`, {}, { json: { name: 'JSON' } });
    assert.equal(dataOf(reply).name, 'JSON');
  }),
  accountRule('campaigns 1.4.5', async (account) => {
    const reply = await account.get('campaigns', { campaign_ids: 'a1,,b2,a1' });
    assert.deepEqual(echoOf(reply).campaign_ids, ['a1', 'b2']);
  }),
  accountRule('campaigns 1.4.6', async (account) => {
    const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id: 'a1', placements: '' });
    expectErrors(reply, 400, invalid('A minimum of 1 items must be provided for placements', 'placements'));
  }),
  accountRule('campaigns 1.4.7', async (account) => {
    for (const [raw, read] of Object.entries({ true: true, FALSE: false, t: true, f: false, 1: true, 0: false })) {
      assert.equal(echoOf(await account.get('campaigns', { with_deleted: raw, count: 1 })).with_deleted, read);
    }
    const reply = await account.get('campaigns', { with_deleted: 'perhaps' });
    expectErrors(reply, 400, invalid('Expected boolean, got "perhaps" for with_deleted', 'with_deleted'));
  }),
  accountRule('campaigns 1.4.8', async (account) => {
    assert.equal(echoOf(await account.get('campaigns', { count: '5' })).count, 5);
    const echo = echoOf(await account.get('posts', { post_type: 'PUBLISHED', post_ids: '12,13' }));
    assert.deepEqual(echo.post_ids, ['12', '13']);
  }),
  accountRule('campaigns 1.4.9', async (account) => {
    const made = await account.campaign({ purchase_order_number: 'PO 1' });
    const cleared = dataOf(await account.call('PUT', `campaigns/${made.id}`, { purchase_order_number: '' }));
    assert.deepEqual([cleared.purchase_order_number, cleared.name], [null, made.name]);
    const json = { standard_delivery: null };
    const reset = dataOf(await account.call('PUT', `campaigns/${made.id}`, {}, { json }));
    assert.equal(reset.standard_delivery, true);
  }),
  accountRule('campaigns 1.4.10', async (account) => {
    const { id, funding_instrument_id } = await account.campaign();
    const put = await account.call('PUT', `campaigns/${id}`, { name: '' });
    expectErrors(put, 400, invalid('Expected a minimum length of 1, got 0 for name', 'name'));
    expectErrors(await account.call('POST', 'campaigns', { name: '', funding_instrument_id }), 400, missing('name'));
  }),
  accountRule('campaigns 1.4.11', async (account) => {
    const { id } = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${id}`, { colour: 'red', servable: 'true', created_at: 'x' });
    assert.deepEqual(Object.keys(echoOf(reply)).sort(), ['account_id', 'campaign_id']);
  }),
  accountRule('campaigns 1.4.12', async (account) => {
    const values = { ...LINE_ITEM, campaign_id: 'a1', advertiser_user_id: '5' };
    const error = invalid('setting advertiser_user_id is not allowed', 'advertiser_user_id');
    expectErrors(await account.call('POST', 'line_items', values), 400, error);
    const { id, advertiser_user_id } = await account.lineItem();
    expectStatus(await account.call('PUT', `line_items/${id}`, { advertiser_user_id }), 200);
  }),
  accountRule('campaigns 1.4.13', async (account) => {
    const campaign = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${campaign.id}`, { funding_instrument_id: 'zz9' });
    assert.equal(dataOf(reply).funding_instrument_id, campaign.funding_instrument_id);
    const line = await account.lineItem({ campaign_id: campaign.id });
    const fixed = { objective: 'REACH', product_type: 'MEDIA', placements: 'SERVICE_TIMELINE', campaign_id: 'zz9' };
    const kept = dataOf(await account.call('PUT', `line_items/${line.id}`, fixed));
    for (const name of Object.keys(fixed)) assert.deepEqual(kept[name], line[name], name);
  }),
];

/** Checks of the envelope: section 1.5. */
const envelopeRules: readonly Rule[] = [
  accountRule('campaigns 1.5.1', async (account) => {
    const { id } = await account.campaign();
    const expected = { account_id: account.id, campaign_id: id };
    assert.deepEqual(echoOf(await account.get(`campaigns/${id}`)), expected);
  }),
  accountRule('campaigns 1.5.2', async (account) => {
    const { id } = await account.campaign();
    const list = await account.get('campaigns', { campaign_ids: id });
    assert.deepEqual(Object.keys(list.body).sort(), ['data', 'next_cursor', 'request']);
    const counted = await account.get('campaigns', { campaign_ids: id, with_total_count: true });
    assert.equal(counted.body.total_count, 1);
    const single = await account.get(`campaigns/${id}`);
    assert.deepEqual(Object.keys(single.body).sort(), ['data', 'request']);
    assert.ok(!Array.isArray(single.body.data));
  }),
  accountRule('campaigns 1.5.3', async (account) => {
    const { body } = await account.get('campaigns', { count: 1 });
    assert.ok(!('data_type' in body));
  }),
  accountRule('campaigns 1.5.4', async (account) => {
    const campaign = await account.campaign();
    assert.equal(campaign.purchase_order_number, null);
    assert.ok(!('account_id' in campaign));
    const line = await account.lineItem({ campaign_id: campaign.id });
    assert.deepEqual([line.name, line.categories, 'account_id' in line], [null, [], false]);
    assert.equal((await account.instrument()).account_id, account.id);
  }),
  accountRule('campaigns 1.5.5', async (account) => {
    const { id } = await account.campaign();
    expectStatus(await account.get(`campaigns/${id}`), 200);
    expectStatus(await account.call('PUT', `campaigns/${id}`, { name: 'New' }), 200);
    expectStatus(await account.call('DELETE', `campaigns/${id}`), 200);
  }),
  accountRule('campaigns 1.5.6', async (account) => {
    const { headers } = await account.get('campaigns', { count: 1 });
    assert.equal(headers.get('content-type'), 'application/json;charset=utf-8');
  }),
];

/** Three campaigns, the newest first, and their ids as a filter. */
async function threeCampaigns(account: Account) {
  const rows: Json[] = [];
  for (const name of ['Autumn', 'Winter', 'Spring']) rows.unshift(await account.campaign({ name }));
  return { rows, campaign_ids: rows.map(({ id }) => id).join() };
}

/** Checks of pages: section 1.6. */
const pageRules: readonly Rule[] = [
  accountRule('campaigns 1.6.1', async (account) => {
    for (const [path, max] of Object.entries({ campaigns: 1000, line_items: 1000, cards: 200, media_library: 50 })) {
      for (const raw of [0, max + 1]) {
        const error = invalid(`Expected int between 1 and ${max}, got "${raw}" for count`, 'count');
        expectErrors(await account.get(path, { count: raw }), 400, error);
      }
      expectStatus(await account.get(path, { count: max }), 200);
    }
  }),
  accountRule('campaigns 1.6.2', async (account) => {
    const { campaign_ids } = await threeCampaigns(account);
    const full = await account.get('campaigns', { campaign_ids, count: 3 });
    assert.equal(full.body.next_cursor, null);
    const part = await account.get('campaigns', { campaign_ids, count: 2 });
    assert.equal(typeof part.body.next_cursor, 'string');
  }),
  accountRule('campaigns 1.6.3', async (account) => {
    const { rows, campaign_ids } = await threeCampaigns(account);
    const first = await account.get('campaigns', { campaign_ids, count: 1 });
    const cursor = first.body.next_cursor;
    assert.equal(cursor, encodeURIComponent(cursor));
    await account.call('DELETE', `campaigns/${rows[0].id}`);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids, count: 1, cursor })), [rows[1].id]);
  }),
  accountRule('campaigns 1.6.4', async (account) => {
    const { rows, campaign_ids } = await threeCampaigns(account);
    const first = await account.get('campaigns', { campaign_ids, count: 1 });
    const cursor = first.body.next_cursor;
    const rest = await account.get('campaigns', { campaign_ids, count: 5, cursor });
    assert.deepEqual(idsOf(rest), [rows[1].id, rows[2].id]);
    const error = (raw: string) => invalid(`Expected a cursor of this list, got "${raw}" for cursor`, 'cursor');
    expectErrors(await account.get('campaigns', { count: 1, cursor }), 400, error(cursor));
    expectErrors(await account.get('campaigns', { campaign_ids, cursor: 'nonsense' }), 400, error('nonsense'));
    expectErrors(await account.get('line_items', { cursor }), 400, error(cursor));
  }),
  accountRule('campaigns 1.6.5', async (account) => {
    const { campaign_ids } = await threeCampaigns(account);
    const first = await account.get('campaigns', { campaign_ids, count: 1 });
    const cursor = first.body.next_cursor;
    expectErrors(await account.get('campaigns', { campaign_ids, cursor, with_total_count: true }), 400, {
      code: 'EXCLUSIVE_PARAMETERS',
      message: 'with_total_count and cursor are exclusive parameters',
    });
    expectStatus(await account.get('campaigns', { campaign_ids, cursor, with_total_count: false }), 200);
  }),
  accountRule('campaigns 1.6.6', async (account) => {
    const { campaign_ids } = await threeCampaigns(account);
    const { body } = await account.get('campaigns', { campaign_ids, count: 1, with_total_count: true });
    assert.deepEqual([body.total_count, body.data.length], [3, 1]);
  }),
  accountRule('campaigns 1.6.7', async (account) => {
    const { id } = await account.campaign();
    const ids = Array.from({ length: 201 }, (_, index) => `z${index.toString(36)}`);
    const error = invalid('A maximum of 200 items may be provided for campaign_ids', 'campaign_ids');
    expectErrors(await account.get('campaigns', { campaign_ids: ids.join() }), 400, error);
    const known = [id, ...ids.slice(0, 199)].join();
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: known })), [id]);
  }),
  accountRule('campaigns 1.6.8', async (account) => {
    const { rows, campaign_ids } = await threeCampaigns(account);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids, q: 'wint' })), [rows[1].id]);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: rows[0].id, q: 'wint' })), []);
  }),
];

/** Checks of deleted and draft rows: section 1.8. */
const deletionRules: readonly Rule[] = [
  accountRule('campaigns 1.8.1', async (account) => {
    const { id } = await account.campaign();
    assert.equal(dataOf(await account.call('DELETE', `campaigns/${id}`)).deleted, true);
    const absent = { code: 'CAMPAIGN_NOT_FOUND' };
    expectErrors(await account.get(`campaigns/${id}`), 404, absent);
    assert.equal(dataOf(await account.get(`campaigns/${id}`, { with_deleted: true })).deleted, true);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: id })), []);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: id, with_deleted: true })), [id]);
    expectErrors(await account.call('PUT', `campaigns/${id}`, { name: 'New' }), 404, absent);
    expectErrors(await account.call('DELETE', `campaigns/${id}`), 404, absent);
  }),
  accountRule('campaigns 1.8.2', async (account) => {
    const line = await account.lineItem();
    await account.call('DELETE', `campaigns/${line.campaign_id}`);
    assert.deepEqual(idsOf(await account.get('line_items', { line_item_ids: line.id })), []);
    const [hidden] = dataOf(await account.get('line_items', { line_item_ids: line.id, with_deleted: true }));
    assert.deepEqual([hidden.id, hidden.deleted], [line.id, false]);
  }),
  accountRule('campaigns 1.8.3', async (account) => {
    const { id } = await account.campaign();
    await account.call('DELETE', `campaigns/${id}`);
    for (const campaign_id of [id, 'zz9']) {
      const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id });
      expectErrors(reply, 404, { code: 'CAMPAIGN_NOT_FOUND', parameter: 'campaign_id' });
    }
  }),
  accountRule('campaigns 1.8.4', async (account) => {
    const { id } = await account.campaign({ entity_status: 'DRAFT' });
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: id })), []);
    assert.deepEqual(idsOf(await account.get('campaigns', { campaign_ids: id, with_draft: true })), [id]);
    assert.equal(dataOf(await account.get(`campaigns/${id}`)).id, id);
  }),
  accountRule('campaigns 1.9.1', async (account) => {
    assert.equal((await account.campaign()).budget_optimization, 'CAMPAIGN');
    const campaign = await account.campaign({ budget_optimization: 'LINE_ITEM', standard_delivery: true });
    assert.equal(campaign.standard_delivery, null);
  }),
  accountRule('campaigns 1.9.4', async (account) => {
    const { start_time, end_time } = await account.lineItem();
    assert.deepEqual([start_time, end_time], [null, null]);
  }),
  accountRule('campaigns 1.9.8', async (account) => {
    for (const path of ['campaigns', '/12/iab_categories']) {
      assert.ok(!('total_count' in (await account.get(path, { count: 1 })).body));
    }
  }),
];

/** Checks of section 1 but for sorting. */
export const conventionRules: readonly Rule[] = [
  ...valueRules,
  ...parameterRules,
  ...envelopeRules,
  ...pageRules,
  ...deletionRules,
];
