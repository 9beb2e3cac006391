import assert from 'node:assert/strict';
import { type Api, basic, tokenRequest } from '../api.ts';
import { expectError, expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { askRequestToken, readOf } from './steps.ts';

const VERIFY = '/1.1/account/verify_credentials';
const USER_MEMBERS = [
  ...['id', 'id_str', 'name', 'screen_name', 'location', 'description', 'url', 'verified', 'lang', 'created_at'],
  ...['profile_image_url_https', 'suspended', 'needs_phone_verification'],
];

/** What headers say of a window. */
function windowOf(headers: Headers): { readonly limit: number; readonly remaining: number; readonly reset: number } {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const value = headers.get(`x-rate-limit-${name}`) ?? '';
    assert.match(value, /^\d+$/, `x-rate-limit-${name} is ${value}`);
    return Number(value);
  });
  return { limit: limit!, remaining: remaining!, reset: reset! };
}

async function limitOf(api: Api, path: string): Promise<number> {
  return windowOf((await api.call({ path })).headers).limit;
}

/** Checks of the calls after a login, of error codes and of rate limits: sections 11 to 15. */
export const callRules: readonly Rule[] = [
  rule('authentication 11.1.1', async (api) => {
    for (const path of [VERIFY, `${VERIFY}.json`]) {
      const { body } = await api.call({ path });
      assert.equal(body.id_str, api.userId);
    }
  }),
  rule('authentication 11.1.2', async (api) => {
    const { body } = await api.call({ path: `${VERIFY}.json` });
    assert.ok('entities' in body);
    const query = 'include_entities=false&skip_status=true&include_email=false';
    const reply = await api.call({ path: `${VERIFY}.json?${query}` });
    expectStatus(reply, 200);
    assert.ok(!('entities' in reply.body));
  }),
  rule('authentication 11.1.4', async (api) => {
    const path = `${VERIFY}.json`;
    expectError(await api.call({ path, as: { ...api.user, consumer_secret: 'wrong' } }), 401, 32);
    expectError(await api.call({ path, as: { ...api.user, access_token: '1-nobody' } }), 401, 89);
  }),
  rule('authentication 11.1.5', async (api) => {
    const { body } = await api.call({ path: `${VERIFY}.json` });
    for (const name of USER_MEMBERS) assert.ok(name in body, `no member ${name}`);
  }),
  rule('authentication 11.1.6', async (api) => {
    const { body } = await api.call({ path: `${VERIFY}.json` });
    assert.match(body.created_at, /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/);
  }),
  rule('authentication 11.2.1', async (api) => {
    const byId = await api.call({ path: readOf(api) });
    assert.equal(byId.body.id_str, api.userId);
    const byName = await api.call({ path: `/1.1/users/show.json?screen_name=${byId.body.screen_name}` });
    assert.equal(byName.body.id_str, api.userId);
    const byBearer = await api.call({ path: readOf(api), as: await api.bearer() });
    for (const { body } of [byId, byName, byBearer]) assert.ok(!('email' in body));
  }),
  rule('authentication 11.2.2', async (api) => {
    expectError(
      await api.call({ path: '/1.1/users/show.json?user_id=999999999999999999' }),
      404,
      50,
      'User not found.',
    );
  }),
  rule('authentication 11.2.3', async (api) => {
    expectError(await api.call({ path: '/1.1/users/show.json' }), 403, 38, 'user_id parameter is missing.');
  }),
  rule('authentication 11.3.1', async (api) => {
    const { body } = await api.call({ path: '/2/users/me' });
    assert.deepEqual(Object.keys(body.data).sort(), ['id', 'name', 'username']);
    assert.equal(body.data.id, api.userId);
  }),
  rule('authentication 11.3.2', async (api) => {
    const { body } = await api.call({
      path: '/2/users/me?user.fields=created_at,verified,verified_type,public_metrics',
    });
    for (const name of ['created_at', 'verified', 'verified_type', 'public_metrics'])
      assert.ok(name in body.data, name);
    expectProblem(await api.call({ path: '/2/users/me?user.fields=nothing' }), 400, 'invalid-request');
  }),
  rule('authentication 11.3.3', async (api) => {
    const reply = await api.call({ path: '/2/users/me', as: await api.bearer() });
    expectProblem(reply, 403, 'unsupported-authentication');
  }),
  rule('authentication 11.4.1', async (api) => {
    const path = '/1.1/application/rate_limit_status.json';
    const { body } = await api.call({ path });
    assert.equal(body.rate_limit_context.access_token, api.user.access_token);
    const window = Object.values(Object.values(body.resources)[0] as object)[0];
    assert.deepEqual(Object.keys(window), ['limit', 'remaining', 'reset']);
    const ofApplication = await api.call({ path, as: await api.bearer() });
    assert.ok('application' in ofApplication.body.rate_limit_context);
  }),
  rule('authentication 11.4.2', async (api) => {
    const { body } = await api.call({ path: '/1.1/application/rate_limit_status.json?resources=users' });
    assert.deepEqual(Object.keys(body.resources), ['users']);
  }),
  rule('authentication 11.5.3', async (api) => {
    const call = { method: 'POST', path: '/1.1/direct_messages/mark_read.json', as: api.keysOf('messages_') };
    expectError(await api.call({ ...call, form: [['recipient_id', '1']] }), 400, 38);
  }),

  rule('authentication 12.20', async (api) => {
    expectError(await api.call({ path: readOf(api), as: null }), 400, 215, 'Bad Authentication data.');
  }),
  rule('authentication 12.23', async (api) => {
    const call = { method: 'POST', path: '/1.1/account/update_profile.json', as: api.keysOf('reader_') };
    const message = 'Application cannot perform write actions.';
    expectError(await api.call({ ...call, form: [['location', 'Here']] }), 403, 261, message);
  }),
  rule('authentication 12.14', async (api) => {
    const call = { method: 'POST', path: '/1.1/direct_messages/indicate_typing.json' };
    const message = 'This application is not allowed to access or delete your direct messages.';
    expectError(await api.call({ ...call, form: [['recipient_id', '1']] }), 403, 93, message);
  }),
  rule('authentication 12.32', async (api) => {
    const headers = [['accept-language', 'de, fr;q=0.5']] as const;
    const reply = await api.call({ path: '/1.1/no/such/path.json', headers });
    expectError(reply, 404, 34, 'Sorry, that page does not exist.');
  }),
  rule('authentication 12.33', async (api) => {
    const body = JSON.stringify({ note: 'x'.repeat(1_200_000) });
    const call = { method: 'POST', path: '/2/activity/subscriptions', as: await api.bearer() };
    expectStatus(await api.call({ ...call, body, type: 'application/json' }), 413);
  }),

  rule('authentication 13.1', async (api) => {
    const first = windowOf((await api.call({ path: readOf(api) })).headers);
    assert.ok(first.remaining >= 0 && first.remaining < first.limit);
    const second = windowOf((await api.call({ path: readOf(api) })).headers);
    assert.ok(second.reset > Date.now() / 1000 - 60, `the window ended at ${second.reset}`);
    assert.ok(second.remaining < first.remaining || second.reset > first.reset);
  }),
  rule('authentication 13.2', async (api) => {
    const { headers } = await api.call({ path: `/12/accounts/${await api.accountId()}/campaigns?count=1` });
    for (const name of ['limit', 'remaining', 'reset']) {
      assert.match(headers.get(`x-account-rate-limit-${name}`) ?? '', /^\d+$/);
    }
  }),
  rule('authentication 13.4', async (api) => {
    const { reset } = windowOf((await api.call({ path: readOf(api) })).headers);
    assert.ok(reset - Date.now() / 1000 <= 960, `the window ends at ${reset}`);
    const asUser = windowOf((await api.call({ path: readOf(api) })).headers);
    const as = await api.bearer();
    const before = windowOf((await api.call({ path: readOf(api), as })).headers);
    const after = windowOf((await api.call({ path: readOf(api) })).headers);
    assert.ok(after.remaining === asUser.remaining - 1 || after.reset > asUser.reset, `${before.remaining}`);
  }),
  rule('authentication 13.5', async (api) => {
    const before = windowOf((await api.call({ path: readOf(api) })).headers);
    const refused = await api.call({ path: '/1.1/users/show.json?user_id=999999999999999999' });
    const after = windowOf(refused.headers);
    assert.ok(after.remaining < before.remaining || after.reset > before.reset);
  }),
  rule('authentication 14.1.13', async (api) => {
    expectError(await api.call({ method: 'POST', path: '/2/oauth2/token', as: basic(api.consumer) }), 404, 34);
  }),
  rule('authentication 14.2.1', async (api) => {
    const headers = [['accept', 'application/json']] as const;
    const reply = await askRequestToken(api, { headers });
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(reply.text, /^oauth_token=/);
  }),
  rule('authentication 14.2.3', async (api) => {
    for (const reply of [
      await askRequestToken(api),
      await api.call(tokenRequest(api.consumer)),
      await api.call({ path: '/2/users/me' }),
    ]) {
      windowOf(reply.headers);
    }
    assert.ok((await limitOf(api, readOf(api))) > 0);
  }),
  rule('authentication 15.3.2', async (api) => {
    const form = [['access_token', 'AAAA']] as const;
    const call = { method: 'POST', path: '/oauth2/invalidate_token', as: basic(api.consumer), form };
    expectError(await api.call(call), 401, 89);
  }),
  rule('authentication 15.3.3', async (api) => {
    const form = [
      ['x_auth_mode', 'client_auth'],
      ['x_auth_username', 'somebody'],
      ['x_auth_password', 'secret'],
    ] as const;
    const reply = await api.call({ method: 'POST', path: '/oauth/access_token', as: api.consumer, form });
    expectStatus(reply, 401);
  }),
];
