import assert from 'node:assert/strict';
import { accountRule, expectErrors, invalid, type Json, LINE_ITEM, missing, refused } from '../account.ts';
import { expectStatus } from '../expect.ts';
import { type Rule, Skipped } from '../rule.ts';

const PROPERLY = { code: 'UNAUTHORIZED_ACCESS', message: 'This request is not properly authenticated' };

/** Checks of the shape of errors: section 2.1. */
const shapeRules: readonly Rule[] = [
  accountRule('campaigns 2.1.1', async (account) => {
    const { status, body } = await account.call('POST', 'campaigns', { entity_status: 'PAUSED' });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body).sort(), ['errors', 'request']);
    assert.deepEqual(body.request.params, { account_id: account.id, entity_status: 'PAUSED' });
  }),
  accountRule('campaigns 2.1.2', async (account) => {
    const { body } = await account.call('POST', 'campaigns');
    for (const { code, message } of body.errors) {
      assert.match(code, /^[A-Z_]+$/);
      assert.equal(typeof message, 'string');
    }
  }),
  accountRule('campaigns 2.1.3', async (account) => {
    expectErrors(await account.get('campaigns', { count: 'x' }), 400, { parameter: 'count' });
    const range = { start_time: '2026-02-02T00:00:00Z', end_time: '2026-02-01T00:00:00Z' };
    const reply = await account.get('/12/insights/keywords/search', { ...range, granularity: 'DAY', keywords: 'tea' });
    expectErrors(reply, 400, { code: 'INVALID_TIME_WINDOW', parameter: '' });
  }),
  accountRule('campaigns 2.1.4', async (account) => {
    const { id } = await account.campaign();
    const [daily, total] = [2_000_000, 1_000_000];
    const values = { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total };
    const reply = await account.call('PUT', `campaigns/${id}`, values);
    expectErrors(reply, 400, refused('daily_budget_amount_local_micro'));
    assert.ok(!('parameter' in reply.body.errors[0]));
  }),
  accountRule('campaigns 2.1.6', async (account) => {
    const { status, body } = await account.call('GET', 'campaigns', {}, { as: null });
    assert.equal(status, 401);
    assert.deepEqual(body.request.params, {});
  }),
  accountRule('campaigns 2.1.7', async (account) => {
    const values = { name: '', entity_status: 'RUN', daily_budget_amount_local_micro: 'some' };
    const reply = await account.call('POST', 'campaigns', values);
    expectStatus(reply, 400);
    const parameters = reply.body.errors.map(({ parameter }: Json) => parameter).sort();
    assert.deepEqual(parameters, [...Object.keys(values), 'funding_instrument_id'].sort());
  }),
  accountRule('campaigns 2.1.8', async (account) => {
    const first = async (method: string, path: string, options = {}) =>
      (await account.call(method, path, {}, options)).status;
    assert.equal(await first('GET', '/12/nothing', { as: null }), 404);
    assert.equal(await first('PUT', '/12/accounts', { as: null }), 405);
    assert.equal(await first('GET', '/12/accounts/zz9zz9/campaigns?count=x', { as: null }), 401);
    assert.equal(await first('GET', '/12/accounts/zz9zz9/campaigns?count=x'), 403);
    assert.equal(await first('GET', 'campaigns/zz9?with_deleted=x'), 400);
    assert.equal(await first('GET', 'campaigns/zz9'), 404);
  }),
];

/** Checks of messages: section 2.2. */
const messageRules: readonly Rule[] = [
  accountRule('campaigns 2.2.1', async (account) => {
    expectErrors(await account.call('POST', 'campaigns'), 400, missing('name'), missing('funding_instrument_id'));
  }),
  accountRule('campaigns 2.2.2', async (account) => {
    const { id } = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${id}`, { entity_status: 'run' });
    const message = 'Expected a value in ACTIVE, DRAFT, PAUSED, got "run" for entity_status';
    expectErrors(reply, 400, invalid(message, 'entity_status'));
  }),
  accountRule('campaigns 2.2.6', async (account) => {
    const { id } = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${id}`, { name: 'x'.repeat(256) });
    expectErrors(reply, 400, invalid('Expected a maximum length of 255, got 256 for name', 'name'));
  }),
  accountRule('campaigns 2.2.8', async (account) => {
    const reply = await account.get('campaigns', { with_total_count: true, cursor: 'x' });
    expectErrors(reply, 400, { code: 'EXCLUSIVE_PARAMETERS', parameter: 'with_total_count, cursor' });
  }),
  accountRule('campaigns 2.2.11', async (account) => {
    const { campaign_id } = await account.lineItem();
    const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id, objective: 'REACH' });
    const message = `Line items with different objectives are not allowed under the same campaign (campaign_id=${campaign_id})`;
    expectErrors(reply, 400, refused('objective', message));
  }),
  accountRule('campaigns 2.2.12', async (account) => {
    const { campaign_id } = await account.lineItem();
    const product_type = 'PROMOTED_ACCOUNT';
    const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id, product_type });
    const message = `Line items with different product types are not allowed under the same campaign (campaign_id=${campaign_id})`;
    expectErrors(reply, 400, refused('product_type', message));
  }),
  accountRule('campaigns 2.2.13', async (account) => {
    const { id } = await account.campaign();
    const placements = 'SERVICE_PROFILE';
    const reply = await account.call('POST', 'line_items', { ...LINE_ITEM, campaign_id: id, placements });
    const message = 'Product type PROMOTED_POSTS is not compatible with placements SERVICE_PROFILE';
    expectErrors(reply, 400, refused('placements', message));
  }),
  accountRule('campaigns 2.2.14', async (account) => {
    const { id } = await account.campaign();
    const values = { ...LINE_ITEM, campaign_id: id, advertiser_domain: 'https://shop.example' };
    const reply = await account.call('POST', 'line_items', values);
    expectErrors(reply, 400, refused('advertiser_domain', 'Invalid advertiser domain format'));
  }),
  accountRule('campaigns 2.2.15', async (account) => {
    const line_item_id = (await account.lineItem({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' })).id;
    const reply = await account.call('POST', 'promoted_accounts', { line_item_id, user_id: '1' });
    const message = "You cannot promote someone else's account";
    expectErrors(reply, 400, { code: 'INVALID_USER_ID', message, attribute: 'user_id' });
  }),
  accountRule('campaigns 2.2.16', async (account) => {
    const { id } = await account.lineItem();
    const reply = await account.call('POST', 'promoted_accounts', { line_item_id: id, user_id: account.api.userId });
    const message = `Line item ${id} is not compatible with promoted accounts`;
    expectErrors(reply, 400, { code: 'INCOMPATIBLE_LINE_ITEM', message, parameter: 'line_item_id' });
  }),
  accountRule('campaigns 2.2.20', async (account) => {
    for (const as of [null, { ...account.api.user, consumer_secret: 'wrong' }, 'OAuth nonsense']) {
      expectErrors(await account.call('GET', 'campaigns', {}, { as }), 401, PROPERLY);
    }
  }),
  accountRule('campaigns 2.2.25', async (account) => {
    const message = 'Account zz9zz9 was not found or is not accessible by the current user';
    expectErrors(await account.get('/12/accounts/zz9zz9/campaigns'), 403, {
      code: 'ACCOUNT_NOT_FOUND',
      message,
      parameter: 'account_id',
      value: 'zz9zz9',
    });
  }),
  accountRule('campaigns 2.2.26', async (account) => {
    const as = account.api.keysOf('other_');
    const access = await account.call('GET', 'authenticated_user_access', {}, { as });
    if (access.status !== 200) throw new Skipped('the other user has no role on the account');
    const role: string = access.body.data.permissions[0];
    if (role === 'ACCOUNT_ADMIN' || role === 'AD_MANAGER') throw new Skipped(`the other user is ${role}`);
    const message = `The current user is not allowed to perform this action on account ${account.id}`;
    const reply = await account.call('POST', 'campaigns', {}, { as });
    expectErrors(reply, 403, { code: 'ACTION_NOT_ALLOWED', message });
  }),
  accountRule('campaigns 2.2.27', async (account) => {
    const absent = (code: string, kind: string, parameter: string) =>
      ({ code, message: `${kind} zz9 was not found`, parameter, value: 'zz9' }) as const;
    for (const [path, error] of [
      ['campaigns/zz9', absent('CAMPAIGN_NOT_FOUND', 'Campaign', 'campaign_id')],
      ['line_items/zz9', absent('LINE_ITEM_NOT_FOUND', 'Line item', 'line_item_id')],
      ['scheduled_posts/9', { code: 'NOT_FOUND', parameter: 'scheduled_post_id', value: '9' }],
    ] as const) {
      expectErrors(await account.get(path), 404, error);
    }
  }),
  accountRule('campaigns 2.2.28', async (account) => {
    const message = 'The requested resource could not be found';
    expectErrors(await account.get('nothing'), 404, { code: 'ROUTE_NOT_FOUND', message });
  }),
  accountRule('campaigns 2.2.29', async (account) => {
    const reply = await account.call('DELETE', 'campaigns');
    const message = 'DELETE is not allowed on this resource';
    expectErrors(reply, 405, { code: 'METHOD_NOT_ALLOWED', message });
    assert.match(reply.headers.get('allow') ?? '', /\bGET\b.*\bPOST\b/);
  }),
  accountRule('campaigns 2.2.33', async (account) => {
    const options = { body: '[{]', type: 'application/json' };
    const reply = await account.call('POST', `/12/batch/accounts/${account.id}/campaigns`, {}, options);
    expectErrors(reply, 400, invalid('Request body is not valid JSON'));
  }),
  accountRule('campaigns 2.3.19', async (account) => {
    const { id } = await account.campaign();
    const reply = await account.call('PUT', `campaigns/${id}`, { name: 'a\u0007b' });
    const message = 'Illegal characters in name';
    expectErrors(reply, 400, { code: 'ILLEGAL_CHARACTERS', message, parameter: 'name' });
  }),
];

/** Checks of headers and versions: sections 3.1 and 4. */
const headerRules: readonly Rule[] = [
  accountRule('campaigns 3.1.1', async (account) => {
    const { headers } = await account.get('/12/accounts', { count: 1 });
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      Number(headers.get(`x-rate-limit-${name}`)),
    ) as [number, number, number];
    assert.ok(remaining < limit, `${remaining} of ${limit}`);
    assert.ok(reset > Date.now() / 1000 - 1, `${reset}`);
  }),
  accountRule('campaigns 3.1.2', async (account) => {
    const { headers } = await account.get('campaigns', { count: 1 });
    const numbers = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-account-rate-limit-${name}`) ?? '');
    for (const number of numbers) assert.match(number, /^\d+$/);
  }),
  accountRule('campaigns 3.1.3', async (account) => {
    const { headers } = await account.get('campaigns', { count: 1 });
    for (const [name] of headers) assert.doesNotMatch(name, /^x-cost-rate-limit/);
  }),
  accountRule('campaigns 3.1.5', async (account) => {
    for (const path of ['campaigns', 'nothing']) {
      assert.equal((await account.get(path)).headers.get('x-current-api-version'), '12');
    }
  }),
  accountRule('campaigns 3.1.6', async (account) => {
    const { headers } = await account.get(`/5/accounts/${account.id}/tailored_audiences`);
    assert.match(headers.get('x-api-warn') ?? '', /custom_audiences/);
  }),
  accountRule('campaigns 3.1.7', async (account) => {
    const { headers } = await account.get('campaigns', { count: 1 });
    assert.match(headers.get('x-access-level') ?? '', /^read/);
  }),
  accountRule('campaigns 3.1.8', async (account) => {
    const replies = [await account.get('campaigns', { count: 1 }), await account.get('nothing')];
    const ids = replies.map(({ headers }) => headers.get('x-transaction-id') ?? '');
    for (const id of ids) assert.match(id, /^[0-9a-f]{16}$/);
    assert.notEqual(ids[0], ids[1]);
    assert.match(replies[0]!.headers.get('x-response-time') ?? '', /^\d+/);
  }),
  accountRule('campaigns 3.1.9', async (account) => {
    const { status, headers } = await account.get('campaigns', { count: 'x' });
    assert.equal(status, 400);
    assert.ok(headers.has('x-rate-limit-remaining'));
  }),
  accountRule('campaigns 4.2', async (account) => {
    const message = 'The requested resource could not be found; the current version is 12';
    for (const path of [`/11/accounts/${account.id}/campaigns`, `/5/accounts/${account.id}/campaigns`]) {
      expectErrors(await account.get(path), 404, { code: 'ROUTE_NOT_FOUND', message });
    }
    expectErrors(await account.get(`/accounts/${account.id}/campaigns`), 404, { code: 'ROUTE_NOT_FOUND' });
  }),
  accountRule('campaigns 4.3', async (account) => {
    expectStatus(await account.get('/12/accounts/'), 200);
    expectStatus(await account.get('campaigns/'), 200);
  }),
  accountRule('campaigns 4.6', async (account) => {
    if (account.isSandbox) {
      expectStatus(await account.call('POST', 'features', { feature_keys: 'CPI_CHARGING' }), 200);
      return;
    }
    for (const [method, path] of [
      ['POST', '/12/accounts'],
      ['POST', 'features'],
      ['DELETE', 'features'],
      ['POST', 'funding_instruments'],
      ['DELETE', 'funding_instruments/zz9'],
    ] as const) {
      expectErrors(await account.call(method, path), 405, { code: 'METHOD_NOT_ALLOWED' });
    }
  }),
];

/** Checks of sections 2 to 4. */
export const errorRules: readonly Rule[] = [...shapeRules, ...messageRules, ...headerRules];
