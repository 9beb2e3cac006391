import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { basic, bearerOf, postForm, withBearer } from '../rig/application.ts';
import { clientOf, type Keys, type Reply } from '../rig/client.ts';
import { approve, begin, end, pairs } from '../rig/login.ts';
import { register } from '../rig/people.ts';
import { rounds } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

/** How many callers there are, how many calls are let through before the end, and how many each makes after it. */
const CALLERS = 16;
const BEFORE = rounds(100);
const AFTER = rounds(10);

/**
 * Many callers use a credential without a pause while it ends. A call that begins after the answer of what ended it
 * has arrived must be refused; one that began before may be let in or not.
 */
async function underLoad(call: () => Promise<Reply>, finish: () => Promise<Reply>): Promise<void> {
  let isOver = false;
  const early: number[] = [];
  const late: number[] = [];
  const caller = async (): Promise<void> => {
    for (let after = 0; after < AFTER; ) {
      const isLate = isOver;
      const { status } = await call();
      (isLate ? late : early).push(status);
      if (isLate) after += 1;
    }
  };
  const ender = async (): Promise<void> => {
    while (early.length < BEFORE) await call();
    const reply = await finish();
    isOver = true;
    assert.equal(reply.status, 200, reply.text);
  };
  await Promise.all([...Array.from({ length: CALLERS }, caller), ender()]);
  assert.ok(early.filter((status) => status === 200).length >= BEFORE, 'it was good before');
  assert.deepEqual(
    [...new Set(early)].filter((status) => status !== 200 && status !== 401),
    [],
  );
  assert.deepEqual([late.length, [...new Set(late)]], [CALLERS * AFTER, [401]]);
}

/** Everything that a token of level read-write may do, in either environment, in turn. */
function everywhere(keys: Keys): () => Promise<Reply> {
  const calls = [
    ['GET', '/1.1/account/verify_credentials.json'],
    ['GET', '/12/accounts'],
    ['GET', '/2/users/me'],
    ['POST', '/12/accounts'],
  ] as const;
  const [production, sandbox] = [world.service.url, world.service.sandboxUrl].map((url) =>
    clientOf(url, keys, world.clock),
  ) as [ReturnType<typeof clientOf>, ReturnType<typeof clientOf>];
  let turn = 0;
  return () => {
    const [method, path] = calls[turn++ % calls.length]!;
    // Accounts are made in the sandbox only.
    return (method === 'POST' || turn % 2 === 0 ? sandbox : production).call(method, path);
  };
}

describe('under load, no call that begins after the reply is accepted', () => {
  test('an access token that is revoked', async () => {
    const keys = await register(world);
    const revoker = clientOf(world.service.url, keys, world.clock);
    await underLoad(everywhere(keys), () => revoker.call('POST', '/1.1/oauth/invalidate_token'));
  });

  test('one of two tokens of a user: the other stays valid', async () => {
    const keys = await register(world);
    const token = await begin(world, keys, { query: { ext_auth_access_type: 'read' } });
    const input = pairs(await end(world, keys, token, await approve(world, token.token, keys.user)));
    const reading = { ...keys, access_token: input.oauth_token!, access_token_secret: input.oauth_token_secret! };
    const other = clientOf(world.service.url, keys, world.clock);
    const call = clientOf(world.service.url, reading, world.clock);
    await underLoad(
      () => call.call('GET', '/12/accounts'),
      () => call.call('POST', '/1.1/oauth/invalidate_token'),
    );
    assert.equal((await other.call('GET', '/12/accounts')).status, 200);
  });

  test('many tokens that are revoked at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => register(world)));
    await Promise.all(
      all.map(async (keys) => {
        const client = clientOf(world.service.url, keys, world.clock);
        const revoke = () => client.call('POST', '/1.1/oauth/invalidate_token');
        let isOver = false;
        const late: number[] = [];
        const caller = async (): Promise<void> => {
          while (late.length < 20) {
            const isLate = isOver;
            const { status } = await client.call('GET', '/12/accounts');
            if (isLate) late.push(status);
          }
        };
        const ender = async (): Promise<void> => {
          assert.equal((await client.call('GET', '/12/accounts')).status, 200);
          assert.equal((await revoke()).status, 200);
          isOver = true;
        };
        await Promise.all([caller(), caller(), ender()]);
        assert.deepEqual([...new Set(late)], [401]);
      }),
    );
  });

  test('a bearer token that is revoked while others request the next', async () => {
    const keys = await register(world);
    const value = await bearerOf(world, keys);
    const form = new URLSearchParams({ access_token: value }).toString();
    const input: string[] = [];
    const asking = async (): Promise<void> => {
      for (let count = 0; count < rounds(50); count++) input.push(await bearerOf(world, keys));
    };
    await Promise.all([
      underLoad(
        () => withBearer(world, value, '/1.1/users/show.json?screen_name=ada_demo'),
        () => postForm(world, '/oauth2/invalidate_token', basic(keys), form),
      ),
      asking(),
    ]);
    const fresh = await bearerOf(world, keys);
    assert.notEqual(fresh, value);
    assert.deepEqual(new Set([...input, value, fresh]), new Set([value, fresh]), 'one outstanding at a time');
    const again = input.lastIndexOf(value) > input.indexOf(fresh) && input.includes(fresh);
    assert.equal(again, false, 'the old one never comes back');
  });
});
