import assert from 'node:assert/strict';
import { basic, tokenRequest } from '../api.ts';
import { expectError, expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { askRequestToken, beginLogin, readOf } from './steps.ts';

/** A clock that is further off is wrong. */
const CLOCK_OFF_MAX_MS = 300_000;
const NO_STORE = 'no-cache, no-store, must-revalidate, pre-check=0, post-check=0';

/** Checks of section 1, and of the order of checks. */
export const transportRules: readonly Rule[] = [
  rule('authentication 0.0.2', async (api) => {
    const ask = (query: string) => askRequestToken(api, { path: `/oauth/request_token?${query}` });
    expectStatus(await ask('x_auth_access_type=read'), 200);
    expectStatus(await ask('x_auth_access_type=read&ext_auth_access_type=read'), 200);
    expectError(await ask('x_auth_access_type=read&ext_auth_access_type=write'), 400, 44);
  }),
  rule('authentication 1.1.5', async (api) => {
    const { headers } = await api.call({ path: readOf(api) });
    const off_ms = Math.abs(Date.parse(headers.get('date') ?? '') - Date.now());
    assert.ok(off_ms < CLOCK_OFF_MAX_MS, `Date is ${headers.get('date')}`);
  }),
  rule('authentication 1.1.6', async (api) => {
    const reply = await api.call({ path: '/1.1/no/such/path.json' });
    expectError(reply, 404, 34, 'Sorry, that page does not exist.');
  }),
  rule('authentication 1.1.7', async (api) => {
    const reply = await api.call({ path: '/oauth2/token', as: basic(api.consumer) });
    expectError(reply, 405, 86, 'This method requires a POST.');
    assert.match(reply.headers.get('allow') ?? '', /\bPOST\b/);
  }),
  rule('authentication 1.1.8', async (api) => {
    const head = await api.call({ method: 'HEAD', path: readOf(api) });
    assert.deepEqual([head.status, head.text], [200, '']);
    const options = await api.call({ method: 'OPTIONS', path: readOf(api), as: null });
    expectStatus(options, 204);
    assert.match(options.headers.get('allow') ?? '', /\bGET\b/);
  }),
  rule('authentication 1.1.9', async (api) => {
    const origin = ['origin', 'https://client.example.test'] as const;
    for (const reply of [
      await api.call({ ...tokenRequest(api.consumer), headers: [origin] }),
      await askRequestToken(api, { headers: [origin] }),
    ]) {
      assert.equal(reply.headers.get('access-control-allow-origin'), null);
    }
  }),
  rule('authentication 1.1.10', async (api) => {
    const as = await api.bearer();
    const call = { method: 'POST', path: '/2/activity/subscriptions', as, body: '{"event_type":"no.such.type"}' };
    for (const [type, named] of [
      ['application/json', /event_type/],
      ['text/plain', /Content-Type/],
    ] as const) {
      const reply = await api.call({ ...call, type });
      expectProblem(reply, 400, 'invalid-request');
      assert.match(reply.text, named);
    }
  }),

  rule('authentication 1.2.1', async (api) => {
    expectStatus(await askRequestToken(api), 200);
    expectStatus(await askRequestToken(api, { oauth: { oauth_token: '' } }), 200);
  }),
  rule('authentication 1.2.2', async (api) => {
    expectError(await api.call({ path: readOf(api), as: await beginLogin(api) }), 401, 89);
  }),
  rule('authentication 1.2.4', async (api) => {
    expectError(await api.call({ path: readOf(api), as: basic(api.consumer) }), 400, 215);
  }),
  rule('authentication 1.2.5', async (api) => {
    expectStatus(await api.call({ path: readOf(api), as: await api.bearer() }), 200);
    expectStatus(await api.call({ path: '/2/connections', as: await api.bearer() }), 200);
  }),
  rule('authentication 1.2.7', async (api) => {
    const shout = (value: string): string => value.replace(/^\w+/, (scheme) => scheme.toUpperCase());
    expectStatus(await api.call({ path: readOf(api), header: shout }), 200);
    expectStatus(await api.call({ path: readOf(api), as: shout(await api.bearer()) }), 200);
    const { path, method, form } = tokenRequest(api.consumer);
    expectStatus(await api.call({ path, method, form, as: shout(basic(api.consumer)) }), 200);
  }),
  rule('authentication 1.2.8', async (api) => {
    const reply = await api.call({ path: '/12/accounts', as: await api.bearer() });
    assert.ok(reply.status === 401 || reply.status === 403, `expected a refusal, got ${reply.status}`);
    expectStatus(await api.call({ path: '/12/accounts' }), 200);
  }),
  rule('authentication 1.2.10', async (api) => {
    const sent = api.prepare({ path: readOf(api) });
    const second = ['authorization', await api.bearer()] as const;
    expectError(await api.send({ ...sent, headers: [...sent.headers, second] }), 400, 215);
  }),
  rule('authentication 1.2.11', async (api) => {
    expectError(await api.call({ path: readOf(api), as: api.consumer }), 400, 215);
  }),
  rule('authentication 1.2.12', async (api) => {
    for (const as of [null, 'Secret of-no-scheme']) {
      expectError(await api.call({ path: readOf(api), as }), 400, 215, 'Bad Authentication data.');
    }
    const reply = await api.call({ path: '/2/users/me', as: null });
    expectProblem(reply, 401, 'about:blank');
  }),
  rule('authentication 1.2.13', async (api) => {
    const [, token] = (await api.bearer()).split(' ');
    const path = `${readOf(api)}&access_token=${encodeURIComponent(token!)}`;
    expectError(await api.call({ path, as: null }), 400, 215);
  }),

  rule('authentication 1.3.1', async (api) => {
    // Each call has two mistakes; the earlier one is the error.
    const path = readOf(api);
    const unreadable = await api.call({ path, oauth: { oauth_version: '2.0', oauth_timestamp: '1' } });
    expectError(unreadable, 400, 215);
    expectError(await api.call({ path, oauth: { oauth_timestamp: '1', oauth_consumer_key: 'nobody' } }), 401, 135);
    const unknown = await api.call({ path, oauth: { oauth_consumer_key: 'nobody', oauth_token: '1-nobody' } });
    expectError(unknown, 401, 32);
    expectError(await askRequestToken(api, { oauth: { oauth_nonce: '', oauth_callback: '' } }), 400, 215);
  }),
  rule('authentication 1.3.5', async (api) => {
    const path = readOf(api);
    expectError(await api.call({ path, oauth: { oauth_consumer_key: 'nobody' } }), 401, 32);
    expectError(await api.call({ path, as: { ...api.user, consumer_secret: 'wrong' } }), 401, 32);
    expectError(await api.call({ path, as: { ...api.user, access_token_secret: 'wrong' } }), 401, 32);
  }),
  rule('authentication 1.3.6', async (api) => {
    const { consumer_key, consumer_secret } = api.keysOf('messages_');
    const foreign = await api.call({ path: readOf(api), as: { ...api.user, consumer_key, consumer_secret } });
    expectError(foreign, 401, 89);
    const request = await beginLogin(api);
    expectError(await api.call({ path: readOf(api), as: request }), 401, 89);
  }),
  rule('authentication 1.3.7', async (api) => {
    const sent = api.prepare({ path: readOf(api) });
    expectStatus(await api.send(sent), 200);
    expectError(await api.send(sent), 401, 32);
  }),
  rule('authentication 1.3.10', async (api) => {
    const path = '/1.1/account/verify_credentials.json';
    expectError(await api.call({ path, as: await api.bearer() }), 403, 220);
    const typing = { method: 'POST', path: '/1.1/direct_messages/indicate_typing.json' };
    expectError(await api.call({ ...typing, form: [['recipient_id', api.userId]] }), 403, 93);
    const update = { method: 'POST', path: '/1.1/account/update_profile.json' };
    expectError(await api.call({ ...update, as: api.keysOf('reader_'), form: [['location', 'Here']] }), 403, 261);
  }),
  rule('authentication 1.3.12', async (api) => {
    const keys = { ...api.user, access_token: `${api.userId}-nobody`, access_token_secret: 'wrong' };
    expectError(await api.call({ path: readOf(api), as: keys }), 401, 89);
  }),
  rule('authentication 1.3.14', async (api) => {
    const oauth = { oauth_nonce: `n${Date.now()}${process.pid}` };
    const wrong = { ...api.user, consumer_secret: 'wrong' };
    expectError(await api.call({ path: readOf(api), as: wrong, oauth }), 401, 32);
    expectStatus(await api.call({ path: readOf(api), oauth }), 200);
  }),

  rule('authentication 1.4.1', async (api) => {
    const { headers, text } = await askRequestToken(api);
    assert.equal(headers.get('content-type'), 'text/html;charset=utf-8');
    assert.match(text, /^oauth_token=[^\n]*[^\s]$/);
  }),
  rule('authentication 1.4.2', async (api) => {
    for (const reply of [
      await api.call(tokenRequest(api.consumer)),
      await api.call({ path: readOf(api) }),
      await api.call({ path: readOf(api), as: null }),
    ]) {
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    }
  }),
  rule('authentication 1.4.3', async (api) => {
    for (const { headers } of [await askRequestToken(api), await api.call(tokenRequest(api.consumer))]) {
      const found = ['cache-control', 'pragma', 'expires'].map((name) => headers.get(name));
      assert.deepEqual(found, [NO_STORE, 'no-cache', 'Tue, 31 Mar 1981 05:00:00 GMT']);
    }
  }),
  rule('authentication 1.4.4', async (api) => {
    const { headers } = await api.call({ path: readOf(api) });
    assert.match(headers.get('x-access-level') ?? '', /^read(-write(-directmessages)?)?$/);
  }),
  rule('authentication 1.4.5', async (api) => {
    for (const as of [api.user, null]) {
      const { headers } = await api.call({ path: readOf(api), as });
      assert.match(headers.get('x-transaction-id') ?? '', /^[0-9a-f]{16}$/);
    }
  }),
  rule('authentication 1.4.6', async (api) => {
    const signed = await api.call({ path: readOf(api), as: { ...api.user, consumer_secret: 'wrong' } });
    assert.equal(signed.headers.get('www-authenticate'), `OAuth realm="${api.url}"`);
    const bearer = await api.call({ path: readOf(api), as: 'Bearer AAAA' });
    assert.equal(bearer.headers.get('www-authenticate'), `Bearer realm="${api.url}", error="invalid_token"`);
  }),
  rule('authentication 1.4.7', async (api) => {
    const reply = await api.call(tokenRequest({ ...api.consumer, consumer_secret: 'wrong' }));
    expectError(reply, 403, 99);
    assert.equal(reply.headers.get('www-authenticate'), null);
  }),
  rule('authentication 1.4.8', async (api) => {
    const headers = [['accept', 'application/xml']] as const;
    expectError(await askRequestToken(api, { headers, oauth: { oauth_callback: '' } }), 403, 38);
  }),
];
