// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { issueOwnerToken, suspendApplication } from '../../src/features/auth/applications/administration.ts';
import { bearerOf, withBearer } from '../rig/application.ts';
import { addPerson, type Browser, browserOf, logIn, outlineOf, type Person, unescaped } from '../rig/browser.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { type AppliedChange, confirm, faultsOf, filled, keysOn, make, ownToken, shownAs } from '../rig/developer.ts';
import { approve, begin, end } from '../rig/login.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
let browser: Browser;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  browser = browserOf(world.service.url);
  await logIn(browser, ada);
});
after(() => world.close());

const callerOf = (made: AppliedChange, token: { access_token: string; access_token_secret: string }): Client =>
  clientOf(world.service.url, { ...made, ...token }, world.clock);

const status = async (client: Client): Promise<unknown> => {
  const reply = await client.call('GET', '/1.1/account/verify_credentials.json');
  return reply.status === 200 ? 200 : [reply.status, reply.body.errors[0].code];
};

describe('changing', () => {
  test('every field is stored, and shown again', async () => {
    const { path, id } = await make(browser);
    const told = filled({
      description: 'Makes reports',
      organization_name: 'Reports & Sons',
      organization_url: 'https://sons.example/',
      terms_url: 'https://reports.example/terms',
      privacy_url: 'https://reports.example/privacy',
      callbacks: 'com.example.reports:/back',
      access_level: 'read-write-directmessages',
      sign_in: '1',
      extra_query: '1',
      native: '1',
      email_access: '1',
    });
    const saved = await browser.submit(await browser.get(path), told, { to: path });
    assert.deepEqual([saved.status, saved.location], [303, `${path}?saved=yes`]);
    const shown = await browser.get(saved.location!);
    assert.match(shown.html, /role="status">Saved\./);
    assert.ok(shown.html.includes('Reports &#38; Sons'));
    // Saving what is shown changes nothing.
    await browser.submit(shown, {}, { to: path });
    const stored = await world.service.store.read((tx) => tx.credentials.findApplication(id));
    const { callbacks, ...rest } = told;
    for (const [name, value] of Object.entries(rest)) {
      assert.equal(String(stored![name as keyof typeof stored]), value, name);
    }
    assert.deepEqual(JSON.parse(stored!.callbacks), [callbacks]);
  });

  test('an unchecked box is off', async () => {
    const { path, id } = await make(browser, { sign_in: '1' });
    await browser.submit(await browser.get(path), {}, { to: path, without: ['sign_in'] });
    const stored = await world.service.store.read((tx) => tx.credentials.findApplication(id));
    assert.equal(stored!.sign_in, 0);
  });

  test('an invalid change is reported in place and changes nothing', async () => {
    const { path, id } = await make(browser);
    const seen = await browser.submit(await browser.get(path), { callbacks: 'x', name: 'Changed' }, { to: path });
    assert.equal(seen.status, 400);
    assert.equal(faultsOf(seen.html).length, 1);
    const stored = await world.service.store.read((tx) => tx.credentials.findApplication(id));
    assert.notEqual(stored!.name, 'Changed');
  });

  test('a new level applies only to new tokens, and the page lists older ones', async () => {
    const made = await make(browser, { access_level: 'read' });
    const token = await ownToken(browser, made);
    const first = callerOf(made, token);
    assert.equal(
      (await first.call('GET', '/1.1/account/verify_credentials.json')).headers.get('x-access-level'),
      'read',
    );
    await browser.submit(await browser.get(made.path), { access_level: 'read-write' }, { to: made.path });
    const inSandbox = clientOf(world.service.sandboxUrl, { ...made, ...token }, world.clock);
    assert.equal((await inSandbox.call('POST', '/12/accounts')).status, 403, 'the token is as it was');
    const { html } = await browser.get(made.path);
    assert.match(html, /The level of 1 token differs from that of the application/);
    assert.match(html, new RegExp(`<th scope="row">@${ada.name}</th><td>Read</td>`));
    const second = callerOf(made, await ownToken(browser, made));
    assert.equal(
      (await second.call('GET', '/1.1/account/verify_credentials.json')).headers.get('x-access-level'),
      'read-write',
    );
    assert.deepEqual(await status(first), [401, 89], 'the former token of the owner is revoked');
    assert.doesNotMatch((await browser.get(made.path)).html, /differs from that of/);
  });
});

describe('testing a callback', () => {
  const input: [tried: string, says: RegExp][] = [
    ['https://reports.example/back', /is accepted/],
    ['http://127.0.0.1:49152/back', /is accepted/],
    ['oob', /is accepted/],
    [
      'https://reports.example/back/',
      /does not exactly match a registered callback URL. The closest one is: https:\/\/reports.example\/back/,
    ],
    ['https://reports.example/back?a=1', /does not exactly match/],
    ['javascript:alert(1)', /it has the scheme javascript, which is refused/],
    ['<script>', /it is not an absolute URL/],
  ];
  for (const [tried, says] of input) {
    test(tried, async () => {
      const { path } = await make(browser);
      const { status: code, html } = await browser.get(`${path}?${new URLSearchParams({ callback: tried })}`);
      assert.equal(code, 200);
      assert.match(unescaped(/id="trial">.*?<form/s.exec(html)![0]), says);
      assert.ok(!html.includes('<script>'));
    });
  }
});

describe('new keys', () => {
  test('end the former ones, the bearer token and pending logins; tokens of users stay valid', async () => {
    const made = await make(browser);
    const own = await ownToken(browser, made);
    const bearer = await bearerOf(world, made);
    const keys = { ...made, ...own };
    const open = await begin(world, keys, { callback: 'oob' });
    const done = await begin(world, keys, { callback: 'oob' });
    const verifier = await approve(world, done.token, ada.id);

    const page = await confirm(browser, `${made.path}/keys`);
    const fresh = { ...made, ...keysOn(page) };
    assert.notEqual(fresh.consumer_key, made.consumer_key);
    assert.deepEqual(await status(callerOf(made, own)), [401, 32]);
    assert.equal(await status(callerOf(fresh, own)), 200);
    assert.equal((await withBearer(world, bearer, `/1.1/users/show.json?user_id=${ada.id}`)).status, 401);
    assert.notEqual(await bearerOf(world, fresh), bearer);
    const exchanged = await end(world, { ...fresh, ...own }, done, verifier);
    assert.deepEqual([exchanged.status, exchanged.body.errors[0].code], [401, 89]);
    assert.equal((await browser.get(`/oauth/authorize?oauth_token=${open.token}`)).status, 403);
  });

  test('are regenerated once for each confirmation', async () => {
    const made = await make(browser);
    const [question, another] = [await browser.get(`${made.path}/keys`), await browser.get(`${made.path}/keys`)];
    const first = keysOn(await browser.submit(question, {}, { to: `${made.path}/keys` }));
    assert.deepEqual(keysOn(await browser.submit(question, {}, { to: `${made.path}/keys` })), first);
    const again = await browser.submit(another, {}, { to: `${made.path}/keys` });
    assert.equal(again.status, 409);
    assert.equal(outlineOf(again.html).heading, 'This has already been done');
    assert.ok((await browser.get(made.path)).html.includes(first.consumer_key));
  });
});

describe('a bearer token', () => {
  test('is created, replaced and revoked on the page', async () => {
    const made = await make(browser);
    const works = async (value: string) =>
      (await withBearer(world, value, `/1.1/users/show.json?user_id=${ada.id}`)).status;
    const first = shownAs((await confirm(browser, `${made.path}/bearer`)).html, 'Bearer token');
    assert.equal(await works(first), 200);
    assert.equal(await bearerOf(world, made), first, 'the one that the interface gives out');
    const second = shownAs((await confirm(browser, `${made.path}/bearer`)).html, 'Bearer token');
    assert.deepEqual([await works(first), await works(second)], [401, 200]);
    const revoked = await confirm(browser, `${made.path}/bearer/revoke`);
    assert.equal(revoked.status, 303);
    assert.equal(await works(second), 401);
    assert.match((await browser.get(made.path)).html, /<p>None\.<\/p>/);
  });
});

describe('a suspended application', () => {
  test('shows it on its page, loses pending logins, and works again with the same tokens', async () => {
    const made = await make(browser);
    const own = await ownToken(browser, made);
    const bearer = await bearerOf(world, made);
    const open = await begin(world, { ...made, ...own }, { callback: 'oob' });
    await world.service.store.write((tx) => suspendApplication(tx, made.id, true));
    assert.deepEqual(await status(callerOf(made, own)), [401, 416]);
    assert.match((await browser.get(made.path)).html, /This application is suspended/);
    await world.service.store.write((tx) => suspendApplication(tx, made.id, false));
    assert.equal(await status(callerOf(made, own)), 200);
    assert.equal((await withBearer(world, bearer, `/1.1/users/show.json?user_id=${ada.id}`)).status, 200);
    assert.equal((await browser.get(`/oauth/authorize?oauth_token=${open.token}`)).status, 403);
  });

  test('gets tokens of its owner one after the other', async () => {
    const made = await make(browser);
    const { store, box } = world.service;
    const application = (await store.read((tx) => tx.credentials.findApplication(made.id)))!;
    const issued = await Promise.all(
      Array.from({ length: 10 }, () =>
        store.write((tx) =>
          issueOwnerToken({ tx, box, random: secureRandom, now: '2026-03-02T17:04:55Z' }, application),
        ),
      ),
    );
    const live = await store.read((tx) => tx.credentials.findLiveTokens(ada.id, made.id));
    assert.equal(live.length, 1);
    assert.equal(issued.filter(({ token }) => token === live[0]!.token).length, 1);
  });
});

describe('an e-mail address', () => {
  test('is returned to an application that may see it, and only on request', async () => {
    const links = { terms_url: 'https://a.example/t', privacy_url: 'https://a.example/p' };
    const [with_, without] = [await make(browser, { ...links, email_access: '1' }), await make(browser, links)];
    const emailFor = async (made: AppliedChange, query: string) => {
      const reply = await callerOf(made, await ownToken(browser, made)).call(
        'GET',
        `/1.1/account/verify_credentials.json${query}`,
      );
      assert.equal(reply.status, 200);
      return 'email' in reply.body ? reply.body.email : 'no key';
    };
    assert.equal(await emailFor(with_, '?include_email=true'), null);
    assert.equal(await emailFor(with_, ''), 'no key');
    assert.equal(await emailFor(without, '?include_email=true'), 'no key');
  });
});
