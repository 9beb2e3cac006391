// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addApplication, addPerson, addRequestToken, browserOf, typed } from '../rig/browser.ts';
import { clientOf, type Keys, type Reply } from '../rig/client.ts';
import { approve, begin, end, pairs, type Step, take } from '../rig/login.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

type Own = Keys & { user: string };
type Token = { token: string; secret: string };
const ENDED = [401, 89, 'invalid or expired token'];
const WRONG = [401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter'];
const UNSIGNED = [400, 215, 'Bad Authentication data.'];
const said = (reply: Reply): unknown =>
  reply.status === 200 ? 'a token' : [reply.status, reply.body?.errors?.[0]?.code, reply.body?.errors?.[0]?.message];

/** Runs with a world of these settings. */
async function inWorld(flags: Record<string, unknown>, work: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld({ flags });
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

/** A request token of an application of its own, approved. A level of its own makes the exchange issue a new token. */
async function approved(world: World, level?: 'read') {
  const own = await register(world);
  const token = await begin(world, own, level && { query: { ext_auth_access_type: level } });
  return { own, token, verifier: await approve(world, token.token, own.user) };
}

/** An exchange without any signature. */
const unsigned = (world: World, members: Record<string, string>, method = 'POST'): Promise<Reply> =>
  rawCall(world.service.url, world.clock, { method, target: `/oauth/access_token?${new URLSearchParams(members)}` });

describe('lenient_access_token', () => {
  type Send = (world: World, at: { own: Own; token: Token; verifier: string }) => Promise<Reply>;
  const exchange = (world: World, more: Partial<Step> & Pick<Step, 'consumer'>): Promise<Reply> =>
    take(world, { path: '/oauth/access_token', ...more });
  const ways: [how: string, send: Send, strictly: unknown, leniently: unknown][] = [
    ['signed well', (world, { own, token, verifier }) => end(world, own, token, verifier), 'a token', 'a token'],
    [
      'signed without the secret of the token',
      (world, { own, token, verifier }) => end(world, own, { ...token, secret: '' }, verifier),
      [401, 32, 'Could not authenticate you.'],
      'a token',
    ],
    [
      'signed with a clock that is an hour off',
      (world, { own: consumer, token, verifier }) =>
        exchange(world, { consumer, token, oauth: { oauth_verifier: verifier }, skew_s: 3600 }),
      [401, 135, 'Timestamp out of bounds.'],
      'a token',
    ],
    [
      'not signed, POST',
      (world, { token, verifier }) => unsigned(world, { oauth_token: token.token, oauth_verifier: verifier }),
      UNSIGNED,
      'a token',
    ],
    [
      'not signed, GET, with the consumer key',
      (world, { own, token, verifier }) => {
        const members = { oauth_consumer_key: own.consumer_key, oauth_token: token.token, oauth_verifier: verifier };
        return unsigned(world, members, 'GET');
      },
      UNSIGNED,
      'a token',
    ],
    [
      'not signed, with another consumer key',
      (world, { token, verifier }) => {
        const members = {
          oauth_consumer_key: world.keys.consumer_key,
          oauth_token: token.token,
          oauth_verifier: verifier,
        };
        return unsigned(world, members);
      },
      UNSIGNED,
      UNSIGNED,
    ],
    [
      'not signed, with a wrong verifier',
      (world, { token }) => unsigned(world, { oauth_token: token.token, oauth_verifier: 'wrong' }),
      UNSIGNED,
      WRONG,
    ],
    [
      'not signed, without a verifier',
      (world, { token }) => unsigned(world, { oauth_token: token.token }),
      UNSIGNED,
      UNSIGNED,
    ],
    [
      'not signed, with an unknown token',
      (world, { verifier }) => unsigned(world, { oauth_token: 'nobody', oauth_verifier: verifier }),
      UNSIGNED,
      ENDED,
    ],
    [
      'not signed, with two verifiers',
      (world, { token, verifier }) => {
        const target = `/oauth/access_token?oauth_token=${token.token}&oauth_verifier=${verifier}&oauth_verifier=x`;
        return rawCall(world.service.url, world.clock, { method: 'POST', target });
      },
      UNSIGNED,
      UNSIGNED,
    ],
  ];
  for (const [isOn, column] of [
    [false, 2],
    [true, 3],
  ] as const) {
    test(`${isOn ? 'on' : 'off'}: each form of the request`, () =>
      inWorld({ lenient_access_token: isOn }, async (world) => {
        for (const way of ways) {
          const [how, send] = way;
          assert.deepEqual(said(await send(world, await approved(world))), way[column], how);
        }
      }));
  }

  test('on: guesses are counted, a suspended application is refused, and no token is returned twice', () =>
    inWorld({ lenient_access_token: true }, async (world) => {
      const { token, verifier } = await approved(world);
      const guess = (oauth_verifier: string) => unsigned(world, { oauth_token: token.token, oauth_verifier });
      for (let count = 0; count < 5; count++) assert.deepEqual(said(await guess('wrong')), WRONG);
      assert.deepEqual(said(await guess(verifier)), ENDED);

      const once = await approved(world);
      const members = { oauth_token: once.token.token, oauth_verifier: once.verifier };
      const replies = await Promise.all(Array.from({ length: 10 }, () => unsigned(world, members)));
      const got = replies.map(said).filter((each) => each === 'a token');
      assert.equal(got.length, 1);

      const stopped = await addApplication(world, { suspended: 1 });
      const its = await addRequestToken(world, stopped);
      const reply = await unsigned(world, { oauth_token: its, oauth_verifier: 'x' });
      assert.deepEqual(said(reply), [401, 416, 'Invalid / suspended application']);
    }));
});

describe('revoke_on_verifier_reuse', () => {
  const GOOD = [200, undefined];
  const works = async (world: World, own: Own, input: Record<string, string>): Promise<unknown> => {
    const keys = { ...own, access_token: input.oauth_token!, access_token_secret: input.oauth_token_secret! };
    const { status, body } = await clientOf(world.service.url, keys, world.clock).call('GET', '/2/users/me');
    return [status, body.errors?.[0]?.code];
  };

  type Again = (world: World, at: { own: Own; token: Token; verifier: string }) => Promise<Reply>;
  const again: Again = (world, { own, token, verifier }) => end(world, own, token, verifier);
  const seconds: [how: string, flags: Record<string, unknown>, again: Again, after: unknown][] = [
    ['on, the same again', { revoke_on_verifier_reuse: true }, again, [401, 89]],
    ['off, the same again', {}, again, GOOD],
    [
      'on, with a wrong verifier',
      { revoke_on_verifier_reuse: true },
      (world, { own, token }) => end(world, own, token, 'wrong'),
      GOOD,
    ],
    [
      'on, without a verifier',
      { revoke_on_verifier_reuse: true },
      (world, { own, token }) => end(world, own, token, undefined),
      GOOD,
    ],
    [
      'on, with a wrong signature',
      { revoke_on_verifier_reuse: true },
      (world, { own, token, verifier }) => end(world, own, { ...token, secret: 'x' }, verifier),
      GOOD,
    ],
    [
      'on, not signed where that is let in',
      { revoke_on_verifier_reuse: true, lenient_access_token: true },
      (world, { token, verifier }) => unsigned(world, { oauth_token: token.token, oauth_verifier: verifier }),
      GOOD,
    ],
  ];
  for (const [how, flags, send, after] of seconds) {
    test(`${how}: refused, and the token then answers ${after}`, () =>
      inWorld(flags, async (world) => {
        const at = await approved(world, 'read');
        const input = pairs(await end(world, at.own, at.token, at.verifier));
        assert.deepEqual(await works(world, at.own, input), GOOD);
        assert.deepEqual(said(await send(world, at)), ENDED);
        assert.deepEqual(await works(world, at.own, input), after);
        assert.deepEqual(said(await again(world, at)), ENDED);
      }));
  }

  test('on: an earlier token of the user stays, and the stored secret is wiped after its use', () =>
    inWorld({ revoke_on_verifier_reuse: true }, async (world) => {
      const at = await approved(world);
      const input = pairs(await end(world, at.own, at.token, at.verifier));
      assert.equal(input.oauth_token, at.own.access_token);
      assert.deepEqual(said(await again(world, at)), ENDED);
      assert.deepEqual(await works(world, at.own, input), GOOD);

      const other = await approved(world, 'read');
      const kept = async () => (await world.service.store.read((tx) => tx.requestTokens.find(other.token.token)))!;
      await end(world, other.own, other.token, other.verifier);
      const { token_secret, verifier_hash } = await kept();
      assert.ok(!token_secret.includes(other.token.secret) && !verifier_hash?.includes(other.verifier));
      await again(world, other);
      const after = await kept();
      assert.deepEqual([after.token_secret, after.verifier_hash, after.made_token_id], ['', null, null]);
    }));
});

describe('how long and how often', () => {
  test('both lifetimes and the number of guesses are settings', () =>
    inWorld({ request_token_ttl_s: 60, verifier_ttl_s: 30, verifier_attempts_max: 2 }, async (world) => {
      const late = await begin(world, await register(world));
      const at = await approved(world);
      world.clock.advance(30);
      assert.equal(said(await end(world, at.own, at.token, at.verifier)), 'a token');
      const slow = await approved(world);
      world.clock.advance(31);
      assert.deepEqual(said(await end(world, slow.own, slow.token, slow.verifier)), ENDED);
      assert.equal(await world.service.grants.find(late.token), undefined);

      const guessed = await approved(world);
      for (let count = 0; count < 2; count++) {
        assert.deepEqual(said(await end(world, guessed.own, guessed.token, 'wrong')), WRONG);
      }
      assert.deepEqual(said(await end(world, guessed.own, guessed.token, guessed.verifier)), ENDED);
    }));

  for (const [flags, text] of [
    [{}, 'for the next 10 minutes.'],
    [{ verifier_ttl_s: 300 }, 'for the next 5 minutes.'],
    [{ verifier_ttl_s: 90 }, 'for the next 90 seconds.'],
  ] as const) {
    test(`the page with a PIN names the lifetime: ${text}`, () =>
      inWorld(flags, async (world) => {
        const token = await addRequestToken(world, await addApplication(world), { callback: 'oob' });
        const browser = browserOf(world.service.url);
        const page = await browser.get(`/oauth/authorize?oauth_token=${token}`);
        const { html } = await browser.submit(page, typed(await addPerson(world)));
        assert.ok(html.includes(`It works once, ${text}`), html);
      }));
  }
});
