import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { basic, bearerOf, postForm, withBearer } from '../rig/application.ts';
import { clientOf, type Keys, type Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const REVOKE = '/oauth2/invalidate_token';
/** Something that a bearer token may read. */
const READ = '/1.1/users/show.json?screen_name=ada_demo';

const REFUSED = { code: 99, label: 'authenticity_token_error', message: 'Unable to verify your credentials' };
const INVALID = { code: 89, message: 'invalid or expired token' };
const NOT_OWN = { code: 348, message: 'Client application is not permitted to invalidate this token.' };

function expect(reply: Reply, status: number, error: object): void {
  assert.equal(reply.status, status, reply.text);
  // As text: members keep their order.
  assert.equal(reply.text, JSON.stringify({ errors: [error] }));
}

/** Revokes with key and secret. */
const revoke = (keys: Keys, value: string): Promise<Reply> =>
  postForm(world, REVOKE, basic(keys), new URLSearchParams({ access_token: value }).toString());

/** Revokes as the owner, with a signed request. */
const revokeSigned = (keys: Keys, value: string): Promise<Reply> =>
  clientOf(world.service.sandboxUrl, keys, world.clock).call('POST', REVOKE, { params: { access_token: value } });

describe('a bearer token is revoked', () => {
  const forms: readonly (readonly [how: string, form: (value: string) => string])[] = [
    ['as it was given', (value) => value],
    ['decoded once', decodeURIComponent],
    ['encoded once more', encodeURIComponent],
  ];
  for (const [who, send] of [
    ['the owner', revokeSigned],
    ['key and secret', revoke],
  ] as const) {
    for (const [how, form] of forms) {
      test(`by ${who}, named ${how}`, async () => {
        const keys = await register(world);
        const value = await bearerOf(world, keys);
        const reply = await send(keys, form(value));
        assert.equal(reply.status, 200, reply.text);
        assert.equal(reply.text, JSON.stringify({ access_token: value }));
        assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
        expect(await withBearer(world, value, READ), 401, INVALID);
        expect(await withBearer(world, value, '/1.1/account/verify_credentials.json'), 401, INVALID);
      });
    }
  }

  test('by a form without encoding', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    const reply = await postForm(world, REVOKE, basic(keys), `access_token=${value}`);
    assert.equal(reply.body.access_token, value, reply.text);
  });

  test('by a name in the query', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    const target = `${REVOKE}?access_token=${encodeURIComponent(value)}`;
    const reply = await rawCall(world.service.sandboxUrl, world.clock, { method: 'POST', target, keys });
    assert.equal(reply.body.access_token, value, reply.text);
  });

  test('by an owner whose token may only read', async () => {
    const keys = await register(world, { tokenLevel: 'read' });
    const reply = await revokeSigned(keys, await bearerOf(world, keys));
    assert.equal(reply.status, 200, reply.text);
  });

  test('for good: the next one is different', async () => {
    const keys = await register(world);
    const values = new Set<string>();
    for (let count = 1; count <= 5; count++) {
      const value = await bearerOf(world, keys);
      values.add(value);
      assert.equal((await revoke(keys, value)).status, 200);
    }
    assert.equal(values.size, 5);
    assert.equal((await withBearer(world, await bearerOf(world, keys), READ)).status, 200);
    for (const value of values) expect(await withBearer(world, value, READ), 401, INVALID);
  });

  test('once, by twenty concurrent calls', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    const replies = await Promise.all(Array.from({ length: 20 }, () => revoke(keys, value)));
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(19).fill(401)]);
  });

  test('under load: no request after the reply is accepted', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    let isRevoked = false;
    const late: number[] = [];
    const early: number[] = [];
    const reader = async (): Promise<void> => {
      for (let after = 0; after < 10; ) {
        const isLate = isRevoked;
        const { status } = await withBearer(world, value, READ);
        (isLate ? late : early).push(status);
        if (isLate) after += 1;
      }
    };
    const revoker = async (): Promise<void> => {
      while (early.length < 30) await withBearer(world, value, READ);
      assert.equal((await revoke(keys, value)).status, 200);
      isRevoked = true;
    };
    await Promise.all([...Array.from({ length: 8 }, reader), revoker()]);
    assert.ok(early.filter((status) => status === 200).length >= 30, `${early}`);
    assert.deepEqual([...new Set(late)], [401]);
    assert.equal(late.length, 80);
  });
});

describe('a revocation is refused', () => {
  test('without a value', async () => {
    const error = { code: 38, message: 'access_token parameter is missing.' };
    expect(await postForm(world, REVOKE, basic(world.keys), ''), 403, error);
    expect(await postForm(world, REVOKE, basic(world.keys), 'access_token='), 403, error);
  });

  test('of a value that was never issued', async () => {
    const reply = await revoke(world.keys, 'AAAA');
    expect(reply, 401, INVALID);
    assert.equal(reply.headers.get('www-authenticate'), `OAuth realm="${world.service.sandboxUrl}"`);
  });

  test('of a value that was revoked before', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    await revoke(keys, value);
    expect(await revoke(keys, value), 401, INVALID);
    expect(await revokeSigned(keys, value), 401, INVALID);
  });

  test('of the token of another application', async () => {
    const [own, other] = [await register(world), await register(world)];
    const value = await bearerOf(world, other);
    expect(await revoke(own, value), 403, NOT_OWN);
    expect(await revokeSigned(own, value), 403, NOT_OWN);
    assert.equal((await withBearer(world, value, READ)).status, 200);
  });

  test('to a user who does not own the application', async () => {
    const { other_access_token: access_token, other_access_token_secret: access_token_secret } = world.keys;
    const value = await bearerOf(world, world.keys);
    const keys = { ...world.keys, access_token: access_token!, access_token_secret: access_token_secret! };
    expect(await revokeSigned(keys, value), 403, NOT_OWN);
    assert.equal((await withBearer(world, value, READ)).status, 200);
  });

  test('for a wrong secret', async () => {
    expect(await revoke({ ...world.keys, consumer_secret: 'wrong' }, 'AAAA'), 403, REFUSED);
  });

  test('for a bearer token in place of a credential', async () => {
    const value = await bearerOf(world, world.keys);
    const reply = await postForm(world, REVOKE, `Bearer ${value}`, `access_token=${value}`);
    expect(reply, 403, { code: 220, message: 'Your credentials do not allow access to this resource.' });
  });

  test('for key and secret where the settings forbid them', async () => {
    const strict = await openWorld({ flags: { allow_basic_invalidate: false } });
    try {
      const value = await bearerOf(strict, strict.keys);
      const refused = await postForm(strict, REVOKE, basic(strict.keys), `access_token=${value}`);
      expect(refused, 400, { code: 215, message: 'Bad Authentication data.' });
      const owner = await strict.sandbox.call('POST', REVOKE, { params: { access_token: value } });
      assert.equal(owner.status, 200, owner.text);
    } finally {
      await strict.close();
    }
  });
});
