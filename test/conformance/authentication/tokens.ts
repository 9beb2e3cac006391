import assert from 'node:assert/strict';
import { type Api, basic, type CallOptions, tokenRequest } from '../api.ts';
import { expectError, expectProblem, expectStatus, pairsOf } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { approved, askRequestToken, beginLogin, exchange, readOf, readToken, revoke, takeToken } from './steps.ts';

const VERIFY = '/1.1/account/verify_credentials.json';
const REFUSED_CLIENT = {
  errors: [{ code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' }],
};
const GRANT = [['grant_type', 'client_credentials']] as const;

/** Asks for the bearer token of an application. */
async function tokenOf(api: Api, keys = api.consumer): Promise<string> {
  const reply = await api.call(tokenRequest(keys));
  expectStatus(reply, 200);
  return reply.body.access_token;
}

/** Revokes a bearer token with key and secret. */
function revokeBearer(api: Api, token: string, options: Partial<CallOptions> = {}) {
  const call = { method: 'POST', path: '/oauth2/invalidate_token', form: [['access_token', token]] as const };
  return api.call({ ...call, as: basic(api.consumer), ...options });
}

/** Reads with a bearer token. */
function readsWith(api: Api, token: string) {
  return api.call({ path: readOf(api), as: `Bearer ${token}` });
}

/** Checks of request tokens: sections 0.2, 0.9, 3.1 and 5. */
const requestTokenRules: readonly Rule[] = [
  rule('authentication 0.2.1', async (api) => {
    const { text } = await askRequestToken(api);
    assert.match(text, /^oauth_token=[^&]+&oauth_token_secret=[^&]+&oauth_callback_confirmed=true$/);
  }),
  rule('authentication 0.6.1', async (api) => {
    const { body } = await askRequestToken(api, { oauth: { oauth_callback: '' } });
    assert.ok(Array.isArray(body?.errors), JSON.stringify(body));
    for (const { code, message } of body.errors) assert.deepEqual([typeof code, typeof message], ['number', 'string']);
  }),
  rule('authentication 0.9.1', async (api) => {
    expectStatus(await askRequestToken(api), 200);
    expectStatus(await askRequestToken(api, { oauth: { oauth_callback: api.key('callback_url') } }), 200);
    expectError(await askRequestToken(api, { oauth: { oauth_callback: undefined } }), 403, 38);
  }),
  rule('authentication 0.9.2', async (api) => {
    const oauth = { oauth_callback: 'https://not-registered.example.test/callback' };
    expectError(await askRequestToken(api, { oauth }), 403, 415);
  }),
  rule('authentication 3.1.2', async (api) => {
    const { oauth_token, oauth_token_secret } = pairsOf(await askRequestToken(api));
    assert.match(oauth_token!, /^[A-Za-z0-9_][A-Za-z0-9_-]{26}$/);
    assert.match(oauth_token_secret!, /^[A-Za-z0-9]{32}$/);
  }),
  rule('authentication 4.1.2', async (api) => {
    const oauth = { oauth_callback: `${api.key('callback_url')}/` };
    expectError(await askRequestToken(api, { oauth }), 403, 415);
  }),
  rule('authentication 4.1.7', async (api) => {
    for (const callback of [
      'javascript:alert(1)',
      'data:text/html,a',
      'ftp://client.example.test/',
      'mailto:a@b.test',
    ]) {
      expectError(await askRequestToken(api, { oauth: { oauth_callback: callback } }), 403, 415);
    }
  }),
  rule('authentication 4.1.8', async (api) => {
    const url = new URL(api.key('callback_url'));
    const [user, back] = [url.href.replace('//', '//user@'), url.href.replace(url.pathname, `\\${url.pathname}`)];
    for (const callback of [user, back, `${url.href}\n`]) {
      expectError(await askRequestToken(api, { oauth: { oauth_callback: callback } }), 403, 415);
    }
  }),
  rule('authentication 4.1.9', async (api) => {
    expectStatus(await askRequestToken(api), 200);
    expectError(await askRequestToken(api, { oauth: { oauth_callback: 'OOB' } }), 403, 415);
  }),
  rule('authentication 4.1.10', async (api) => {
    const message =
      'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings';
    const oauth = { oauth_callback: 'https://not-registered.example.test/callback' };
    expectError(await askRequestToken(api, { oauth }), 403, 415, message);
  }),
  rule('authentication 5.1', async (api) => {
    expectStatus(await askRequestToken(api), 200);
    expectError(await askRequestToken(api, { as: null }), 400, 215);
  }),
  rule('authentication 5.2', async (api) => {
    expectStatus(await askRequestToken(api, { place: 'query' }), 200);
    expectStatus(await askRequestToken(api, { form: [['oauth_callback', 'oob']], oauth: {} }), 200);
    const message = 'oauth_callback parameter is missing.';
    expectError(await askRequestToken(api, { oauth: { oauth_callback: undefined } }), 403, 38, message);
    expectError(await askRequestToken(api, { oauth: { oauth_callback: '' } }), 403, 38, message);
  }),
  rule('authentication 5.3', async (api) => {
    const wish = 'ext_auth_access_type';
    expectStatus(await askRequestToken(api, { oauth: { [wish]: 'read' } }), 200);
    expectStatus(await askRequestToken(api, { form: [[wish, 'write']] }), 200);
    for (const value of ['admin', 'READ']) {
      const reply = await askRequestToken(api, { path: `/oauth/request_token?${wish}=${value}` });
      expectError(reply, 400, 44, `${wish} parameter is invalid.`);
    }
  }),
  rule('authentication 5.5', async (api) => {
    const path = '/oauth/request_token?screen_name=somebody&force_login=true&lang=de';
    expectStatus(await askRequestToken(api, { path }), 200);
  }),
  rule('authentication 5.6', async (api) => {
    expectStatus(await askRequestToken(api, { body: '' }), 200);
    expectStatus(await askRequestToken(api, { body: '', type: 'application/x-www-form-urlencoded' }), 200);
  }),
  rule('authentication 5.7', async (api) => {
    const names = ['oauth_token', 'oauth_token_secret', 'oauth_callback_confirmed'];
    const pairs = pairsOf(await askRequestToken(api));
    assert.deepEqual([Object.keys(pairs), pairs.oauth_callback_confirmed], [names, 'true']);
  }),
];

/** Checks of access tokens: sections 0.3, 7 and 9. */
const accessTokenRules: readonly Rule[] = [
  rule('authentication 0.3.1', async (api) => {
    const { request, pin } = await approved(api);
    const reply = await exchange(api, request, pin);
    takeToken(api, reply);
    assert.match(reply.text, /^oauth_token=[^&]+&oauth_token_secret=[^&]+&user_id=\d+&screen_name=[^&]+$/);
  }),
  rule('authentication 0.5.1', async (api) => {
    const keys = await readToken(api);
    assert.deepEqual((await revoke(api, keys)).body, { access_token: keys.access_token });
    const token = await tokenOf(api);
    assert.deepEqual((await revokeBearer(api, token)).body, { access_token: token });
  }),
  rule('authentication 0.12.1', async (api) => {
    const { request, pin } = await approved(api);
    const reply = await exchange(api, request, pin);
    assert.equal(takeToken(api, reply).access_token!.split('-', 1)[0], pairsOf(reply).user_id);
  }),
  rule('authentication 3.1.4', async (api) => {
    const keys = await readToken(api);
    assert.match(keys.access_token!, /^\d+-[A-Za-z0-9]{40}$/);
    assert.match(keys.access_token_secret!, /^[A-Za-z0-9]{45}$/);
  }),
  rule('authentication 4.0.14', async (api) => {
    const first = await readToken(api);
    const again = await readToken(api);
    assert.deepEqual(again, first);
    expectStatus(await revoke(api, first), 200);
    assert.notEqual((await readToken(api)).access_token, first.access_token);
  }),
  rule('authentication 7.2', async (api) => {
    for (const place of ['query', 'form'] as const) {
      const { request, pin } = await approved(api);
      takeToken(api, await exchange(api, request, pin, { place }));
    }
    const { request, pin } = await approved(api);
    const oauth = {};
    takeToken(api, await exchange(api, request, undefined, { oauth, form: [['oauth_verifier', pin]] }));
  }),
  rule('authentication 7.3', async (api) => {
    const { request, pin } = await approved(api);
    takeToken(api, await exchange(api, request, ` ${pin.slice(0, 3)} ${pin.slice(3)} `));
  }),
  rule('authentication 7.6', async (api) => {
    expectError(await exchange(api, api.consumer, 'any'), 401, 32, 'Request token missing');
  }),
  rule('authentication 7.7', async (api) => {
    const message = 'Required oauth_verifier parameter not provided';
    const request = await beginLogin(api);
    for (const verifier of [undefined, '']) expectError(await exchange(api, request, verifier), 401, 32, message);
  }),
  rule('authentication 7.8', async (api) => {
    const message = 'Error processing your OAuth request: Invalid oauth_verifier parameter';
    expectError(await exchange(api, await beginLogin(api), '1234567'), 401, 32, message);
  }),
  rule('authentication 7.9', async (api) => {
    const unknown = { ...api.consumer, access_token: 'nobody', access_token_secret: 'nobody' };
    expectError(await exchange(api, unknown, 'any'), 401, 89, 'invalid or expired token');
    const { consumer_key, consumer_secret } = api.keysOf('messages_');
    const foreign = { ...(await beginLogin(api)), consumer_key, consumer_secret };
    expectError(await exchange(api, foreign, 'any'), 401, 89);
  }),
  rule('authentication 7.10', async (api) => {
    const request = { ...(await beginLogin(api)), consumer_secret: 'wrong' };
    expectError(await exchange(api, request, 'any'), 401, 32, 'Could not authenticate you.');
  }),
  rule('authentication 7.11', async (api) => expectError(await exchange(api, api.user, 'any'), 401, 89)),
  rule('authentication 8.4', async (api) => {
    const { request, pin } = await approved(api);
    takeToken(api, await exchange(api, request, pin));
    expectError(await exchange(api, request, pin), 401, 89);
  }),
  rule('authentication 8.5', async (api) => {
    const { request, pin } = await approved(api);
    const wrong = pin === '0000000' ? '0000001' : '0000000';
    for (let count = 0; count < 5; count++) expectError(await exchange(api, request, wrong), 401, 32);
    expectError(await exchange(api, request, pin), 401, 89);
  }),
  rule('authentication 8.10', async (api) => {
    const { request, pin } = await approved(api);
    const replies = await Promise.all([exchange(api, request, pin), exchange(api, request, pin)]);
    const [good, bad] = replies.sort((one, other) => one.status - other.status);
    takeToken(api, good!);
    expectError(bad!, 401, 89);
  }),
  rule('authentication 9.2', async (api) => {
    const keys = await readToken(api);
    const form = [['access_token', 'another']] as const;
    const reply = await api.call({ method: 'POST', path: '/1.1/oauth/invalidate_token', as: keys, form });
    expectStatus(reply, 200);
    assert.deepEqual(reply.body, { access_token: keys.access_token });
  }),
  rule('authentication 9.3', async (api) => {
    const keys = await readToken(api);
    expectStatus(await api.call({ path: readOf(api), as: keys }), 200);
    await revoke(api, keys);
    const message = 'invalid or expired token';
    expectError(await api.call({ path: readOf(api), as: keys }), 401, 89, message);
    expectError(await api.call({ path: '/12/accounts', as: keys }), 401, 89, message);
    expectError(await revoke(api, keys), 401, 89, message);
  }),
  rule('authentication 9.4', async (api) => {
    const call = { method: 'POST', path: '/1.1/oauth/invalidate_token', as: await api.bearer() };
    expectError(await api.call(call), 403, 220);
  }),
  rule('authentication 9.6', async (api) => {
    expectError(await api.call({ path: '/1.1/oauth/invalidate_token.json' }), 405, 86);
  }),
];

/** Checks of bearer tokens: sections 0.4, 0.8 and 10. */
const bearerRules: readonly Rule[] = [
  rule('authentication 0.4.1', async (api) => {
    const { body } = await api.call(tokenRequest(api.consumer));
    assert.deepEqual(Object.keys(body).sort(), ['access_token', 'token_type']);
    assert.equal(body.token_type, 'bearer');
  }),
  rule('authentication 0.8.1', async (api) => assert.equal(await tokenOf(api), await tokenOf(api))),
  rule('authentication 0.8.2', async (api) => {
    const old = await tokenOf(api);
    expectStatus(await revokeBearer(api, old), 200);
    assert.notEqual(await tokenOf(api), old);
    expectError(await readsWith(api, old), 401, 89);
  }),
  rule('authentication 3.1.5', async (api) => {
    assert.match(await tokenOf(api), /^A{22}[A-Za-z0-9]{12}(?=.*%)(?:[A-Za-z0-9]|%2B|%2F|%3D)+$/);
  }),
  rule('authentication 10.1.1', async (api) => {
    const { consumer_key, consumer_secret } = api.consumer;
    const encoded = (text: string): string =>
      [...text].map((each) => `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
    const pair = { consumer_key: encoded(consumer_key), consumer_secret: encoded(consumer_secret) };
    expectStatus(await api.call(tokenRequest(pair)), 200);
  }),
  rule('authentication 10.1.2', async (api) => {
    const call = tokenRequest(api.consumer);
    const bare = call.as.replace(/=+$/, '');
    expectStatus(await api.call({ ...call, as: bare.replace('Basic', 'bAsIc') }), 200);
  }),
  rule('authentication 10.1.3', async (api) => {
    const { method, path, as } = tokenRequest(api.consumer);
    const body = 'grant_type=client_credentials';
    for (const type of ['application/x-www-form-urlencoded;charset=UTF-8', 'Application/X-WWW-Form-Urlencoded']) {
      expectStatus(await api.call({ method, path, as, body, type }), 200);
    }
  }),
  rule('authentication 10.1.4', async (api) => {
    const { method, path, as } = tokenRequest(api.consumer);
    expectError(await api.call({ method, path: `${path}?grant_type=client_credentials`, as }), 403, 170);
    expectError(await api.call({ method, path, as, json: { grant_type: 'client_credentials' } }), 403, 170);
  }),
  rule('authentication 10.1.6', async (api) => {
    await revokeBearer(api, await tokenOf(api));
    const [one, other] = await Promise.all([tokenOf(api), tokenOf(api)]);
    assert.equal(one, other);
  }),
  rule('authentication 10.1.7', async (api) => {
    const { method, path } = tokenRequest(api.consumer);
    const wrong = basic({ ...api.consumer, consumer_secret: 'wrong' });
    const unknown = basic({ consumer_key: 'nobody', consumer_secret: 'nobody' });
    for (const as of [null, 'Basic !', wrong, unknown]) {
      const reply = await api.call({ method, path, as, form: GRANT });
      expectStatus(reply, 403);
      assert.deepEqual(reply.body, REFUSED_CLIENT);
    }
  }),
  rule('authentication 10.1.8', async (api) => {
    const reply = await api.call(tokenRequest(api.consumer, []));
    expectStatus(reply, 403);
    const error = {
      code: 170,
      label: 'forbidden_missing_parameter',
      message: 'Missing required parameter: grant_type',
    };
    assert.deepEqual(reply.body, { errors: [error] });
  }),
  rule('authentication 10.1.9', async (api) => {
    const reply = await api.call(tokenRequest(api.consumer, [['grant_type', 'password']]));
    expectStatus(reply, 403);
    assert.deepEqual(reply.body, REFUSED_CLIENT);
  }),
  rule('authentication 10.1.11', async (api) => {
    const as = basic(api.consumer);
    expectError(await api.call({ path: '/oauth2/token?grant_type=client_credentials', as }), 405, 86);
  }),
  rule('authentication 10.2.1', async (api) => expectStatus(await readsWith(api, await tokenOf(api)), 200)),
  rule('authentication 10.2.2', async (api) => {
    expectStatus(await readsWith(api, decodeURIComponent(await tokenOf(api))), 200);
  }),
  rule('authentication 10.2.4', async (api) => {
    expectError(await readsWith(api, 'AAAA'), 401, 89);
    expectProblem(await api.call({ path: '/2/activity/subscriptions', as: 'Bearer AAAA' }), 401, 'about:blank');
  }),
  rule('authentication 10.2.5', async (api) => {
    const as = await api.bearer();
    const message = 'Your credentials do not allow access to this resource.';
    expectError(await api.call({ path: VERIFY, as }), 403, 220, message);
    expectProblem(await api.call({ path: '/2/users/me', as }), 403, 'unsupported-authentication');
  }),
  rule('authentication 10.3.1', async (api) => {
    expectStatus(await revokeBearer(api, await tokenOf(api)), 200);
    // Whether the user of the keys owns the application is not known here.
    const signed = await revokeBearer(api, await tokenOf(api), { as: api.user });
    if (signed.status !== 200) expectError(signed, 403, 348);
  }),
  rule('authentication 10.3.2', async (api) => {
    const token = encodeURIComponent(await tokenOf(api));
    const path = `/oauth2/invalidate_token?access_token=${token}`;
    expectStatus(await api.call({ method: 'POST', path, as: basic(api.consumer) }), 200);
  }),
  rule('authentication 10.3.3', async (api) => {
    for (const change of [decodeURIComponent, encodeURIComponent]) {
      expectStatus(await revokeBearer(api, change(await tokenOf(api))), 200);
    }
  }),
  rule('authentication 10.3.5', async (api) => {
    const reply = await revokeBearer(api, '', { form: [] });
    expectError(reply, 403, 38, 'access_token parameter is missing.');
  }),
  rule('authentication 10.3.6', async (api) => {
    const token = await tokenOf(api, api.keysOf('messages_'));
    const message = 'Client application is not permitted to invalidate this token.';
    expectError(await revokeBearer(api, token), 403, 348, message);
    expectError(await revokeBearer(api, await tokenOf(api), { as: api.keysOf('other_') }), 403, 348, message);
  }),
  rule('authentication 10.3.7', async (api) => {
    const token = await tokenOf(api);
    await revokeBearer(api, token);
    for (const value of [token, 'AAAA']) expectError(await revokeBearer(api, value), 401, 89);
  }),
  rule('authentication 10.3.8', async (api) => {
    const as = basic({ ...api.consumer, consumer_secret: 'wrong' });
    expectError(await revokeBearer(api, 'AAAA', { as }), 403, 99);
  }),
];

/** Checks of tokens. */
export const tokenRules: readonly Rule[] = [...requestTokenRules, ...accessTokenRules, ...bearerRules];
