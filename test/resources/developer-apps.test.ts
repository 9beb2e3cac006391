// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addApplication, addPerson, type Browser, browserOf, logIn, type Person, unescaped } from '../rig/browser.ts';
import { clientOf } from '../rig/client.ts';
import { APPS, faultsOf, filled, make, ownToken } from '../rig/developer.ts';
import { begin } from '../rig/login.ts';
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

describe('the pages of applications', () => {
  test('lead through the login and back', async () => {
    const stranger = browserOf(world.service.url);
    const sent = await stranger.get(`${APPS}/new`);
    assert.deepEqual([sent.status, sent.location], [303, '/login?continue=%2Fdeveloper%2Fapps%2Fnew']);
    const done = await stranger.submit(await stranger.get(sent.location!), {
      'session[username_or_email]': ada.name,
      'session[password]': ada.password,
    });
    assert.deepEqual([done.status, done.location], [303, `${APPS}/new`]);
  });

  for (const elsewhere of [
    'https://evil.test/',
    '//evil.test',
    '/oauth/authorize',
    '/developer/apps/../../x',
    '/logout',
  ]) {
    test(`a login never leads to ${elsewhere}`, async () => {
      const stranger = browserOf(world.service.url);
      const page = await stranger.get(`/login?${new URLSearchParams({ continue: elsewhere })}`);
      assert.ok(!page.html.includes('evil'));
      const done = await stranger.submit(page, {
        'session[username_or_email]': ada.name,
        'session[password]': ada.password,
        continue: elsewhere,
      });
      assert.deepEqual([done.status, done.location], [303, '/ads']);
    });
  }

  test('list the user’s own applications, by name', async () => {
    const person = await addPerson(world);
    const own = browserOf(world.service.url);
    await logIn(own, person);
    assert.match((await own.get(APPS)).html, /You have not registered an application yet/);
    await make(own, { name: `Zebra ${person.id}` });
    await make(own, { name: `Aardvark ${person.id}` });
    const { html } = await own.get(APPS);
    assert.match(html, /Aardvark.*Zebra/s);
    assert.ok(!html.includes('Demo application'));
  });

  test('are not found by others', async () => {
    const { path } = await make(browser);
    const other = browserOf(world.service.url);
    await logIn(other, await addPerson(world));
    for (const each of [path, `${path}/keys`, `${path}/own_token`, `${path}/bearer`, `${path}/bearer/revoke`]) {
      assert.equal((await other.get(each)).status, 404, each);
    }
    for (const id of ['999999', 'x', '0x1', '1'.repeat(40)])
      assert.equal((await browser.get(`${APPS}/${id}`)).status, 404);
    assert.equal((await browser.get('/developer/apps/1')).status, 404, 'the application of the demo world');
  });

  test('refuse forms without the form token', async () => {
    const made = await make(browser);
    for (const path of [`${APPS}/new`, made.path, `${made.path}/keys`]) {
      const sent = await browser.post(path, filled());
      assert.equal(sent.status, 403, path);
    }
    const keys = { ...made, ...(await ownToken(browser, made)) };
    const client = clientOf(world.service.url, keys, world.clock);
    assert.equal((await client.call('GET', '/1.1/account/verify_credentials.json')).status, 200);
  });
});

describe('registering', () => {
  test('shows the keys once', async () => {
    const made = await make(browser);
    assert.match(made.consumer_key, /^[A-Za-z0-9]{25}$/);
    assert.match(made.consumer_secret, /^[A-Za-z0-9]{50}$/);
    const { html } = await browser.get(made.path);
    assert.ok(html.includes(made.consumer_key));
    assert.ok(!html.includes(made.consumer_secret));
  });

  const wrong: [told: Record<string, string>, fault: string][] = [
    [{ name: ' ' }, 'name: The name is missing.'],
    [{ name: 'x'.repeat(33) }, 'name: The name has 33 characters; 32 are allowed.'],
    [{ name: 'Demo application' }, 'name: Another application already has this name.'],
    [{ description: 'x'.repeat(201) }, 'description: The description has 201 characters; 200 are allowed.'],
    [{ website_url: '' }, 'website_url: The website is missing.'],
    [
      { website_url: 'javascript:alert(1)' },
      'website_url: The website must be a URL that begins with https:// or http://.',
    ],
    [
      { terms_url: 'terms' },
      'terms_url: The URL of the terms of service must be a URL that begins with https:// or http://.',
    ],
    [{ callbacks: ' \n' }, 'callbacks: At least one callback URL is required, even if only PINs are used.'],
    [{ callbacks: 'https://a.example/\n'.repeat(11) }, 'callbacks: There are 11 addresses; 10 are allowed.'],
    [{ callbacks: 'https://a.example/\nhttps://a.example/' }, 'callbacks: https://a.example/ is listed twice.'],
    [{ callbacks: 'ftp://a.example/' }, 'callbacks: ftp://a.example/ has the scheme ftp, which is refused.'],
    [
      { callbacks: 'javascript:alert(1)' },
      'callbacks: javascript:alert(1) has the scheme javascript, which is refused.',
    ],
    [
      { callbacks: 'https://a.example/#x' },
      'callbacks: https://a.example/#x contains a fragment (#), which is never sent to a server.',
    ],
    [{ callbacks: 'https://ada@a.example/' }, 'callbacks: https://ada@a.example/ names a user.'],
    [{ callbacks: '/back' }, 'callbacks: /back is not an absolute URL, such as https://client.example/callback.'],
    [{ callbacks: 'oob' }, 'callbacks: Oob is always allowed and need not be registered.'],
    [{ access_level: 'admin' }, 'access_level: The access level is missing.'],
    [
      { email_access: '1', terms_url: 'https://a.example/' },
      'email_access: Requesting e-mail addresses requires the URLs of the terms of service and of the privacy policy.',
    ],
  ];
  for (const [told, fault] of wrong) {
    test(`${JSON.stringify(told).slice(0, 60)} is refused, beside the field and above the form`, async () => {
      const input = filled(told);
      const seen = await browser.submit(await browser.get(`${APPS}/new`), input);
      assert.equal(seen.status, 400);
      assert.deepEqual(faultsOf(seen.html), [fault]);
      const [box, says] = fault.split(': ', 2);
      assert.ok(unescaped(seen.html).includes(says!));
      assert.match(seen.html, new RegExp(`id="${box}"`));
      assert.ok(unescaped(seen.html).includes(input.website_url!), 'what was typed is still there');
      assert.ok(!(await browser.get(APPS)).html.includes(`>${input.name}<`));
    });
  }

  test('all errors are shown together', async () => {
    const seen = await browser.submit(await browser.get(`${APPS}/new`), { callbacks: '/x\nftp://y' });
    assert.match(unescaped(seen.html), /<a href="#callbacks">\/x is not .* ftp:\/\/y /);
    assert.deepEqual(
      faultsOf(seen.html).map((fault) => fault.split(':')[0]),
      ['name', 'website_url', 'callbacks'],
    );
  });

  test('nothing typed becomes part of the page', async () => {
    const seen = await browser.submit(await browser.get(`${APPS}/new`), {
      name: '"><script>',
      callbacks: '</textarea><b>',
    });
    assert.ok(!/<script>|<b>/.test(seen.html));
  });

  test('an allowed but doubtful callback gets a warning', async () => {
    const { path } = await make(browser, { callbacks: 'http://localhost:3000/cb\nhttp://a.example/cb\nmyapp://done' });
    const { html } = await browser.get(path);
    assert.match(html, /localhost:3000\/cb uses localhost/);
    assert.match(html, /http:\/\/a\.example\/cb does not use https/);
  });
});

test('a custom scheme needs a dot or the operator; an older callback stays', async () => {
  const strict = await openWorld({ flags: { callback_schemes: 'acme' } });
  try {
    const own = browserOf(strict.service.url);
    const person = await addPerson(strict);
    await logIn(own, person);
    const refused = await own.submit(await own.get(`${APPS}/new`), filled({ callbacks: 'myapp://done' }));
    const fault =
      'callbacks: myapp://done has the scheme myapp; a custom scheme needs a dot, such as com.example.app, unless the operator allows it (callback_schemes).';
    assert.deepEqual([refused.status, faultsOf(refused.html)], [400, [fault]]);
    const made = await make(own, { callbacks: 'com.example.app:/done\r\nacme://done' });

    const callbacks = JSON.stringify(['myapp://done']);
    const former = await addApplication(strict, { owner_user_id: person.id, callbacks });
    const path = `${APPS}/${former.id}`;
    assert.match((await own.get(path)).html, /myapp:\/\/done uses a scheme without a dot/);
    const consumer = { consumer_key: former.consumer_key, consumer_secret: `secret of ${former.id}` };
    await begin(strict, consumer, { callback: 'myapp://done' });
    const renamed = filled({ callbacks: 'myapp://done\r\nhttps://a.example/' });
    assert.equal((await own.submit(await own.get(path), renamed, { to: path })).location, `${path}?saved=yes`);
    const added = filled({ callbacks: 'myapp://done\r\nmyapp://other' });
    const seen = await own.submit(await own.get(path), added, { to: path });
    assert.deepEqual(faultsOf(seen.html), [fault.replaceAll('myapp://done', 'myapp://other')]);
    assert.equal((await own.get(made.path)).status, 200);
  } finally {
    await strict.close();
  }
});

describe('registering too many', () => {
  for (const [max, says] of [
    [1, 'You have 1 applications, and no more are allowed.'],
    [0, 'Only the operator of this service can register new applications.'],
  ] as const) {
    test(`of ${max}`, async () => {
      const strict = await openWorld({ flags: { applications_per_user_max: max } });
      try {
        const own = browserOf(strict.service.url);
        await logIn(own, await addPerson(strict));
        const page = await own.get(`${APPS}/new`);
        for (let made = 0; made < max; made += 1) assert.equal((await own.submit(page, filled())).status, 200);
        const refused = await own.submit(page, filled());
        assert.equal(refused.status, 400);
        assert.deepEqual(faultsOf(refused.html), [`name: ${says}`]);
      } finally {
        await strict.close();
      }
    });
  }
});
