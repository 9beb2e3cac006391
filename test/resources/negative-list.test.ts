// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { fill } from '../behaviours/test-account.ts';
import { askToken, basic, bearerOf, postForm, withBearer } from '../rig/application.ts';
import { clientOf, type Keys, type Reply } from '../rig/client.ts';
import { approve, begin, end, prepare, type Step, send, take } from '../rig/login.ts';
import { outcomeOf, outcomesOf } from '../rig/outcomes.ts';
import { register, type Standing } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

/**
 * Requests that are refused, and how: one test for each. All windows are as they come.
 * @source authentication 23.9
 */
const CALLBACK = 'https://client.example.test/cb';
const VERIFY = '/1.1/account/verify_credentials.json';
const SHOW = '/1.1/users/show.json?screen_name=ada_demo';

type Own = Keys & { readonly user: string };

let world: World;
let strict: World;
before(async () => {
  world = await openWorld();
  strict = await openWorld({ flags: { allow_insecure_loopback: false } });
});
after(async () => {
  await world.close();
  await strict.close();
});

const someone = (standing: Standing = {}): Promise<Own> => register(world, { callbacks: [CALLBACK], ...standing });

/** A good request for a request token, but for what is told. */
async function begun(more: Partial<Step> = {}, standing: Standing = {}): Promise<Reply> {
  const oauth = { oauth_callback: CALLBACK, ...more.oauth };
  return take(world, { path: '/oauth/request_token', consumer: await someone(standing), ...more, oauth });
}

/** A request token that its user has approved. */
async function approved() {
  const own = await someone();
  const token = await begin(world, own, { callback: CALLBACK });
  const verifier = await approve(world, token.token, own.user);
  return { own, token, exchange: (input: string | undefined = verifier) => end(world, own, token, input) };
}

const as = (keys: Keys, method: string, path: string): Promise<Reply> =>
  clientOf(world.service.url, keys, world.clock).call(method, path);
const revokeBearer = (keys: Keys, value: string): Promise<Reply> =>
  postForm(world, '/oauth2/invalidate_token', basic(keys), new URLSearchParams({ access_token: value }).toString());

const rows: readonly (readonly [request: string, send: () => Promise<unknown>, expect: unknown])[] = [
  [
    'any API call over plain HTTP, switch off',
    async () => {
      const calls = operations.map(({ method, path }) =>
        rawCall(strict.service.sandboxUrl, strict.clock, {
          method,
          target: fill(path, { account_id: 'a1' }),
          keys: strict.keys,
        }),
      );
      return [...new Set((await Promise.all(calls)).map(outcomeOf))];
    },
    ['403/92'],
  ],
  [
    'request_token with no Authorization',
    async () =>
      outcomeOf(await rawCall(world.service.url, world.clock, { method: 'POST', target: '/oauth/request_token' })),
    '400/215',
  ],
  ['empty oauth_consumer_key', async () => outcomeOf(await begun({ oauth: { oauth_consumer_key: '' } })), '400/215'],
  [
    'unknown oauth_consumer_key',
    async () => outcomeOf(await begun({ oauth: { oauth_consumer_key: 'nobody' } })),
    '401/32',
  ],
  [
    'oauth_signature_method="PLAINTEXT"',
    async () => outcomeOf(await begun({ oauth: { oauth_signature_method: 'PLAINTEXT' } })),
    '400/215',
  ],
  ['oauth_version="2.0"', async () => outcomeOf(await begun({ oauth: { oauth_version: '2.0' } })), '400/215'],
  [
    'oauth_nonce="é" (percent-encoded UTF-8)',
    async () => outcomeOf(await begun({ oauth: { oauth_nonce: 'é' } })),
    '400/215',
  ],
  ['timestamp 301 s old', async () => outcomeOf(await begun({ skew_s: -301 })), '401/135'],
  ['timestamp 300 s old', async () => outcomeOf(await begun({ skew_s: -300 })), 'ok'],
  [
    'timestamp in milliseconds',
    async () => outcomeOf(await begun({ oauth: { oauth_timestamp: String(world.clock.now()) } })),
    '401/135',
  ],
  [
    'same signed request sent twice',
    async () => {
      const consumer = await someone();
      const step: Step = { path: '/oauth/request_token', consumer, oauth: { oauth_callback: CALLBACK } };
      const once = prepare(world.service.url, world.clock, step);
      return outcomesOf(
        () => send(once),
        () => send(once),
      );
    },
    ['ok', '401/32'],
  ],
  [
    'unregistered callback',
    async () => outcomeOf(await begun({ oauth: { oauth_callback: 'https://elsewhere.example.test/cb' } })),
    '403/415',
  ],
  [
    'callback registered with other slash',
    async () => outcomeOf(await begun({ oauth: { oauth_callback: `${CALLBACK}/` } })),
    '403/415',
  ],
  [
    'callback `javascript:`',
    async () => {
      const callback = 'javascript:alert(1)';
      return outcomeOf(await begun({ oauth: { oauth_callback: callback } }, { callbacks: [callback] }));
    },
    '403/415',
  ],
  ['native app with URL callback', async () => outcomeOf(await begun({}, { isNative: true })), '401/417'],
  [
    'ext_auth_access_type=admin',
    async () => outcomeOf(await begun({ query: { ext_auth_access_type: 'admin' } })),
    '400/44',
  ],
  ['access_token without verifier', async () => outcomeOf(await (await approved()).exchange('')), '401/32'],
  ['access_token with a wrong verifier', async () => outcomeOf(await (await approved()).exchange('wrong')), '401/32'],
  [
    'access_token, 6th try with the right verifier after 5 wrong',
    async () => {
      const { exchange } = await approved();
      for (let count = 0; count < 5; count++) await exchange('wrong');
      return outcomeOf(await exchange());
    },
    '401/89',
  ],
  [
    'access_token twice',
    async () => {
      const { exchange } = await approved();
      return outcomesOf(
        () => exchange(),
        () => exchange(),
      );
    },
    ['ok', '401/89'],
  ],
  [
    'two exchanges in parallel',
    async () => {
      const { exchange } = await approved();
      return (await Promise.all([exchange(), exchange()])).map(outcomeOf).sort();
    },
    ['401/89', 'ok'],
  ],
  [
    'access token of app A signed by app B',
    async () => {
      const [a, b] = [await someone(), await someone()];
      const { access_token, access_token_secret } = a;
      return outcomeOf(await as({ ...b, access_token, access_token_secret }, 'GET', VERIFY));
    },
    '401/89',
  ],
  [
    'request token of app A signed by app B',
    async () => {
      const { token } = await approved();
      return outcomeOf(await end(world, await someone(), token, 'any'));
    },
    '401/89',
  ],
  [
    'read token on POST campaign (403/261 in the words of the advertising interface)',
    async () => {
      const keys = await someone({ tokenLevel: 'read' });
      return outcomeOf(await as(keys, 'POST', '/12/accounts/a1/campaigns'));
    },
    '403/INSUFFICIENT_USER_AUTHORIZED_PERMISSION',
  ],
  [
    'token of an app of level read on POST campaign',
    async () => {
      const keys = await someone({ tokenLevel: 'read', applicationLevel: 'read' });
      return outcomeOf(await as(keys, 'POST', '/12/accounts/a1/campaigns'));
    },
    '403/READONLY_CLIENT_APPLICATION',
  ],
  [
    'bearer on verify_credentials',
    async () => outcomeOf(await withBearer(world, await bearerOf(world, await someone()), VERIFY)),
    '403/220',
  ],
  [
    'bearer on `/2/users/me`',
    async () => outcomeOf(await withBearer(world, await bearerOf(world, await someone()), '/2/users/me')),
    '403/unsupported-authentication',
  ],
  [
    'revoked bearer',
    async () => {
      const own = await someone();
      const value = await bearerOf(world, own);
      return outcomesOf(
        () => withBearer(world, value, SHOW),
        () => revokeBearer(own, value),
        () => withBearer(world, value, SHOW),
      );
    },
    ['ok', 'ok', '401/89'],
  ],
  [
    'revoked access token',
    async () => {
      const own = await someone();
      const revoke = () => as(own, 'POST', '/1.1/oauth/invalidate_token');
      return outcomesOf(
        () => as(own, 'GET', VERIFY),
        revoke,
        () => as(own, 'GET', VERIFY),
        revoke,
      );
    },
    ['ok', 'ok', '401/89', '401/89'],
  ],
  [
    'revoked access token on an advertising call',
    async () => outcomeOf(await as(await someone({ isRevoked: true }), 'GET', '/12/accounts')),
    '401/89',
  ],
  [
    'oauth2/token 101st call in a window',
    async () => {
      const own = await someone();
      const first = await Promise.all(Array.from({ length: 100 }, () => askToken(world, own)));
      const last = await askToken(world, own);
      return [...new Set(first.map(outcomeOf)), outcomeOf(last), last.headers.get('retry-after')];
    },
    ['ok', '403/99', '900'],
  ],
  [
    'oauth2/token twice in parallel with none outstanding',
    async () => {
      const own = await someone();
      const [one, two] = await Promise.all([bearerOf(world, own), bearerOf(world, own)]);
      return one === two;
    },
    true,
  ],
  [
    'oauth2/token, invalidate, oauth2/token',
    async () => {
      const own = await someone();
      const old = await bearerOf(world, own);
      await revokeBearer(own, old);
      const fresh = await bearerOf(world, own);
      const turns = [fresh, old, fresh, old].map((value) => () => withBearer(world, value, SHOW));
      return [fresh !== old, ...(await outcomesOf(...turns))];
    },
    [true, 'ok', '401/89', 'ok', '401/89'],
  ],
  ['oauth2/token without grant_type', async () => outcomeOf(await askToken(world, await someone(), '')), '403/170'],
  [
    'oauth2/token with grant_type `password`',
    async () => outcomeOf(await askToken(world, await someone(), 'grant_type=password')),
    '403/99',
  ],
  [
    'invalidate bearer of another app',
    async () => {
      const [own, other] = [await someone(), await someone()];
      const value = await bearerOf(world, other);
      return outcomesOf(
        () => revokeBearer(own, value),
        () => withBearer(world, value, SHOW),
      );
    },
    ['403/348', 'ok'],
  ],
];

for (const [request, sendIt, expected] of rows) {
  test(`${request} -> ${JSON.stringify(expected)}`, async () => assert.deepEqual(await sendIt(), expected));
}
