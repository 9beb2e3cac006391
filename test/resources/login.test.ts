// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import {
  addApplication,
  addPerson,
  addRequestToken,
  type Browser,
  browserOf,
  formOf,
  logIn,
  outlineOf,
  type Person,
  type Seen,
  typed,
} from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
const browser = (): Browser => browserOf(world.service.url);
const headingOf = (page: Seen): string => outlineOf(page.html).heading;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
});
after(() => world.close());

/** Nothing that was counted is still held against anybody. */
const forget = (): void => world.clock.advance(30 * 86_400);

describe('the login page', () => {
  test('logs in by the name in any case and with an at sign, and logs out', async () => {
    const user = browser();
    const page = await user.get('/login');
    const sent = await user.submit(page, typed({ ...ada, name: ` @${ada.name.toUpperCase()} ` }));
    assert.deepEqual([sent.status, sent.location], [303, '/ads']);
    const account = await user.get('/login');
    assert.equal(headingOf(account), 'You are logged in');
    assert.ok(account.html.includes(ada.name));
    const out = await user.submit(account);
    assert.deepEqual([out.status, out.location, user.cookies.has('sess')], [303, '/login', false]);
    assert.equal(headingOf(await user.get('/logout')), 'Log in');
  });

  test('a wrong password and an unknown name get the same reply, with the name filled in', async () => {
    const answers: string[] = [];
    for (const input of [
      { name: ada.name, password: 'wrong' },
      { name: 'nobody', password: ada.password },
    ]) {
      const user = browser();
      const sent = await user.submit(await user.get('/login'), typed(input));
      assert.equal(sent.status, 401);
      assert.match(sent.html, /role="alert"/);
      assert.match(sent.html, /aria-invalid="true" aria-describedby="problem"/);
      assert.ok(!sent.html.includes(input.password));
      assert.equal(formOf(sent.html).members['session[username_or_email]'], input.name);
      answers.push(sent.html.replace(input.name, '').replaceAll(/value="([\w-]{43}|k1\.[^"]+)"/g, ''));
      assert.equal(headingOf(await user.get('/login')), 'Log in');
    }
    assert.equal(answers[0], answers[1]);
    forget();
  });

  test('a user without a password cannot log in, with none or any', async () => {
    const { store } = world.service;
    const now = '2026-01-01T00:00:00Z';
    const row = {
      id: '77',
      screen_name: 'bare',
      name: 'Bare',
      password_hash: '',
      suspended: 0 as const,
      email: null,
      created_at: now,
    };
    await store.write((tx) => tx.credentials.addUser(row));
    for (const password of ['', 'any']) {
      const user = browser();
      const sent = await user.submit(await user.get('/login'), typed({ name: 'bare', password }));
      assert.equal(sent.status, 401);
    }
    forget();
  });

  for (const [standing, heading] of [
    [{ isSuspended: true }, 'Your account is suspended'],
    [{ isLocked: true }, 'Your account is locked'],
  ] as const) {
    test(`${heading}: the user learns it only after the right password`, async () => {
      const person = await addPerson(world, standing);
      const user = browser();
      const wrong = await user.submit(await user.get('/login'), typed({ ...person, password: 'wrong' }));
      assert.equal(wrong.status, 401);
      const sent = await user.submit(wrong, typed(person));
      assert.deepEqual([sent.status, headingOf(sent)], [403, heading]);
      assert.equal(headingOf(await user.get('/login')), 'Log in');
      forget();
    });
  }

  for (const [method, path] of [
    ['PUT', '/login'],
    ['DELETE', '/oauth/authorize'],
  ] as const) {
    test(`${method} ${path} is refused with the allowed methods`, async () => {
      const reply = await fetch(world.service.url + path, { method });
      assert.equal(reply.status, 405);
      assert.equal(reply.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
      assert.equal(((await reply.json()) as { errors: { code: number }[] }).errors[0]!.code, 86);
    });
  }

  test('a form that is too large is refused', async () => {
    const user = browser();
    const sent = await user.submit(await user.get('/login'), { more: 'x'.repeat(200_000) });
    assert.equal(sent.status, 413);
  });
});

describe('a session', () => {
  const stored = async (user: Browser) => {
    const id = createHash('sha256').update(user.cookies.get('sess')!).digest('hex');
    return world.service.store.read((tx) => tx.sessions.find(id));
  };
  const isLoggedIn = async (user: Browser): Promise<boolean> =>
    headingOf(await user.get('/login')) === 'You are logged in';

  test('has a new value and a new form token after the login; the former are invalid', async () => {
    const user = browser();
    const page = await user.get('/login');
    const former = user.cookies.get('sess')!;
    const { authenticity_token } = formOf(page.html).members;
    await user.submit(page, typed(ada));
    assert.notEqual(user.cookies.get('sess'), former);
    const other = browser();
    other.cookies.set('sess', former);
    assert.equal(await isLoggedIn(other), false);
    const account = await user.get('/login');
    assert.notEqual(formOf(account.html).members.authenticity_token, authenticity_token);
    assert.equal((await user.submit(page)).status, 403);
    assert.equal(await isLoggedIn(user), true);
  });

  test('is stored as a hash, and its cookie is HttpOnly and SameSite', async () => {
    const user = browser();
    const page = await user.get('/login');
    const set = page.headers.getSetCookie();
    assert.equal(set.length, 1);
    assert.match(set[0]!, /^sess=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(await stored(user), undefined, 'nothing is stored before the login');
    await logIn(user, ada);
    assert.equal((await stored(user))!.user_id, ada.id);
  });

  test('is ended by logging out, also on the server', async () => {
    const user = browser();
    await logIn(user, ada);
    const value = user.cookies.get('sess')!;
    await user.submit(await user.get('/login'));
    user.cookies.set('sess', value);
    assert.equal(await isLoggedIn(user), false);
  });

  test('ends after 30 minutes without use', async () => {
    const user = browser();
    await logIn(user, ada);
    world.clock.advance(29 * 60);
    assert.equal(await isLoggedIn(user), true);
    world.clock.advance(29 * 60);
    assert.equal(await isLoggedIn(user), true);
    world.clock.advance(30 * 60);
    assert.equal(await isLoggedIn(user), false);
  });

  test('ends after 12 hours, however much it is used', async () => {
    const user = browser();
    await logIn(user, ada);
    for (let passed = 20; passed < 12 * 60; passed += 20) {
      world.clock.advance(20 * 60);
      assert.equal(await isLoggedIn(user), true, `after ${passed} minutes`);
    }
    world.clock.advance(20 * 60);
    assert.equal(await isLoggedIn(user), false);
  });

  test('that was never issued is ignored', async () => {
    for (const value of ['x'.repeat(43), '', '../etc', 'x'.repeat(5000)]) {
      const user = browser();
      user.cookies.set('sess', value);
      assert.equal(await isLoggedIn(user), false);
    }
  });
});

describe('a form', () => {
  /** The consent form of a user who is logged in: what a forger is after. */
  async function open() {
    const user = browser();
    await logIn(user, ada);
    const token = await addRequestToken(world, await addApplication(world));
    const page = await user.get(`/oauth/authorize?oauth_token=${token}`);
    return { user, page, token };
  }

  const refused: [name: string, filled: Record<string, string>, headers: Record<string, string>][] = [
    ['without its token', { authenticity_token: '' }, {}],
    ['with another token', { authenticity_token: 'x'.repeat(43) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['from a sister site', {}, { 'sec-fetch-site': 'same-site' }],
    ['from another origin', {}, { origin: 'https://evil.test' }],
    ['from another port', {}, { origin: 'http://127.0.0.1:1' }],
  ];
  for (const [name, filled, headers] of refused) {
    test(`${name} is refused`, async () => {
      const { user, page } = await open();
      const sent = await user.submit(page, filled, { headers });
      assert.deepEqual([sent.status, sent.location, headingOf(sent)], [403, null, 'This page has expired']);
      const told = await user.submit(page, filled, { headers: { ...headers, accept: 'application/json' } });
      assert.deepEqual(JSON.parse(told.html), {
        errors: [{ code: 353, message: 'This request requires a matching form token.' }],
      });
      assert.equal((await user.submit(page)).status, 303);
    });
  }

  const taken: [name: string, headers: Record<string, string>][] = [
    ['with the own origin', { origin: 'own' }],
    ['with the origin that a page without referrer has', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ];
  for (const [name, headers] of taken) {
    test(`${name} is taken`, async () => {
      const { user, page } = await open();
      const own = headers.origin === 'own' ? { ...headers, origin: world.service.url } : headers;
      assert.equal((await user.submit(page, {}, { headers: own })).status, 303);
    });
  }

  test('of one browser is refused from another', async () => {
    const { page } = await open();
    const other = browser();
    await logIn(other, ada);
    assert.equal((await other.submit(page)).status, 403);
    assert.equal((await browser().submit(page)).status, 403);
  });

  test('is needed for login and logout as well', async () => {
    const user = browser();
    await logIn(user, ada);
    for (const path of ['/login', '/logout']) assert.equal((await user.post(path, typed(ada))).status, 403);
  });
});

describe('logins that fail', () => {
  const attempt = async (user: Browser, input: Pick<Person, 'name' | 'password'>): Promise<Seen> =>
    user.submit(await user.get('/login'), typed(input));

  for (const kind of ['known', 'unknown']) {
    test(`ten lock an account for 15 minutes, then for longer: ${kind} name`, async () => {
      forget();
      const person = kind === 'known' ? await addPerson(world) : { id: '', name: 'ghost', password: 'x' };
      const user = browser();
      const fail = async (): Promise<number> => (await attempt(user, { ...person, password: 'wrong' })).status;
      for (let count = 0; count < 10; count += 1) assert.equal(await fail(), 401);
      const locked = await attempt(user, person);
      assert.deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900']);
      assert.equal(headingOf(locked), 'Too many login attempts');
      world.clock.advance(901);
      for (let count = 0; count < 10; count += 1) assert.equal(await fail(), 401);
      assert.equal((await attempt(user, person)).headers.get('retry-after'), '1800');
      world.clock.advance(1801);
      assert.equal((await attempt(user, person)).status, kind === 'known' ? 303 : 401);
    });
  }

  test('a successful login does not count as a failure', async () => {
    forget();
    const person = await addPerson(world);
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 9; count += 1) {
        assert.equal((await attempt(browser(), { ...person, password: 'wrong' })).status, 401);
      }
      assert.equal((await attempt(browser(), person)).status, 303);
      world.clock.advance(901);
    }
  });

  test('in parallel, no more are tried than in sequence', async () => {
    forget();
    const person = await addPerson(world);
    const user = browser();
    const page = await user.get('/login');
    const guesses = Array.from({ length: 20 }, () => user.submit(page, typed({ ...person, password: 'wrong' })));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(10).fill(401), ...Array(10).fill(429)]);
  });

  test('fifty from one address block it, whatever the names; also on the consent page', async () => {
    forget();
    const user = browser();
    const token = await addRequestToken(world, await addApplication(world));
    const page = await user.get(`/oauth/authorize?oauth_token=${token}`);
    for (let count = 0; count < 50; count += 1) {
      const sent = await user.submit(page, typed({ name: `guess${count}`, password: 'wrong' }));
      assert.equal(sent.status, 401);
      assert.equal(outlineOf(sent.html).buttons.length, 2);
    }
    const sent = await user.submit(page, typed(ada));
    assert.equal(sent.status, 429);
    assert.ok(Number(sent.headers.get('retry-after')) > 0);
    const json = await user.submit(page, typed(ada), { headers: { accept: 'application/json' } });
    assert.equal(JSON.parse(json.html).errors[0].code, 88);
    forget();
  });

  test('cost the same work for existing and unknown names', async () => {
    forget();
    let hashes = 0;
    const counting = createHook({ init: (_, type) => void (type === 'ARGON2REQUEST' && hashes++) }).enable();
    const hashesOf = async (name: string): Promise<number> => {
      const user = browser();
      const page = await user.get('/login');
      hashes = 0;
      await user.submit(page, typed({ name, password: 'wrong' }));
      return hashes;
    };
    const { name } = await addPerson(world);
    assert.deepEqual([await hashesOf(name), await hashesOf('nobody')], [1, 1]);
    counting.disable();
  });
});

test('pages are served 300 times in 15 minutes to one address', async () => {
  const limited = await openWorld({ flags: { rate_page_views_per_15min: 5 } });
  try {
    const user = browserOf(limited.service.url);
    for (let count = 0; count < 5; count += 1) assert.equal((await user.get('/login')).status, 200);
    const page = await user.get('/login');
    assert.deepEqual([page.status, page.headers.get('retry-after')], [429, '900']);
    assert.equal(headingOf(page), 'Too many requests');
    limited.clock.advance(901);
    assert.equal((await user.get('/login')).status, 200);
  } finally {
    await limited.close();
  }
});

describe('behind a proxy that ends https', () => {
  let secure: World;
  const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ads.example.test' };
  before(async () => {
    secure = await openWorld({ flags: { trusted_proxies: '127.0.0.1/32', allow_insecure_loopback: false } });
  });
  after(() => secure.close());
  const reach = (): Browser => browserOf(secure.service.url);

  test('cookies are secure and bound to the host, and HSTS is sent', async () => {
    const user = reach();
    const page = await user.get('/login', proxied);
    assert.match(page.headers.getSetCookie()[0]!, /^__Host-sess=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    assert.match(page.headers.get('strict-transport-security')!, /^max-age=\d+/);
    const sent = await user.submit(page, typed(ada), { headers: { ...proxied, origin: 'https://ads.example.test' } });
    assert.equal(sent.status, 401);
  });

  test('plain HTTP is refused with a page, or with JSON where that is accepted', async () => {
    const user = reach();
    const page = await user.get('/login');
    assert.deepEqual([page.status, headingOf(page), page.location], [403, 'A secure connection is required', null]);
    const told = await user.get('/login', { accept: 'application/json' });
    assert.equal(JSON.parse(told.html).errors[0].code, 92);
  });
});
