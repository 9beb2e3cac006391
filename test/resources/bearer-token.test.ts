import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { updateRows } from '../../src/storage/core/table-rows.ts';
import { askToken, basic, bearerOf, postForm, withBearer } from '../rig/application.ts';
import type { Keys, Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { wireTo } from '../rig/wire.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const TOKEN = '/oauth2/token';
const GRANT = 'grant_type=client_credentials';
/** Something that a bearer token may read. */
const READ = '/1.1/users/show.json?screen_name=ada_demo';

const REFUSED = { code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' };
const INVALID = { code: 89, message: 'invalid or expired token' };
const INVALID_GRANT = { code: 44, message: 'grant_type parameter is invalid.' };

function expect(reply: Reply, status: number, error: object): void {
  assert.equal(reply.status, status, reply.text);
  // As text: members keep their order.
  assert.equal(reply.text, JSON.stringify({ errors: [error] }));
}

describe('a bearer token is issued', () => {
  test('as in the reference, and the same one again', async () => {
    const keys = await register(world);
    const first = await askToken(world, keys);
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(Object.keys(first.body), ['token_type', 'access_token']);
    assert.equal(first.body.token_type, 'bearer');
    assert.match(first.body.access_token, /^A{22}[A-Za-z0-9]{12}([A-Za-z0-9]|%2B|%2F)+%3D%3D$/);
    assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.match(first.headers.get('cache-control')!, /no-store/);
    assert.equal(first.headers.get('x-access-level'), null);
    assert.equal((await askToken(world, keys)).text, first.text);
  });

  test('a different one to each application', async () => {
    const [one, two] = [await register(world), await register(world)];
    assert.notEqual(await bearerOf(world, one), await bearerOf(world, two));
  });

  test('once, to fifty concurrent calls', async () => {
    const keys = await register(world);
    const replies = await Promise.all(Array.from({ length: 50 }, () => askToken(world, keys)));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1);
  });

  test('stored as a hash and an encrypted copy', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    const row = await world.service.store.read(async (tx) => {
      const application = await tx.credentials.findApplicationByKey(keys.consumer_key);
      return tx.bearerTokens.findOutstanding(application!.id);
    });
    assert.match(row!.token_hash, /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(row).includes(value));
  });

  const types = [
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded;charset=UTF-8',
    'Application/X-WWW-Form-URLEncoded; Charset=utf-8',
  ];
  for (const type of types) {
    test(`for a body of type ${type}`, async () => {
      const reply = await postForm(world, TOKEN, basic(world.keys), GRANT, { 'content-type': type });
      assert.equal(reply.status, 200, reply.text);
    });
  }

  const odd = 'a/b+c=d&e%f~g:h';
  const sent = [
    ['as they stand', odd],
    ['percent-encoded', encodeURIComponent(odd)],
  ] as const;
  for (const [how, secret] of sent) {
    test(`for a secret of odd characters, sent ${how}`, async () => {
      const keys = await register(world, { consumerSecret: odd });
      const reply = await askToken(world, { ...keys, consumer_secret: secret });
      assert.equal(reply.status, 200, reply.text);
    });
  }
});

describe('a bearer token is refused', () => {
  const cases: readonly (readonly [input: string, send: () => Promise<Reply>])[] = [
    ['no credential', () => postForm(world, TOKEN, undefined, GRANT)],
    ['a broken one', () => postForm(world, TOKEN, 'Basic ???', GRANT)],
    ['another scheme', () => postForm(world, TOKEN, 'Bearer AAAA', GRANT)],
    ['an unknown key', () => askToken(world, { ...world.keys, consumer_key: 'nobody' })],
    ['a wrong secret', () => askToken(world, { ...world.keys, consumer_secret: 'wrong' })],
    ['a suspended application', async () => askToken(world, await register(world, { isApplicationSuspended: true }))],
    ['another kind of grant', () => askToken(world, world.keys, 'grant_type=password')],
    ['wrong credentials beside no grant', () => askToken(world, { ...world.keys, consumer_secret: 'wrong' }, '')],
  ];
  for (const [input, send] of cases) {
    test(`for ${input}`, async () => {
      const reply = await send();
      expect(reply, 403, REFUSED);
      assert.equal(reply.headers.get('www-authenticate'), null);
    });
  }

  const missing = {
    code: 170,
    label: 'forbidden_missing_parameter',
    message: 'Missing required parameter: grant_type',
  };
  const json = { 'content-type': 'application/json' };
  const without: readonly (readonly [input: string, send: () => Promise<Reply>])[] = [
    ['no grant', () => askToken(world, world.keys, '')],
    ['an empty one', () => askToken(world, world.keys, 'grant_type=')],
    ['one in the query', () => postForm(world, `${TOKEN}?${GRANT}`, basic(world.keys), '')],
    [
      'one in a JSON body',
      () => postForm(world, TOKEN, basic(world.keys), JSON.stringify({ grant_type: 'client_credentials' }), json),
    ],
    ['half a JSON body', () => postForm(world, TOKEN, basic(world.keys), '{"grant', json)],
  ];
  for (const [input, send] of without) {
    test(`for ${input}`, async () => expect(await send(), 403, missing));
  }

  test('for a repeated grant', async () => {
    expect(await askToken(world, world.keys, `${GRANT}&${GRANT}`), 400, INVALID_GRANT);
  });

  test('for more than one Authorization header', async () => {
    const header = `Authorization: ${basic(world.keys)}\r\n`;
    const { host } = new URL(world.service.sandboxUrl);
    const wire = wireTo(world.service.sandboxUrl);
    const reply = await wire.send(Buffer.from(`POST ${TOKEN} HTTP/1.1\r\nHost: ${host}\r\n${header}${header}\r\n`));
    wire.close();
    assert.equal(reply.status, 400, reply.text);
    assert.deepEqual(JSON.parse(reply.text).errors, [{ code: 215, message: 'Bad Authentication data.' }]);
  });

  test('for GET', async () => {
    const reply = await rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target: TOKEN });
    expect(reply, 405, { code: 86, message: 'This method requires a POST.' });
    assert.equal(reply.headers.get('allow'), 'POST, OPTIONS');
  });

  test('for the 101st call in a window, and issued again in the next', async () => {
    const keys = await register(world);
    for (let count = 1; count <= 100; count++) assert.equal((await askToken(world, keys)).status, 200);
    const reply = await askToken(world, keys, '');
    // Frequency comes before the grant.
    expect(reply, 403, REFUSED);
    assert.equal(reply.headers.get('retry-after'), '900');
    assert.equal(reply.headers.get('x-rate-limit-limit'), '100');
    assert.equal(reply.headers.get('x-rate-limit-remaining'), '0');
    world.clock.advance(901);
    assert.equal((await askToken(world, keys)).status, 200);
  });

  test('after twenty wrong secrets, the right one too, until the window ends', async () => {
    const keys = await register(world);
    const [first, ...others] = keys.consumer_key;
    // Another spelling of the same key gives no further attempts.
    const respelt = `%${first!.charCodeAt(0).toString(16)}${others.join('')}`;
    for (let count = 1; count <= 20; count++) {
      const consumer_key = count % 2 === 0 ? respelt : keys.consumer_key;
      expect(await askToken(world, { consumer_key, consumer_secret: 'wrong' }), 403, REFUSED);
    }
    const reply = await askToken(world, keys);
    expect(reply, 403, REFUSED);
    assert.equal(reply.headers.get('retry-after'), '900');
    assert.equal((await askToken(world, await register(world))).status, 200);
    world.clock.advance(900);
    assert.equal((await askToken(world, keys)).status, 200);
  });
});

describe('a bearer token is used', () => {
  test('as issued, and decoded once', async () => {
    const value = await bearerOf(world, await register(world));
    for (const form of [value, decodeURIComponent(value)]) {
      const reply = await withBearer(world, form, READ);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.headers.get('x-access-level'), null);
    }
  });

  for (const scheme of ['Bearer', 'bearer', 'BEARER  ']) {
    test(`under the scheme ${scheme}`, async () => {
      const value = await bearerOf(world, world.keys);
      const headers = { authorization: `${scheme} ${value}` };
      const reply = await rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target: READ, headers });
      assert.equal(reply.status, 200, reply.text);
    });
  }

  test('in either environment', async () => {
    const headers = { authorization: `Bearer ${await bearerOf(world, world.keys)}` };
    const reply = await rawCall(world.service.url, world.clock, { method: 'GET', target: READ, headers });
    assert.equal(reply.status, 200, reply.text);
  });

  const unknown = ['AAAA', `${'A'.repeat(22)}%2B`, '%', 'a'.repeat(1024)];
  for (const value of unknown) {
    test(`in vain when it was never issued: ${value.slice(0, 30)}`, async () => {
      const reply = await withBearer(world, value, READ);
      expect(reply, 401, INVALID);
      const realm = world.service.sandboxUrl;
      assert.equal(reply.headers.get('www-authenticate'), `Bearer realm="${realm}", error="invalid_token"`);
    });
  }

  const unreadable = ['', 'two words', '"quoted"', 'a=b', 'a'.repeat(1025)];
  for (const value of unreadable) {
    test(`in vain when it cannot be parsed: ${value.slice(0, 30) || 'nothing'}`, async () => {
      expect(await withBearer(world, value, READ), 400, { code: 215, message: 'Bad Authentication data.' });
    });
  }

  test('in vain in a query or a form', async () => {
    const value = await bearerOf(world, world.keys);
    const target = `${READ}&access_token=${encodeURIComponent(value)}`;
    const reply = await rawCall(world.service.sandboxUrl, world.clock, { method: 'GET', target });
    expect(reply, 400, { code: 215, message: 'Bad Authentication data.' });
  });

  test('in vain where a user is required', async () => {
    const value = await bearerOf(world, world.keys);
    const error = { code: 220, message: 'Your credentials do not allow access to this resource.' };
    expect(await withBearer(world, value, '/1.1/account/verify_credentials.json'), 403, error);
    const unknown = await withBearer(world, 'AAAA', '/1.1/account/verify_credentials.json');
    expect(unknown, 401, { code: 89, message: 'invalid or expired token' });
    assert.equal((await withBearer(world, 'AAAA', '/2/users/me')).status, 401);
    for (const each of [value, 'AAAA']) {
      const ads = await withBearer(world, each, '/12/accounts');
      assert.deepEqual([ads.status, ads.body.errors[0].code], [401, 'UNAUTHORIZED_ACCESS'], ads.text);
    }
  });

  test('in vain while its application is suspended, and again after that', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    assert.equal((await withBearer(world, value, READ)).status, 200);
    await suspend(keys, 1);
    expect(await withBearer(world, value, READ), 401, { code: 416, message: 'Invalid / suspended application' });
    await suspend(keys, 0);
    assert.equal((await withBearer(world, value, READ)).status, 200);
    assert.equal(await bearerOf(world, keys), value);
  });
});

/** Suspends an application, or lets it go on. */
async function suspend(keys: Keys, suspended: 0 | 1): Promise<void> {
  await world.service.driver.write(async (session) => {
    await updateRows(session, 'applications', { suspended }, { consumer_key: keys.consumer_key });
  });
  await world.service.store.write(async (tx) => tx.invalidate('application:any'));
}
