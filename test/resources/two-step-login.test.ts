// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import {
  addApplication,
  addPerson,
  addRequestToken,
  type Browser,
  browserOf,
  logIn,
  outlineOf,
  type Person,
  type Seen,
  typed,
  unescaped,
} from '../rig/browser.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

const PAGE = '/settings/security';
const CODE = 'Enter your code';
let world: World;
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', login_failures_per_address: 10_000, service_name: 'Ads & Co' },
  });
});
after(() => world.close());

const browser = (): Browser => browserOf(world.service.url);
const headingOf = (page: Seen): string => outlineOf(page.html).heading;
const isLoggedIn = async (user: Browser): Promise<boolean> =>
  headingOf(await user.get('/login')) === 'You are logged in';

/** What an app would show now, or a number of steps later. */
function codeOf(secret: string, steps = 0): string {
  return TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: world.clock.now() + steps * 30_000 });
}

const keyOf = (page: Seen): string => {
  const key = /<dt>Setup key<\/dt><dd><code>([A-Z2-7-]+)<\/code>/.exec(page.html)![1]!;
  recordSecret('secret of one-time codes', key);
  return key.replaceAll('-', '');
};

/** A person who has turned it on, logged in with a browser; codes of later steps are still good. */
async function enrolled() {
  const person = await addPerson(world);
  const user = browser();
  await logIn(user, person);
  const page = await user.get(`${PAGE}?setup=yes`);
  const secret = keyOf(page);
  const told = await user.submit(page, { 'session[code]': codeOf(secret) });
  const codes = [...told.html.matchAll(/<li><code>([a-z2-7-]+)<\/code>/g)].map(([, code]) => code!);
  for (const code of codes) recordSecret('recovery code', code);
  world.clock.advance(60);
  return { person, user, secret, told, codes };
}

async function passwordStep(user: Browser, person: Person): Promise<Seen> {
  const page = await user.submit(await user.get('/login'), typed(person));
  assert.deepEqual([page.status, headingOf(page)], [200, CODE], page.html);
  return page;
}

describe('turning it on', () => {
  test('needs a code of the key, shown as QR code and text; recovery codes are shown once', async () => {
    const person = await addPerson(world);
    const user = browser();
    await logIn(user, person);
    assert.match((await user.get(PAGE)).html, /Two-step login is off\./);
    const page = await user.get(`${PAGE}?setup=yes`);
    assert.match(page.html, /<svg class="qr" role="img"/);
    const wrong = await user.submit(page, { 'session[code]': '000000' });
    assert.deepEqual([wrong.status, keyOf(wrong)], [400, keyOf(page)]);
    const told = await user.submit(wrong, { 'session[code]': codeOf(keyOf(page)) });
    assert.equal(headingOf(told), 'Your recovery codes');
    assert.equal(told.html.match(/<li><code>[a-z2-7]{4}(-[a-z2-7]{4}){3}<\/code>/g)?.length, 10);
    assert.match((await user.get(PAGE)).html, /Two-step login has been on since .* 10 recovery codes are left\./);
    // What is stored is sealed and hashed.
    const factor = await world.service.store.read((tx) => tx.secondFactors.find(person.id));
    assert.match(factor!.secret, /^k1\./);
    const again = await user.submit(page, { 'session[code]': codeOf(keyOf(page), 1) });
    assert.equal(again.status, 409);
  });

  test('the QR code has what apps read', async () => {
    const { totpUri: codeAddress } = await import('../../src/features/auth/logins/second-factor.ts');
    const address = codeAddress('JBSWY3DPEHPK3PXP', { service: 'Ads & Co', userName: 'ada' });
    assert.equal(
      address,
      'otpauth://totp/Ads%20%26%20Co:ada?issuer=Ads%20%26%20Co&secret=JBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    );
  });

  test('a key of another user is not accepted', async () => {
    const [one, other] = [browser(), browser()];
    await logIn(one, await addPerson(world));
    await logIn(other, await addPerson(world));
    const page = await other.get(`${PAGE}?setup=yes`);
    const draft = /name="draft" value="([^"]*)"/.exec(page.html)![1]!;
    const own = await one.get(`${PAGE}?setup=yes`);
    const sent = await one.submit(own, { draft: unescaped(draft), 'session[code]': codeOf(keyOf(page)) });
    assert.equal(sent.status, 403);
  });
});

describe('a login of a user who has turned it on', () => {
  test('asks for the code after the password, and continues to its destination', async () => {
    const { person, secret } = await enrolled();
    const user = browser();
    const page = await user.submit(await user.get('/login?continue=%2Fsettings%2Fpassword'), typed(person));
    assert.equal(headingOf(page), CODE);
    assert.equal(await isLoggedIn(user), false);
    const wrong = await user.submit(page, { 'session[code]': '123456' });
    assert.deepEqual([wrong.status, headingOf(wrong)], [401, CODE]);
    const sent = await user.submit(wrong, { 'session[code]': ` ${codeOf(secret).replace(/(...)/, '$1 ')}` });
    assert.deepEqual([sent.status, sent.location], [303, '/settings/password'], sent.html);
    assert.equal(await isLoggedIn(user), true);
  });

  test('accepts no code twice, none of an earlier step, and none too old', async () => {
    const { person, secret } = await enrolled();
    const code = codeOf(secret);
    const first = browser();
    assert.equal((await first.submit(await passwordStep(first, person), { 'session[code]': code })).status, 303);
    const second = browser();
    const page = await passwordStep(second, person);
    assert.equal((await second.submit(page, { 'session[code]': code })).status, 401);
    assert.equal((await second.submit(page, { 'session[code]': codeOf(secret, -1) })).status, 401);
    assert.equal((await second.submit(page, { 'session[code]': codeOf(secret, 2) })).status, 401);
    assert.equal((await second.submit(page, { 'session[code]': codeOf(secret, 1) })).status, 303);
  });

  test('accepts a recovery code once, however it is typed', async () => {
    const { person, codes } = await enrolled();
    const [code] = codes as [string];
    for (const [input, status] of [
      [code.toUpperCase().replaceAll('-', ' '), 303],
      [code, 401],
    ] as const) {
      const user = browser();
      assert.equal((await user.submit(await passwordStep(user, person), { 'session[code]': input })).status, status);
    }
  });

  test('is pending for five minutes, in this browser, for this password', async () => {
    const { person, secret } = await enrolled();
    const [user, other] = [browser(), browser()];
    const page = await passwordStep(user, person);
    const pending = unescaped(/name="session\[pending\]" value="([^"]*)"/.exec(page.html)![1]!);
    const stolen = await other.submit(await other.get('/login'), {
      'session[pending]': pending,
      'session[code]': codeOf(secret),
    });
    assert.deepEqual([stolen.status, headingOf(stolen)], [401, 'Log in']);
    world.clock.advance(300);
    const late = await user.submit(page, { 'session[code]': codeOf(secret) });
    assert.equal(late.status, 401);
    assert.match(late.html, /That took too long\. Log in again\./);
  });

  test('wrong codes are throttled like passwords, whatever the address', async () => {
    const { person, secret } = await enrolled();
    const user = browser();
    const page = await passwordStep(user, person);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await user.submit(page, { 'session[code]': '000000' })).status, 401);
    }
    assert.equal((await user.submit(page, { 'session[code]': codeOf(secret) })).status, 429);
    // A right password begins no new count.
    const again = browser();
    assert.equal(
      (await again.submit(await passwordStep(again, person), { 'session[code]': codeOf(secret) })).status,
      429,
    );
  });

  for (const [endpoint, callback] of [
    ['authorize', 'https://client.test/back'],
    ['authorize', 'oob'],
    ['authenticate', 'https://client.test/back'],
  ] as const) {
    test(`/oauth/${endpoint} with ${callback} asks for the code too, and grants nothing before`, async () => {
      const { person, secret } = await enrolled();
      const application = await addApplication(world, { callbacks: '["https://client.test/back"]', sign_in: 1 });
      const token = await addRequestToken(world, application, { callback });
      const state = async () => (await world.service.store.read((tx) => tx.requestTokens.find(token)))!.state;
      const user = browser();
      const asked = await user.get(`/oauth/${endpoint}?oauth_token=${token}&force_login=true`);
      const page = await user.submit(asked, typed(person));
      assert.deepEqual([page.status, headingOf(page), await state()], [200, CODE, 'issued']);
      assert.equal((await user.submit(page, { 'session[code]': '000000' })).status, 401);
      const sent = await user.submit(page, { 'session[code]': codeOf(secret) });
      if (endpoint === 'authenticate') {
        assert.equal(sent.location, `/oauth/authenticate?oauth_token=${token}`);
        assert.equal((await user.submit(await user.get(sent.location!))).status, 303);
      } else if (callback === 'oob') assert.match(sent.html, /<code>\d{7}<\/code>/);
      else assert.match(sent.location!, /^https:\/\/client\.test\/back\?oauth_token=.*&oauth_verifier=/);
      assert.equal(await state(), 'authorized');
    });
  }
});

describe('later', () => {
  test('confirming and changing the password ask for both', async () => {
    const { person, user, secret } = await enrolled();
    world.clock.advance(600);
    const page = await user.get('/settings/sessions');
    const alone = await user.submit(page, { 'session[password]': person.password });
    assert.equal(alone.status, 401);
    const both = { 'session[password]': person.password, 'session[code]': codeOf(secret) };
    assert.equal((await user.submit(alone, both)).status, 303);
    const next = { new_password: 'five patient herons', new_password_again: 'five patient herons' };
    const form = await user.get('/settings/password');
    assert.equal((await user.submit(form, { ...both, ...next }, { to: '/settings/password' })).status, 401);
    world.clock.advance(30);
    const good = { ...both, ...next, 'session[code]': codeOf(secret) };
    assert.equal((await user.submit(form, good, { to: '/settings/password' })).status, 303);
  });

  test('new recovery codes replace the former', async () => {
    const { person, user, codes } = await enrolled();
    const page = await user.get(PAGE);
    const told = await user.post(PAGE, {
      authenticity_token: /name="authenticity_token" value="([^"]*)"/.exec(page.html)![1]!,
      act: 'renew',
    });
    assert.equal(headingOf(told), 'Your recovery codes');
    const other = browser();
    const sent = await other.submit(await passwordStep(other, person), { 'session[code]': codes[3]! });
    assert.equal(sent.status, 401);
  });

  test('turning it off needs the password and a code', async () => {
    const { person, user, secret, codes } = await enrolled();
    const page = await user.get(PAGE);
    const [password, code] = [person.password, codeOf(secret)];
    const halves: Record<string, string>[] = [
      { 'session[password]': password },
      { 'session[code]': code },
      { 'session[password]': 'x', 'session[code]': code },
    ];
    for (const wrong of halves) {
      assert.equal((await user.submit(page, wrong)).status, 401);
    }
    const sent = await user.submit(page, { 'session[password]': password, 'session[code]': code });
    assert.deepEqual([sent.status, sent.location], [303, `${PAGE}?done=off`], sent.html);
    const other = browser();
    await logIn(other, person);
    const left = await world.service.store.read((tx) => tx.secondFactors.findRecoveryCount(person.id));
    assert.deepEqual([left, codes.length], [0, 10]);
  });
});
