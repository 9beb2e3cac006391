import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  dataOf,
  expectErrors,
  expectItemErrors,
  idsOf,
  invalid,
  type Json,
  missing,
  refused,
  type Values,
} from '../account.ts';
import { expectStatus } from '../expect.ts';
import type { Rule } from '../rule.ts';

const UNITED_STATES = '96683cc9126741d1';
const LOS_ANGELES = '3b77caf94bfc81fe';
const KEYWORD = { targeting_type: 'BROAD_KEYWORD', targeting_value: 'espresso' } as const;

/** Adds a criterion to a line item, a new one unless told. */
async function adds(account: Account, values: Values) {
  const line_item_id = values.line_item_id ?? (await account.lineItem()).id;
  return account.call('POST', 'targeting_criteria', { ...values, line_item_id });
}

function item(line_item_id: string, targeting_type: string, targeting_value: string): Json {
  return { operation_type: 'Create', params: { line_item_id, targeting_type, targeting_value } };
}

/** Checks of criteria: sections 10.1 and 10.2. */
const criterionRules: readonly Rule[] = [
  accountRule('campaigns 10.1.5', async (account) => {
    assert.equal(dataOf(await adds(account, KEYWORD)).operator_type, 'EQ');
    assert.equal(dataOf(await adds(account, { ...KEYWORD, operator_type: 'NE' })).operator_type, 'NE');
  }),
  accountRule('campaigns 10.1.6', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    for (const [targeting_type, targeting_value, name] of [
      ['BROAD_KEYWORD', 'espresso', 'espresso'],
      ['LOCATION', UNITED_STATES, 'United States'],
      ['AGE', 'AGE_25_TO_54', 'AGE_25_TO_54'],
      ['GENDER', '2', 'Female'],
      ['PLATFORM', '1', 'Android'],
      ['WIFI_ONLY', '1', 'Wi-Fi only'],
    ] as const) {
      assert.equal(dataOf(await adds(account, { line_item_id, targeting_type, targeting_value })).name, name);
    }
  }),
  accountRule('campaigns 10.1.7', async (account) => {
    const made = dataOf(await adds(account, { targeting_type: 'LOCATION', targeting_value: UNITED_STATES }));
    assert.ok(!('localized_name' in made));
    const read = dataOf(await account.get(`targeting_criteria/${made.id}`, { lang: 'de' }));
    assert.equal(read.localized_name, 'Vereinigte Staaten');
  }),
  accountRule('campaigns 10.1.8', async (account) => {
    const { location_type } = dataOf(await adds(account, { targeting_type: 'LOCATION', targeting_value: LOS_ANGELES }));
    assert.equal(location_type, 'CITIES');
    assert.ok(!('location_type' in dataOf(await adds(account, KEYWORD))));
  }),
  accountRule('campaigns 10.1.10', async (account) => {
    const { id } = dataOf(await adds(account, KEYWORD));
    expectErrors(await account.call('PUT', `targeting_criteria/${id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('campaigns 10.2.1', async (account) => {
    expectErrors(await account.get('targeting_criteria'), 400, missing('line_item_ids'));
    const { id, line_item_id } = dataOf(await adds(account, KEYWORD));
    assert.deepEqual(idsOf(await account.get('targeting_criteria', { line_item_ids: line_item_id })), [id]);
    const other = { line_item_ids: line_item_id, targeting_criterion_ids: 'zz9' };
    assert.deepEqual(idsOf(await account.get('targeting_criteria', other)), []);
  }),
  accountRule('campaigns 10.2.3', async (account) => {
    const { id, line_item_id } = dataOf(await adds(account, KEYWORD));
    assert.equal(dataOf(await adds(account, { ...KEYWORD, line_item_id })).id, id);
  }),
  accountRule('campaigns 10.2.4', async (account) => {
    const { id } = dataOf(await adds(account, KEYWORD));
    assert.equal(dataOf(await account.call('DELETE', `targeting_criteria/${id}`)).deleted, true);
    expectErrors(await account.get(`targeting_criteria/${id}`), 404, { code: 'TARGETING_CRITERION_NOT_FOUND' });
  }),
  accountRule('campaigns 10.2.5', async (account) => {
    const params = { targeting_criterion_id: 'a1' };
    const reply = await account.batch('targeting_criteria', [{ operation_type: 'Update', params }]);
    const message = 'Expected a value in Create, Delete, got "Update" for operation_type';
    expectItemErrors(reply, [invalid(message, 'operation_type')]);
  }),
];

/** Checks of types: sections 10.3 and 10.4. */
const typeRules: readonly Rule[] = [
  accountRule('campaigns 10.3.2', async (account) => {
    const { line_item_id } = dataOf(await adds(account, { targeting_type: 'GENDER', targeting_value: '1' }));
    const second = await adds(account, { line_item_id, targeting_type: 'GENDER', targeting_value: '2' });
    expectErrors(second, 400, refused('targeting_type', 'Only one GENDER criterion is allowed per line item'));
    const other = await adds(account, { line_item_id, targeting_type: 'GENDER', targeting_value: '3' });
    expectErrors(other, 400, { code: 'INVALID_PARAMETER', parameter: 'targeting_value' });
  }),
  accountRule('campaigns 10.3.8', async (account) => {
    const values = { targeting_type: 'WIFI_ONLY', targeting_value: 'true' };
    assert.equal(dataOf(await adds(account, values)).targeting_value, '1');
  }),
  accountRule('campaigns 10.3.10', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const values = { line_item_id, targeting_type: 'NETWORK_ACTIVATION_DURATION', targeting_value: '6' };
    expectStatus(await adds(account, { ...values, operator_type: 'LT' }), 200);
    expectStatus(await adds(account, { ...values, operator_type: 'GTE' }), 200);
    const beyond = await adds(account, { ...values, operator_type: 'LT', targeting_value: '25' });
    expectErrors(
      beyond,
      400,
      invalid('Expected int between 1 and 24, got "25" for targeting_value', 'targeting_value'),
    );
  }),
  accountRule('campaigns 10.3.14', async (account) => {
    const long = await adds(account, { ...KEYWORD, targeting_value: 'x'.repeat(256) });
    const message = 'Expected a maximum length of 255, got 256 for targeting_value';
    expectErrors(long, 400, invalid(message, 'targeting_value'));
    expectStatus(await adds(account, { ...KEYWORD, targeting_value: '+☕ beans' }), 200);
  }),
  accountRule('campaigns 10.3.29', async (account) => {
    for (const targeting_type of ['TAILORED_AUDIENCE', 'BEHAVIOR', 'TV_GENRE', 'NEGATIVE_EXACT_KEYWORD', 'COLOUR']) {
      const reply = await adds(account, { line_item_id: 'a1', targeting_type, targeting_value: '1' });
      const message = `Expected a known targeting type, got "${targeting_type}" for targeting_type`;
      expectErrors(reply, 400, { code: 'UNKNOWN_CRITERIA_TYPE', message, parameter: 'targeting_type' });
    }
  }),
  accountRule('campaigns 10.3.31', async (account) => {
    const reply = await adds(account, { targeting_type: 'LOCATION', targeting_value: 'nope' });
    const message = 'Expected a value of the LOCATION look-up, got "nope" for targeting_value';
    expectErrors(reply, 400, invalid(message, 'targeting_value'));
  }),
  accountRule('campaigns 10.3.32', async (account) => {
    const gender = { targeting_type: 'GENDER', targeting_value: '1', operator_type: 'NE' };
    expectErrors(await adds(account, gender), 400, { code: 'INVALID_PARAMETER', parameter: 'operator_type' });
    const code = 'INVALID_TARGETING_TYPE';
    expectErrors(await adds(account, { targeting_type: 'APP_LIST', targeting_value: 'a1' }), 400, { code });
    expectErrors(await adds(account, { targeting_type: 'IAB_CATEGORY', targeting_value: 'IAB2' }), 400, { code });
  }),
  accountRule('campaigns 10.3.33', async (account) => {
    const reply = await adds(account, { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: 'zz9' });
    expectErrors(reply, 404, { code: 'TAILORED_AUDIENCE_NOT_FOUND', value: 'zz9' });
  }),
  accountRule('campaigns 10.3.34', async (account) => {
    const reply = await adds(account, { targeting_type: 'FOLLOWERS_OF_USER', targeting_value: '77' });
    expectErrors(reply, 404, { code: 'PROMOTABLE_USER_NOT_FOUND', value: '77' });
  }),
  accountRule('campaigns 10.3.35', async (account) => {
    const { line_item_id } = dataOf(await adds(account, { targeting_type: 'AGE', targeting_value: 'AGE_13_TO_24' }));
    const second = await adds(account, { line_item_id, targeting_type: 'AGE', targeting_value: 'AGE_OVER_50' });
    expectErrors(second, 400, refused('targeting_type', 'Only one AGE criterion is allowed per line item'));
  }),
  accountRule('campaigns 10.3.36', async (account) => {
    const { line_item_id } = dataOf(await adds(account, { targeting_type: 'PLATFORM', targeting_value: '0' }));
    const device = await adds(account, { line_item_id, targeting_type: 'DEVICE', targeting_value: '1q' });
    expectErrors(device, 400, refused('targeting_value'));
  }),
  accountRule('campaigns 10.3.37', async (account) => {
    const [show] = dataOf(await account.get('/12/targeting_criteria/tv_shows', { locale: 'en-US', count: 1 }));
    const values = { targeting_type: 'TV_SHOW', targeting_value: show.targeting_value };
    expectErrors(await adds(account, values), 400, { code: 'INVALID_TV_SHOW_LOCATIONS' });
  }),
  accountRule('campaigns 10.3.39', async (account) => {
    const { id } = await account.lineItem();
    const part = [item(id, 'IAB_CATEGORY', 'IAB3')];
    const message = 'All IAB categories of content category sn must be targeted together';
    expectItemErrors(await account.batch('targeting_criteria', part), [refused('targeting_value', message)]);
    const whole = ['IAB3', 'IAB13', 'IAB21'].map((category) => item(id, 'IAB_CATEGORY', category));
    expectStatus(await account.batch('targeting_criteria', whole), 200);
  }),
  accountRule('campaigns 10.4.1', async (account) => {
    const reply = await adds(account, { targeting_type: 'AGE', targeting_value: 'AGE_18_TO_24' });
    expectErrors(reply, 400, { code: 'INVALID_PARAMETER', parameter: 'targeting_value' });
  }),
];

/** Checks of other children of line items: section 12. */
const childRules: readonly Rule[] = [
  accountRule('campaigns 12.2.1', async (account) => {
    const { id: line_item_id } = await account.lineItem({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' });
    const { advertiser_user_id: user_id } = dataOf(await account.get(`line_items/${line_item_id}`));
    const made = await account.create('promoted_accounts', { line_item_id, user_id });
    assert.deepEqual(idsOf(await account.get('promoted_accounts', { line_item_ids: line_item_id })), [made.id]);
    expectErrors(await account.call('PUT', `promoted_accounts/${made.id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
    const again = dataOf(await account.call('POST', 'promoted_accounts', { line_item_id, user_id }));
    assert.equal(again.id, made.id);
    assert.equal(dataOf(await account.call('DELETE', `promoted_accounts/${made.id}`)).deleted, true);
  }),
  accountRule('campaigns 12.2.3', async (account) => {
    const { id } = await account.lineItem();
    const reply = await account.get('promoted_accounts', { line_item_ids: id });
    expectErrors(reply, 400, { code: 'INCOMPATIBLE_LINE_ITEM' });
  }),
  accountRule('campaigns 12.5.1', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const values = { line_item_id, tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url: 'https://tag.example/a' };
    const { id } = await account.create('tracking_tags', values);
    const tracking_tag_url = 'https://tag.example/b';
    const changed = dataOf(await account.call('PUT', `tracking_tags/${id}`, { tracking_tag_url }));
    assert.equal(changed.tracking_tag_url, tracking_tag_url);
    assert.deepEqual(idsOf(await account.get('tracking_tags', { line_item_ids: line_item_id })), [id]);
  }),
  accountRule('campaigns 12.5.3', async (account) => {
    const values = { line_item_id: 'a1', tracking_tag_type: 'CLICK_TRACKER', tracking_tag_url: 'http://tag.example' };
    const message = 'Expected an absolute https URL, got "http://tag.example" for tracking_tag_url';
    expectErrors(await account.call('POST', 'tracking_tags', values), 400, invalid(message, 'tracking_tag_url'));
  }),
  accountRule('campaigns 12.7.1', async (account) => {
    const { status, body } = await account.get('line_item_apps');
    if (status !== 200) assert.deepEqual([status, body.errors[0].code], [404, 'ROUTE_NOT_FOUND']);
  }),
  accountRule('campaigns 12.8.3', async (account) => {
    const types = dataOf(await account.get('promotable_users')).map((row: Json) => row.promotable_user_type);
    assert.equal(types.filter((type: string) => type === 'FULL').length, 1);
  }),
];

/** Checks of sections 10 and 12. */
export const targetingRules: readonly Rule[] = [...criterionRules, ...typeRules, ...childRules];
