import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  CREDIT_CARD,
  dataOf,
  expectErrors,
  idsOf,
  invalid,
  type Json,
  missing,
} from '../account.ts';
import type { Rule } from '../rule.ts';

const ACCOUNT_FIELDS = [
  ...['id', 'name', 'business_name', 'business_id', 'timezone', 'timezone_switch_at', 'industry_type'],
  ...['approval_status', 'created_at', 'updated_at', 'deleted'],
];

/** Another account of a sandbox, removed after the check. */
async function anotherAccount(account: Account): Promise<Json> {
  account.onlyInSandbox();
  const reply = await account.call('POST', '/12/accounts');
  const [made] = dataOf(reply);
  account.api.finally(() => account.call('DELETE', `/12/accounts/${made.id}`));
  return { made, reply };
}

/** Checks of accounts: sections 5.1 and 5.2. */
const accountRules: readonly Rule[] = [
  accountRule('campaigns 5.1.9', async (account) => {
    const row = dataOf(await account.get(`/12/accounts/${account.id}`));
    assert.deepEqual(Object.keys(row).sort(), ACCOUNT_FIELDS.toSorted());
  }),
  accountRule('campaigns 5.2.1', async (account) => {
    const { name } = dataOf(await account.get(`/12/accounts/${account.id}`));
    const listed = await account.get('/12/accounts', { account_ids: `${account.id},zz9zz9`, q: name.toLowerCase() });
    assert.deepEqual(idsOf(listed), [account.id]);
  }),
  accountRule('campaigns 5.2.2', async (account) => {
    expectErrors(await account.get('/12/accounts/zz9zz9'), 403, { code: 'ACCOUNT_NOT_FOUND' });
  }),
  accountRule('campaigns 5.2.3', async (account) => {
    const { made, reply } = await anotherAccount(account);
    assert.equal(reply.body.next_cursor, null);
    const expected = {
      name: 'Sandbox account',
      timezone: 'America/Los_Angeles',
      timezone_switch_at: null,
      approval_status: 'ACCEPTED',
      industry_type: null,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, made[name]])), expected);
  }),
  accountRule('campaigns 5.2.4', async (account) => {
    const { made } = await anotherAccount(account);
    const access = dataOf(await account.get(`/12/accounts/${made.id}/authenticated_user_access`));
    assert.deepEqual(access, { user_id: account.api.userId, permissions: ['ACCOUNT_ADMIN', 'POST_COMPOSER'] });
    const [user] = dataOf(await account.get(`/12/accounts/${made.id}/promotable_users`));
    assert.deepEqual([user.user_id, user.promotable_user_type], [account.api.userId, 'FULL']);
  }),
  accountRule('campaigns 5.2.5', async (account) => {
    const { made } = await anotherAccount(account);
    const values = { name: 'Harbour Coffee', industry_type: 'RETAIL', timezone: 'Europe/London' };
    const changed = dataOf(await account.call('PUT', `/12/accounts/${made.id}`, values));
    assert.deepEqual(
      [changed.name, changed.industry_type, changed.timezone],
      ['Harbour Coffee', 'RETAIL', made.timezone],
    );
  }),
  accountRule('campaigns 5.2.6', async (account) => {
    const { made } = await anotherAccount(account);
    const path = `/12/accounts/${made.id}`;
    assert.equal(dataOf(await account.call('DELETE', path)).deleted, true);
    const absent = { code: 'NOT_FOUND' };
    expectErrors(await account.get(`${path}/campaigns`), 404, absent);
    expectErrors(await account.call('DELETE', path), 404, absent);
    expectErrors(await account.get(path), 404, absent);
    assert.equal(dataOf(await account.get(path, { with_deleted: true })).deleted, true);
    assert.deepEqual(idsOf(await account.get('/12/accounts', { account_ids: made.id, with_deleted: true })), [made.id]);
  }),
];

/** Checks of apps, history, roles and features: sections 5.3 to 5.6. */
const childRules: readonly Rule[] = [
  accountRule('campaigns 5.3.3', async (account) => {
    account.onlyInSandbox();
    const android_store_identifier = 'com.conformance.app';
    await account.lineItem({ objective: 'APP_INSTALLS', android_store_identifier });
    const apps = dataOf(await account.get('account_apps'));
    const app = apps.find((each: Json) => each.store_identifier === android_store_identifier);
    const { os_type, conversion_tracking_enabled, deep_link_pattern } = app;
    assert.deepEqual([os_type, conversion_tracking_enabled, deep_link_pattern], ['Android', false, null]);
  }),
  accountRule('campaigns 5.4.1', async (account) => {
    const reply = await account.get('account_history', { entity_type: 'COLOUR' });
    const error = { code: 'INVALID_PARAMETER', parameter: 'entity_type' };
    expectErrors(reply, 400, error, missing('entity_id'));
  }),
  accountRule('campaigns 5.4.6', async (account) => {
    const filter = { entity_type: 'CAMPAIGN', entity_id: 'a1' };
    const early = { start_time: '2026-01-01T00:30:00Z' };
    const fractional = invalid('Time cannot be fractional hours', 'start_time');
    expectErrors(await account.get('account_history', { ...filter, ...early }), 400, fractional);
    const range = { start_time: '2026-01-02T00:00:00Z', end_time: '2026-01-01T00:00:00Z' };
    const order = invalid('Expected end_time to be after start_time', 'end_time');
    expectErrors(await account.get('account_history', { ...filter, ...range }), 400, order);
  }),
  accountRule('campaigns 5.4.7', async (account) => {
    const { id } = await account.campaign();
    await account.call('PUT', `campaigns/${id}`, { name: 'Renamed' });
    await account.call('DELETE', `campaigns/${id}`);
    const changes = dataOf(await account.get('account_history', { entity_type: 'CAMPAIGN', entity_id: id }));
    const types = changes.map(({ change_type }: Json) => change_type);
    assert.deepEqual(types, ['DELETE', 'UPDATE', 'CREATE']);
    for (const { change_by, entity, entity_id, entity_data } of changes) {
      assert.deepEqual([change_by.user_id, entity, entity_id], [account.api.userId, 'CAMPAIGN', id]);
      assert.ok(!('id' in entity_data) && !('account_id' in entity_data));
    }
  }),
  accountRule('campaigns 5.4.9', async (account) => {
    const { id } = await account.campaign({ name: 'Before' });
    await account.call('PUT', `campaigns/${id}`, { name: 'After' });
    const [update, create] = dataOf(await account.get('account_history', { entity_type: 'CAMPAIGN', entity_id: id }));
    assert.deepEqual(update.changes, { name: { old: 'Before', new: 'After' } });
    assert.deepEqual(create.changes, {});
  }),
  accountRule('campaigns 5.4.12', async (account) => {
    const reply = await account.get('account_history', { entity_type: 'CAMPAIGN', entity_id: 'zz9' });
    assert.deepEqual(dataOf(reply), []);
  }),
  accountRule('campaigns 5.5.1', async (account) => {
    const { user_id, permissions } = dataOf(await account.get('authenticated_user_access'));
    assert.equal(user_id, account.api.userId);
    assert.match(permissions.join(' '), /^[A-Z_]+( POST_COMPOSER)?$/);
  }),
  accountRule('campaigns 5.6.1', async (account) => {
    const keys: string[] = dataOf(await account.get('features'));
    assert.deepEqual(keys, keys.toSorted());
    const one = dataOf(await account.get('features', { feature_keys: [keys[0] ?? 'CPI_CHARGING', 'DR_TAP'].join() }));
    assert.ok(one.every((key: string) => keys.includes(key)));
  }),
  accountRule('campaigns 5.6.2', async (account) => {
    account.onlyInSandbox();
    const added = dataOf(await account.call('POST', 'features', { feature_keys: 'BRAND_TPN' }));
    assert.ok(added.includes('BRAND_TPN'));
    assert.deepEqual(dataOf(await account.call('POST', 'features', { feature_keys: 'BRAND_TPN' })), added);
    const removed = dataOf(await account.call('DELETE', 'features', { feature_keys: 'BRAND_TPN' }));
    assert.deepEqual(
      removed,
      added.filter((key: string) => key !== 'BRAND_TPN'),
    );
    assert.deepEqual(dataOf(await account.call('DELETE', 'features', { feature_keys: 'BRAND_TPN' })), removed);
  }),
  accountRule('campaigns 5.6.3', async (account) => {
    const reply = await account.get('features', { feature_keys: 'COLOUR' });
    expectErrors(reply, 400, { code: 'INVALID_PARAMETER', parameter: 'feature_keys' });
  }),
  accountRule('campaigns 5.6.5', async (account) => {
    const { made } = await anotherAccount(account);
    const keys = dataOf(await account.get(`/12/accounts/${made.id}/features`));
    assert.deepEqual(keys, [
      'ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE',
      'AWARENESS_OBJECTIVE',
      'CPI_CHARGING',
      'EVENT_TARGETING',
      'INSTALLED_APP_CATEGORY_TARGETING',
      'MOBILE_CONVERSION_TRANSACTION_VALUE',
      'OPTIMIZED_ACTION_BIDDING',
      'PREROLL_VIEWS_OBJECTIVE',
      'VIDEO_APP_DOWNLOAD_CARD',
    ]);
  }),
];

/** A funding instrument of a sandbox, removed after the check. */
async function instrument(account: Account, values: object): Promise<Json> {
  account.onlyInSandbox();
  const made = dataOf(await account.call('POST', 'funding_instruments', { ...CREDIT_CARD, ...values }));
  account.api.finally(() => account.call('DELETE', `funding_instruments/${made.id}`));
  return made;
}

/** Checks of funding instruments: section 7, and what they allow campaigns. */
const instrumentRules: readonly Rule[] = [
  accountRule('campaigns 7.1.3', async (account) => {
    assert.equal((await instrument(account, {})).description, '(no payment method has been set up yet)');
  }),
  accountRule('campaigns 7.1.8', async (account) => {
    const line = await instrument(account, { type: 'CREDIT_LINE', credit_limit_local_micro: 50_000_000 });
    assert.equal(line.credit_remaining_local_micro, 50_000_000);
    const card = await instrument(account, { credit_limit_local_micro: 50_000_000 });
    assert.equal(card.credit_remaining_local_micro, null);
  }),
  accountRule('campaigns 7.1.11', async (account) => {
    const { able_to_fund, reasons_not_able_to_fund } = await account.instrument();
    assert.deepEqual([able_to_fund, reasons_not_able_to_fund], [true, []]);
  }),
  accountRule('campaigns 7.1.14', async (account) => {
    const later = await instrument(account, { start_time: '2100-01-01T00:00:00Z' });
    assert.deepEqual(later.reasons_not_able_to_fund, ['STARTS_IN_FUTURE']);
    const ended = { start_time: '2020-01-01T00:00:00Z', end_time: '2020-02-01T00:00:00Z' };
    assert.deepEqual((await instrument(account, ended)).reasons_not_able_to_fund, ['EXPIRED']);
  }),
  accountRule('campaigns 7.2.1', async (account) => {
    const { id } = await account.instrument();
    const found = await account.get('funding_instruments', { funding_instrument_ids: `${id},zz9` });
    assert.deepEqual(idsOf(found), [id]);
    assert.equal(dataOf(await account.get(`funding_instruments/${id}`)).id, id);
  }),
  accountRule('campaigns 7.2.2', async (account) => {
    account.onlyInSandbox();
    const { status, body } = await account.call('POST', 'funding_instruments');
    assert.equal(status, 400);
    const parameters = body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort();
    const required = ['currency', 'start_time', 'type'];
    assert.deepEqual(
      parameters,
      required.map((name) => `MISSING_PARAMETER ${name}`),
    );
  }),
  accountRule('campaigns 7.2.5', async (account) => {
    account.onlyInSandbox();
    const order = { ...CREDIT_CARD, type: 'INSERTION_ORDER' };
    expectErrors(await account.call('POST', 'funding_instruments', order), 400, missing('end_time'));
    const values = { type: 'INSERTION_ORDER', end_time: '2100-01-01T00:00:00Z', credit_limit_local_micro: 50_000_000 };
    assert.equal((await instrument(account, values)).credit_limit_local_micro, null);
  }),
  accountRule('campaigns 7.2.6', async (account) => {
    account.onlyInSandbox();
    const values = { ...CREDIT_CARD, end_time: CREDIT_CARD.start_time };
    const error = invalid('Expected end_time to be after start_time', 'end_time');
    expectErrors(await account.call('POST', 'funding_instruments', values), 400, error);
  }),
  accountRule('campaigns 7.2.8', async (account) => {
    const { id } = await instrument(account, {});
    const removed = dataOf(await account.call('DELETE', `funding_instruments/${id}`));
    const {
      deleted,
      able_to_fund,
      reasons_not_able_to_fund: [reason],
      entity_status,
    } = removed;
    assert.deepEqual([deleted, able_to_fund, reason, entity_status], [true, false, 'DELETED', 'ACTIVE']);
  }),
  accountRule('campaigns 7.2.9', async (account) => {
    const { id } = await account.instrument();
    expectErrors(await account.call('PUT', `funding_instruments/${id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
  accountRule('campaigns 2.3.9', async (account) => {
    const { id } = await instrument(account, {});
    await account.call('DELETE', `funding_instruments/${id}`);
    const reply = await account.call('POST', 'campaigns', { name: 'Unfunded', funding_instrument_id: id });
    const message = `Funding instrument ${id} cannot fund campaigns: DELETED`;
    expectErrors(reply, 400, { code: 'INVALID_FUNDING_INSTRUMENT', message });
  }),
  accountRule('campaigns 2.3.11', async (account) => {
    const { id } = await instrument(account, { type: 'CREDIT_LINE', credit_limit_local_micro: 50_000_000 });
    const values = { name: 'Dear', funding_instrument_id: id, total_budget_amount_local_micro: 60_000_000 };
    const code = 'FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT';
    const parameter = 'total_budget_amount_local_micro';
    expectErrors(await account.call('POST', 'campaigns', values), 403, { code, parameter });
  }),
];

/** Checks of sections 5 and 7. */
export const accountsRules: readonly Rule[] = [...accountRules, ...childRules, ...instrumentRules];
