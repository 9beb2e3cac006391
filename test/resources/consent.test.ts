// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { AccessLevel, Application } from '../../src/contract/store/credentials.ts';
import { issueToken } from '../../src/features/platform/registration.ts';
import {
  addApplication,
  addPerson,
  addRequestToken,
  type Browser,
  browserOf,
  formOf,
  linkOf,
  logIn,
  outlineOf,
  type Person,
  type Seen,
  typed,
  unescaped,
} from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
const browser = (): Browser => browserOf(world.service.url);

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', login_failures_per_address: 10_000 } });
  ada = await addPerson(world);
});
after(() => world.close());

/** The user granted an application a level before. */
async function grant(application: Application, person: Person, level: AccessLevel): Promise<void> {
  const { store, box, clock } = world.service;
  const now = formatInstant(clock.now());
  await store.write((tx) =>
    issueToken({ tx, box, random: secureRandom, now }, { application: application.id, user: person.id, level }),
  );
}

/** What a page asks for, as the decision table names it. */
function shownBy(page: Seen): string {
  if (page.status === 302) return 'redirect';
  assert.equal(page.status, 200, page.html);
  const asksLogin = page.html.includes('name="session[password]"');
  const asksConsent = /<h1>Give .* access to your Barker account\?<\/h1>/.test(page.html);
  return [asksLogin && 'login', asksConsent && 'consent'].filter(Boolean).join(' and ');
}

const BACK = 'https://client.test/back?next=%2Fhome';
const VERIFIED =
  /^https:\/\/client\.test\/back\?next=%2Fhome&oauth_token=([a-z0-9]+)&oauth_verifier=([A-Za-z0-9]{20,})$/;

/** A request token of a new application, asked for by a browser in which somebody may be logged in. */
async function begin(told: Partial<Application> = {}, asked: Parameters<typeof addRequestToken>[2] = {}) {
  const application = await addApplication(world, told);
  const token = await addRequestToken(world, application, asked);
  const state = async () => (await world.service.store.read((tx) => tx.requestTokens.find(token)))!.state;
  return { application, token, path: `/oauth/authorize?oauth_token=${token}`, state };
}

describe('the page for each state', () => {
  const [no, yes, off, on] = [false, true, false, true];
  const rows: [endpoint: string, S: boolean, F: boolean, G: boolean, A: boolean, shown: string, then?: string][] = [
    ['authorize', no, no, no, off, 'login and consent', 'callback'],
    ['authorize', no, no, yes, on, 'login and consent', 'callback'],
    ['authorize', no, yes, no, on, 'login and consent', 'callback'],
    ['authorize', no, yes, yes, off, 'login and consent', 'callback'],
    ['authorize', yes, no, no, off, 'consent', 'callback'],
    ['authorize', yes, no, yes, on, 'consent', 'callback'],
    ['authorize', yes, yes, no, off, 'login and consent', 'callback'],
    ['authorize', yes, yes, yes, on, 'login and consent', 'callback'],
    ['authenticate', yes, no, yes, on, 'redirect'],
    ['authenticate', yes, no, yes, off, 'consent', 'callback'],
    ['authenticate', yes, no, no, on, 'consent', 'callback'],
    ['authenticate', yes, no, no, off, 'consent', 'callback'],
    ['authenticate', no, no, yes, on, 'login', 'callback'],
    ['authenticate', no, yes, yes, on, 'login', 'callback'],
    ['authenticate', yes, yes, yes, on, 'login', 'callback'],
    ['authenticate', no, no, no, on, 'login', 'consent'],
    ['authenticate', no, yes, no, on, 'login', 'consent'],
    ['authenticate', no, no, no, off, 'login and consent', 'callback'],
    ['authenticate', no, no, yes, off, 'login and consent', 'callback'],
    ['authenticate', yes, yes, no, on, 'login and consent', 'callback'],
    ['authenticate', yes, yes, yes, off, 'login and consent', 'callback'],
  ];
  for (const [endpoint, S, F, G, A, shown, then] of rows) {
    test(`${endpoint}: session ${S}, force_login ${F}, granted ${G}, sign-in ${A} -> ${shown}`, async () => {
      const user = browser();
      const { application, token } = await begin({ sign_in: A ? 1 : 0 });
      if (S) await logIn(user, ada);
      if (G) await grant(application, ada, 'read-write');
      const path = `/oauth/${endpoint}?oauth_token=${token}${F ? '&force_login=true' : ''}`;
      const page = await user.get(path);
      assert.equal(shownBy(page), shown);
      if (!then) return assert.match(page.location!, VERIFIED);
      const asksLogin = page.html.includes('session[password]');
      const sent = await user.submit(page, asksLogin ? typed(ada) : {});
      assert.equal(sent.status, 303, sent.html);
      if (then === 'callback') return assert.match(sent.location!, VERIFIED);
      assert.equal(sent.location, `/oauth/${endpoint}?oauth_token=${token}`);
      assert.equal(shownBy(await user.get(sent.location!)), then);
    });
  }

  const cells = [no, yes];
  const combinations = cells.flatMap((S) => cells.flatMap((F) => cells.flatMap((G) => cells.map((A) => [S, F, G, A]))));
  for (const [S, F, G, A] of combinations) {
    const shown = S && !F ? 'consent' : 'login and consent';
    test(`authenticate with a PIN: session ${S}, force_login ${F}, granted ${G}, sign-in ${A} -> ${shown}`, async () => {
      const user = browser();
      const { application, token } = await begin({ sign_in: A ? 1 : 0 }, { callback: 'oob' });
      if (S) await logIn(user, ada);
      if (G) await grant(application, ada, 'read-write');
      const page = await user.get(`/oauth/authenticate?oauth_token=${token}${F ? '&force_login=true' : ''}`);
      assert.equal(shownBy(page), shown);
    });
  }

  test('a lower level granted before does not count', async () => {
    const user = browser();
    const { application, token } = await begin({ sign_in: 1 });
    await grant(application, ada, 'read');
    await logIn(user, ada);
    assert.equal(shownBy(await user.get(`/oauth/authenticate?oauth_token=${token}`)), 'consent');
  });

  test('HEAD changes nothing', async () => {
    const user = browser();
    const { application, token, state } = await begin({ sign_in: 1 });
    await grant(application, ada, 'read-write');
    await logIn(user, ada);
    const cookie = [...user.cookies].map((pair) => pair.join('=')).join('; ');
    const url = `${world.service.url}/oauth/authenticate?oauth_token=${token}`;
    const peek = await fetch(url, { method: 'HEAD', redirect: 'manual', headers: { cookie } });
    assert.equal(peek.status, 302);
    assert.equal(await state(), 'issued');
  });

  for (const [value, prefill, asks] of [
    ['1', 'bob', true],
    ['true', 'b"<ob', true],
    ['false', 'bob', false],
    ['TRUE', 'bob', false],
  ] as const) {
    test(`force_login=${value} and screen_name=${prefill}`, async () => {
      const user = browser();
      await logIn(user, ada);
      const { path } = await begin();
      const page = await user.get(`${path}&force_login=${value}&screen_name=${encodeURIComponent(prefill)}&lang=xx`);
      assert.equal(shownBy(page), asks ? 'login and consent' : 'consent');
      if (asks) assert.equal(formOf(page.html).members['session[username_or_email]'], prefill);
    });
  }
});

describe('the form', () => {
  test('has the elements that scripts rely on', async () => {
    const { token, path } = await begin();
    const { html } = await browser().get(`${path}&force_login=true`);
    assert.match(html, /<form id="oauth_form" method="post" action="\/oauth\/authorize">/);
    const { members } = formOf(html);
    const names = [
      'authenticity_token',
      'form_key',
      'page_language',
      'oauth_token',
      'force_login',
      'session[username_or_email]',
      'session[password]',
    ];
    assert.deepEqual(Object.keys(members), names);
    assert.equal(members.oauth_token, token);
    assert.match(html, /<button[^>]*type="submit" id="allow"/);
    assert.match(html, /<button[^>]*id="cancel" name="cancel"/);
  });

  const lists: [level: AccessLevel, can: number, cannot: RegExp][] = [
    ['read', 2, /Manage the advertising accounts.*Post and update.*direct messages.*password/s],
    ['read-write', 4, /direct messages.*password/s],
    ['read-write-directmessages', 5, /password/],
  ];
  for (const [level, count, cannot] of lists) {
    test(`explains level ${level}`, async () => {
      const { path } = await begin({ access_level: level });
      const { html } = await browser().get(path);
      const [, can = ''] = /<ul class="can">(.*?)<\/ul>/s.exec(html)!;
      const [, not = ''] = /<ul class="cannot">(.*?)<\/ul>/s.exec(html)!;
      assert.equal(can.split('<li>').length - 1, count);
      assert.match(not, cannot);
      for (const item of can.matchAll(/<li>(.*?)<\/li>/g)) assert.ok(!not.includes(item[1]!));
    });
  }

  test('names the application, the callback and the user', async () => {
    const user = browser();
    await logIn(user, ada);
    const { path, token } = await begin({
      description: 'Numbers every morning.',
      organization_name: 'Tables & Sons',
      organization_url: 'https://sons.test/',
      website_url: 'https://reports.test/',
      terms_url: 'https://reports.test/terms',
      privacy_url: 'javascript:alert(1)',
    });
    const { html } = await user.get(path);
    const text = unescaped(html);
    for (const part of ['Numbers every morning.', 'href="https://sons.test/"', 'Tables & Sons', 'reports.test/terms']) {
      assert.ok(text.includes(part), part);
    }
    assert.match(html, /redirected to <strong class="host">client\.test<\/strong>/);
    assert.ok(html.includes(`@${ada.name}`));
    assert.ok(!html.includes('javascript:'));
    assert.equal(linkOf(html, 'Not you?'), `/oauth/authorize?oauth_token=${token}&force_login=true`);
  });

  const hosts: [callback: string, shown: string, source: string][] = [
    ['https://client.test/back', 'client.test', 'https://client.test'],
    ['https://client.test:8443/', 'client.test:8443', 'https://client.test:8443'],
    ['http://127.0.0.1:9911/cb', '127.0.0.1:9911', 'http://127.0.0.1:9911'],
    ['http://[::1]:9911/cb', '[::1]:9911', 'http:'],
    ['myapp://done', 'myapp:', 'myapp:'],
    ['com.example.app:/cb', 'com.example.app:', 'com.example.app:'],
    ['https://b%C3%BCcher.test/', 'xn--bcher-kva.test', 'https://xn--bcher-kva.test'],
    ['https://%D0%B0pple.test/', 'xn--pple-43d.test', 'https://xn--pple-43d.test'],
  ];
  for (const [callback, shown, source] of hosts) {
    test(`may lead to ${callback}, shown as ${shown}`, async () => {
      const { path } = await begin({ callbacks: JSON.stringify([callback]) });
      const { html, headers } = await browser().get(path);
      assert.ok(html.includes(`<strong class="host">${shown}</strong>`), html);
      const policy = headers.get('content-security-policy')!;
      assert.equal(/form-action ([^;]*)/.exec(policy)![1], `'self' ${source}`);
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    });
  }

  test('shows hostile names as text', async () => {
    const hostile = '<script>alert("1")</script>\'"><b>';
    const { path } = await begin({
      name: hostile.slice(0, 32),
      description: hostile,
      organization_name: hostile,
      organization_url: 'https://a.test/"><script>',
      website_url: 'javascript:alert(1)//',
    });
    const { html, status } = await browser().get(path);
    assert.equal(status, 200);
    assert.ok(!/<script|<b>|href="javascript/.test(html), html);
  });

  test('every page has protective headers', async () => {
    const user = browser();
    const { path } = await begin();
    const consent = await user.get(path);
    const pages = [consent, await user.get('/login'), await user.get('/oauth/authorize'), await user.submit(consent)];
    for (const { headers } of pages) {
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/);
      assert.equal(headers.get('strict-transport-security'), null);
    }
  });
});

describe('outcomes', () => {
  test('approved: the callback with token and verifier behind its own query', async () => {
    const user = browser();
    const { token, path, state } = await begin();
    const sent = await user.submit(await user.get(path), typed(ada));
    assert.equal(sent.status, 303);
    assert.equal(VERIFIED.exec(sent.location!)![1], token);
    assert.equal(await state(), 'authorized');
  });

  const others: [callback: string, back: RegExp][] = [
    ['https://client.test/back', /^https:\/\/client\.test\/back\?oauth_token=\w+&oauth_verifier=\w+$/],
    ['http://127.0.0.1:9911/cb?a=1', /^http:\/\/127\.0\.0\.1:9911\/cb\?a=1&oauth_token=\w+&oauth_verifier=\w+$/],
    ['myapp://done', /^myapp:\/\/done\?oauth_token=\w+&oauth_verifier=\w+$/],
  ];
  for (const [callback, back] of others) {
    test(`approved for ${callback}, with a link for browsers that do not follow`, async () => {
      const user = browser();
      const { path } = await begin({ callbacks: JSON.stringify([callback]) });
      const sent = await user.submit(await user.get(path), typed(ada));
      assert.match(sent.location!, back);
      assert.equal(linkOf(sent.html, 'verifier'), sent.location);
    });
  }

  for (const member of ['cancel', 'deny']) {
    test(`${member}: the callback learns it, without a login`, async () => {
      const user = browser();
      const { token, path, state } = await begin();
      const sent = await user.submit(await user.get(path), { [member]: 'Cancel' });
      assert.equal(sent.status, 303);
      assert.equal(sent.location, `${BACK}&denied=${token}`);
      assert.equal(await state(), 'denied');
    });
  }

  test('a denial keeps what was granted before', async () => {
    const user = browser();
    await logIn(user, ada);
    const { application, path } = await begin();
    await grant(application, ada, 'read-write');
    await user.submit(await user.get(path), { cancel: 'Cancel' });
    assert.ok(await world.service.grants.isGranted(application.id, ada.id, 'read-write'));
  });

  for (const [standing, heading] of [
    [{ isSuspended: true }, 'Your account is suspended'],
    [{ isLocked: true }, 'Your account is locked'],
  ] as const) {
    test(`${heading}: the user sees the reason, and nothing is granted`, async () => {
      const person = await addPerson(world, standing);
      const user = browser();
      const { path, state } = await begin();
      const sent = await user.submit(await user.get(path), typed(person));
      assert.deepEqual([sent.status, sent.location], [403, null]);
      assert.equal(outlineOf(sent.html).heading, heading);
      assert.equal(await state(), 'issued');
    });
  }

  test('of twenty concurrent approvals in four browsers, those of one return to the application, with one verifier', async () => {
    const { token, path } = await begin();
    const users = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const user = browser();
        await logIn(user, ada);
        return { user, page: await user.get(path) };
      }),
    );
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const { user, page } = users[index % users.length]!;
        return user.submit(page);
      }),
    );
    const statuses = sent.map((seen) => seen.status).sort();
    assert.deepEqual(statuses, [...Array(5).fill(303), ...Array(15).fill(403)]);
    assert.equal(new Set(sent.flatMap(({ location }) => location ?? [])).size, 1);
    assert.ok(token);
  });
});
