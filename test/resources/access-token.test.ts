import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clientOf, type Keys, type Reply } from '../rig/client.ts';
import { approve, begin, end, pairs, prepare, send, take } from '../rig/login.ts';
import { register } from '../rig/people.ts';
import { openWorld, type World } from '../rig/world.ts';

const CALLBACK = 'https://client.example.test/cb';

let world: World;
let consumer: Keys & { user: string };
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  consumer = await register(world, { callbacks: [CALLBACK] });
});
after(() => world.close());

type Consumer = typeof consumer;
const said = (reply: Reply): unknown => [reply.status, reply.body?.errors?.[0]?.code, reply.body?.errors?.[0]?.message];
const ENDED = [401, 89, 'invalid or expired token'];
const WRONG = [401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter'];
const MISSING = [401, 32, 'Required oauth_verifier parameter not provided'];

const stored = async (token: string) => (await world.service.store.read((tx) => tx.requestTokens.find(token)))!;

/** A request token that a user has approved. */
async function approved(own: Consumer = consumer, callback = 'oob', query: Record<string, string> = {}) {
  const token = await begin(world, own, { callback, query });
  return { token, verifier: await approve(world, token.token, own.user) };
}

/** A whole login; the answer is what the application gets. */
async function login(own: Consumer, query: Record<string, string> = {}): Promise<Record<string, string>> {
  const { token, verifier } = await approved(own, 'oob', query);
  return pairs(await end(world, own, token, verifier));
}

/** Another verifier of the same form. */
const wrong = (verifier: string): string => (verifier.startsWith('0') ? '1' : '0') + verifier.slice(1);

describe('an exchange', () => {
  for (const callback of ['oob', CALLBACK]) {
    test(`gives an access token that works: ${callback}`, async () => {
      const own = await register(world, { callbacks: [CALLBACK] });
      const { token, verifier } = await approved(own, callback);
      await world.service.store.write(async (tx) => {
        const found = (await tx.credentials.findToken(own.access_token))!;
        await tx.credentials.revokeToken(found.id, found.created_at);
        tx.invalidate(`token:${found.id}`);
      });
      const reply = await end(world, own, token, verifier);
      assert.match(
        reply.text,
        /^oauth_token=\d+-[A-Za-z0-9]{40}&oauth_token_secret=[A-Za-z0-9]{45}&user_id=\d+&screen_name=\w+$/,
      );
      assert.equal(reply.headers.get('content-type'), 'text/html;charset=utf-8');
      assert.equal(reply.headers.get('pragma'), 'no-cache');
      const input = pairs(reply);
      assert.deepEqual([input.user_id, input.screen_name], [own.user, `p_${own.user}`]);
      assert.ok(input.oauth_token?.startsWith(`${own.user}-`));
      const keys = { ...own, access_token: input.oauth_token!, access_token_secret: input.oauth_token_secret! };
      const call = await clientOf(world.service.url, keys, world.clock).call('GET', '/12/accounts');
      assert.equal(call.status, 200, call.text);
      assert.equal(call.headers.get('x-access-level'), 'read-write');
    });
  }

  test('accepts the verifier in header, query and form, with POST and GET', async () => {
    const ways = [
      { query: (oauth_verifier: string) => ({ query: { oauth_verifier } }) },
      { query: (oauth_verifier: string) => ({ form: { oauth_verifier } }) },
      { query: (oauth_verifier: string) => ({ oauth: { oauth_verifier }, method: 'GET' as const }) },
      {
        query: (oauth_verifier: string) => ({ oauth: { oauth_verifier }, method: 'GET' as const, isAllInQuery: true }),
      },
    ];
    for (const { query } of ways) {
      const { token, verifier } = await approved();
      const reply = await take(world, { path: '/oauth/access_token', consumer, token, ...query(verifier) });
      assert.equal(reply.status, 200, reply.text);
    }
  });

  test('ignores what is not a digit in a PIN, and keeps leading zeros', async () => {
    for (const [before, behind] of [
      [' ', ''],
      ['', '\n'],
      ['\t ', ' '],
      ['PIN: ', '.'],
    ]) {
      const { token, verifier } = await approved();
      assert.equal((await end(world, consumer, token, `${before}${verifier}${behind}`)).status, 200);
    }
    const { token, verifier } = await approved();
    assert.deepEqual(said(await end(world, consumer, token, `0${verifier}`)), WRONG);
  });

  test('gives the same token for the same grant, another one for another level and after a revocation', async () => {
    const own = await register(world);
    const first = await login(own);
    assert.deepEqual(await login(own), first);
    assert.equal(first.oauth_token, own.access_token, 'the token that the user had before');
    const reading = await login(own, { ext_auth_access_type: 'read' });
    assert.notEqual(reading.oauth_token, first.oauth_token);
    assert.deepEqual(await login(own, { ext_auth_access_type: 'read' }), reading);
    const keys = { ...own, access_token: first.oauth_token!, access_token_secret: first.oauth_token_secret! };
    await clientOf(world.service.url, keys, world.clock).call('POST', '/1.1/oauth/invalidate_token');
    const fresh = await login(own);
    assert.notEqual(fresh.oauth_token, first.oauth_token);
    assert.notEqual(fresh.oauth_token_secret, first.oauth_token_secret);
  });

  test('wipes the secrets of the request token', async () => {
    const { token, verifier } = await approved();
    assert.equal((await stored(token.token)).state, 'authorized');
    await end(world, consumer, token, verifier);
    const { state, token_secret, verifier_hash } = await stored(token.token);
    assert.deepEqual([state, token_secret, verifier_hash], ['exchanged', '', null]);
  });

  test('of one request token succeeds once, also when tried concurrently', async () => {
    const own = await register(world);
    const { token, verifier } = await approved(own, 'oob', { ext_auth_access_type: 'read' });
    const replies = await Promise.all(Array.from({ length: 100 }, () => end(world, own, token, verifier)));
    const good = replies.filter(({ status }) => status === 200);
    assert.equal(good.length, 1);
    for (const reply of replies) if (reply !== good[0]) assert.deepEqual(said(reply), ENDED);
    assert.deepEqual(said(await end(world, own, token, verifier)), ENDED);
    const live = await world.service.store.read(async (tx) => {
      const application = (await tx.credentials.findApplicationByKey(own.consumer_key))!;
      return tx.credentials.findLiveTokens(own.user, application.id);
    });
    assert.equal(live.filter((each) => each.access_level === 'read').length, 1);
  });

  test('of several request tokens of one grant gives one access token, also concurrently', async () => {
    const own = await register(world);
    const query = { ext_auth_access_type: 'read' };
    const all = await Promise.all(Array.from({ length: 10 }, () => approved(own, 'oob', query)));
    const replies = await Promise.all(all.map(({ token, verifier }) => end(world, own, token, verifier)));
    assert.equal(new Set(replies.map((reply) => pairs(reply).oauth_token)).size, 1);
  });
});

describe('an exchange is refused', () => {
  test('without a request token', async () => {
    const reply = await take(world, { path: '/oauth/access_token', consumer, oauth: { oauth_verifier: '1234567' } });
    assert.deepEqual(said(reply), [401, 32, 'Request token missing']);
  });

  test('without a verifier, which is not counted as a guess', async () => {
    const { token, verifier } = await approved();
    for (let count = 0; count < 6; count++) {
      assert.deepEqual(said(await end(world, consumer, token, [undefined, '', ' '][count % 3])), MISSING);
    }
    assert.equal((await end(world, consumer, token, verifier)).status, 200);
  });

  test('with a wrong verifier; five of them end the request token', async () => {
    const { token, verifier } = await approved();
    for (let count = 0; count < 5; count++) {
      assert.deepEqual(said(await end(world, consumer, token, wrong(verifier))), WRONG);
    }
    assert.deepEqual(said(await end(world, consumer, token, verifier)), ENDED);
    assert.equal((await stored(token.token)).state, 'expired');
  });

  test('concurrent guesses are counted one by one', async () => {
    const { token, verifier } = await approved();
    const guesses = Array.from({ length: 20 }, () => end(world, consumer, token, wrong(verifier)));
    const answers = (await Promise.all(guesses)).map((reply) => reply.body.errors[0].code);
    assert.equal(answers.filter((code) => code === 32).length, 5);
    assert.deepEqual(said(await end(world, consumer, token, verifier)), ENDED);
  });

  test('before the user has approved', async () => {
    const token = await begin(world, consumer);
    assert.deepEqual(said(await end(world, consumer, token, '1234567')), WRONG);
  });

  test('after the user has denied', async () => {
    const token = await begin(world, consumer);
    const { grants } = world.service;
    assert.equal(await grants.deny((await grants.find(token.token))!.requestToken), true);
    assert.deepEqual(said(await end(world, consumer, token, '1234567')), ENDED);
  });

  test('when it comes too late: ten minutes after the approval, fifteen minutes without one', async () => {
    const { token, verifier } = await approved();
    const inTime = await approved();
    world.clock.advance(600);
    assert.equal((await end(world, consumer, inTime.token, inTime.verifier)).status, 200);
    world.clock.advance(1);
    assert.deepEqual(said(await end(world, consumer, token, verifier)), ENDED);
    const never = await begin(world, consumer);
    world.clock.advance(901);
    assert.deepEqual(said(await end(world, consumer, never, '1234567')), ENDED);
  });

  test('with a token of characters that databases refuse', async () => {
    const odd = { token: 'a\u0000b', secret: 'x' };
    const reply = await end(world, consumer, odd, '1234567');
    assert.deepEqual(said(reply), [400, 215, 'Bad Authentication data.']);
    const keys = { ...consumer, access_token: odd.token, access_token_secret: odd.secret };
    const call = await clientOf(world.service.url, keys, world.clock).call('POST', '/1.1/oauth/invalidate_token');
    assert.deepEqual(said(call), [400, 215, 'Bad Authentication data.']);
  });

  test('with the request token of another application, or an access token', async () => {
    const { token, verifier } = await approved();
    const other = await register(world);
    assert.deepEqual(said(await end(world, other, token, verifier)), ENDED);
    const access = { token: consumer.access_token, secret: consumer.access_token_secret };
    assert.deepEqual(said(await end(world, consumer, access, verifier)), ENDED);
    assert.equal((await end(world, consumer, token, verifier)).status, 200, 'the owner can still use it');
  });

  test('with a wrong signature, a used nonce or an unknown key', async () => {
    const { token, verifier } = await approved();
    const no = [401, 32, 'Could not authenticate you.'];
    assert.deepEqual(said(await end(world, consumer, { ...token, secret: 'x' }, verifier)), no);
    assert.deepEqual(said(await end(world, { ...consumer, consumer_secret: 'x' }, token, verifier)), no);
    assert.deepEqual(said(await end(world, { ...consumer, consumer_key: 'nobody' }, token, verifier)), no);
    const step = { path: '/oauth/access_token', consumer, token, oauth: { oauth_verifier: wrong(verifier) } } as const;
    const once = prepare(world.service.url, world.clock, step);
    assert.deepEqual(said(await send(once)), WRONG);
    assert.deepEqual(said(await send(once)), no);
  });

  test('when the user or the application was suspended meanwhile', async () => {
    const suspended = { isUserSuspended: true } as const;
    const { user } = await register(world, suspended);
    const token = await begin(world, consumer);
    const verifier = await approve(world, token.token, user);
    assert.deepEqual(said(await end(world, consumer, token, verifier)), [
      403,
      64,
      'Your account is suspended and is not permitted to access this feature.',
    ]);
    const locked = await register(world, { isUserLocked: true });
    const its = await begin(world, consumer);
    assert.deepEqual(said(await end(world, consumer, its, await approve(world, its.token, locked.user))), [
      403,
      326,
      'To protect our users from spam and other malicious activity, this account is temporarily locked.',
    ]);
    const stopped = await register(world, { isApplicationSuspended: true });
    const reply = await end(world, stopped, token, verifier);
    assert.deepEqual(said(reply), ENDED, 'what is not its own is unknown to it');
  });

  test('a request token is valid for nothing else', async () => {
    const token = await begin(world, consumer);
    const keys = { ...consumer, access_token: token.token, access_token_secret: token.secret };
    const reply = await clientOf(world.service.url, keys, world.clock).call('POST', '/1.1/oauth/invalidate_token');
    assert.deepEqual(said(reply), ENDED);
  });

  test('when the window of the application is used up', async () => {
    const limited = await openWorld({ flags: { rate_access_tokens_per_15min: 1 } });
    try {
      const own = await register(limited);
      const token = await begin(limited, own);
      await end(limited, own, token, '1234567');
      const second = await end(limited, own, token, '1234567');
      assert.deepEqual(said(second), [429, 88, 'Rate limit exceeded']);
      assert.equal(second.headers.get('retry-after'), '900');
    } finally {
      await limited.close();
    }
  });
});
