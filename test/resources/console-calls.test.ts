// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { addPerson, type Browser, browserOf, logIn, type Person } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
let browser: Browser;
let token: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  browser = browserOf(world.service.url);
  await logIn(browser, ada);
  token = tokenOf((await browser.get('/ads')).html);
});
after(() => world.close());

const tokenOf = (html: string): string => /data-form-token="([^"]+)"/.exec(html)![1]!;

interface Sent {
  readonly method?: string;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly from?: Browser;
}

/** Calls as the script of a page does. */
async function called(path: string, { method = 'GET', headers, body, from = browser, ...sent }: Sent = {}) {
  const given = 'token' in sent ? sent.token : token;
  const reply = await request(`${world.service.url}/console/api${path}`, {
    method: method as 'GET',
    headers: {
      cookie: [...from.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(given !== undefined && { 'x-form-token': given }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body ?? null,
  });
  const text = await reply.body.text();
  return { status: reply.statusCode, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) };
}

describe('calls of scripts on our pages', () => {
  let account: string;

  test('are performed for the user of the session, in either environment', async () => {
    const created = await called('/sandbox/12/accounts', { method: 'POST' });
    assert.equal(created.status, 200);
    account = created.body.data[0].id;
    const { status, body, headers } = await called(`/sandbox/12/accounts/${account}`);
    assert.equal(status, 200);
    assert.equal(body.data.id, account);
    assert.match(String(headers['cache-control']), /no-store/);
    const other = await called(`/production/12/accounts/${account}`);
    assert.equal(other.status, 403);
  });

  test('are refused as those of signed requests are, with the same words', async () => {
    const { status, body } = await called(`/sandbox/12/accounts/${account}/campaigns`, {
      method: 'POST',
      body: JSON.stringify({ name: 'Spring' }),
    });
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors.map((each: { code: string; parameter: string }) => [each.code, each.parameter]),
      [['MISSING_PARAMETER', 'funding_instrument_id']],
    );
  });

  test('are in the history of the account like others', async () => {
    const body = JSON.stringify({ name: 'Renamed' });
    assert.equal((await called(`/sandbox/12/accounts/${account}`, { method: 'PUT', body })).status, 200);
    assert.equal((await called(`/sandbox/12/accounts/${account}`)).body.data.name, 'Renamed');
  });

  test('need a session and its form token, reads too', async () => {
    const path = `/sandbox/12/accounts/${account}`;
    assert.equal((await called(path, { from: browserOf(world.service.url) })).status, 401);
    for (const wrong of [undefined, '', token.slice(1), `${token.slice(0, -1)}!`]) {
      const { status, body } = await called(path, { token: wrong });
      assert.deepEqual([status, body.errors[0].code], [403, 'FORBIDDEN']);
    }
    const ben = browserOf(world.service.url);
    await logIn(ben, await addPerson(world));
    assert.equal((await called(path, { from: ben })).status, 403, 'the token of another session');
  });

  test('come from pages of this service alone', async () => {
    const path = `/sandbox/12/accounts/${account}`;
    const foreign: readonly Record<string, string>[] = [
      { origin: 'https://evil.test' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of foreign) assert.equal((await called(path, { headers })).status, 403);
    assert.equal(
      (await called(path, { headers: { origin: world.service.url, 'sec-fetch-site': 'same-origin' } })).status,
      200,
    );
  });

  test('send no forms, which pages of others could', async () => {
    const { status } = await called(`/sandbox/12/accounts/${account}`, {
      method: 'PUT',
      body: 'name=Foreign',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(status, 415);
    assert.equal((await called(`/sandbox/12/accounts/${account}`)).body.data.name, 'Renamed');
  });

  test('reach nothing but the advertising API', async () => {
    for (const path of [
      '/sandbox/1.1/account/verify_credentials.json',
      '/production/2/activity/subscriptions',
      '/sandbox/ads',
    ])
      assert.equal((await called(path)).status, 404, path);
    assert.equal((await called('/production/12/accounts', { method: 'POST' })).status, 404, 'only the sandbox has it');
  });

  test('are not answered without the prefix: the API itself reads no cookies', async () => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await request(`${world.service.url}/12/accounts`, { headers: { cookie, 'x-form-token': token } });
    await reply.body.dump();
    assert.equal(reply.statusCode, 401);
  });

  test('of somebody who was suspended are refused', async () => {
    const eve = await addPerson(world);
    const own = browserOf(world.service.url);
    await logIn(own, eve);
    const ownToken = tokenOf((await own.get('/ads')).html);
    assert.equal((await called('/sandbox/12/accounts', { from: own, token: ownToken })).status, 200);
    await world.service.store.write((tx) => tx.credentials.changeUser(eve.id, { suspended: 1 }));
    assert.equal((await called('/sandbox/12/accounts', { from: own, token: ownToken })).status, 403);
  });
});
