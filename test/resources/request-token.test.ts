import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { encode } from '../../src/base/percent.ts';
import type { AccessLevel } from '../../src/contract/store/credentials.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { verifierHash } from '../../src/features/auth/oauth1/verifier.ts';
import { type Keys, read } from '../rig/client.ts';
import { approve, begin, pairs, prepare, type Step, send, take } from '../rig/login.ts';
import { register, type Standing } from '../rig/people.ts';
import { openWorld, testClock, type World } from '../rig/world.ts';

const CALLBACK = 'https://client.example.test/cb?next=%2Fhome&x=1';
const PATH = '/oauth/request_token';

let world: World;
let consumer: Keys;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  consumer = await register(world, { callbacks: [CALLBACK] });
});
after(() => world.close());

const ask = (more: Partial<Step> = {}) =>
  take(world, { path: PATH, consumer, oauth: { oauth_callback: CALLBACK }, ...more });
const stored = (token: string) => world.service.store.read((tx) => tx.requestTokens.find(token));

describe('a request token', () => {
  const ways: [how: string, Partial<Step>][] = [
    ['everything in the header', {}],
    ['the callback in the query', { oauth: {}, query: { oauth_callback: CALLBACK } }],
    ['the callback in the form', { oauth: {}, form: { oauth_callback: CALLBACK } }],
    ['GET with a header', { method: 'GET' }],
    ['GET with everything in the query', { method: 'GET', isAllInQuery: true }],
    ['POST with everything in the query', { isAllInQuery: true }],
    ['an empty token', { oauth: { oauth_callback: CALLBACK, oauth_token: '' } }],
    ['oob', { oauth: { oauth_callback: 'oob' } }],
    [
      'words of the consent page, which are ignored',
      { query: { screen_name: 'ada', force_login: 'true', lang: 'de' } },
    ],
  ];
  for (const [how, step] of ways) {
    test(`is issued for ${how}`, async () => {
      const reply = await ask(step);
      assert.equal(reply.status, 200, reply.text);
      assert.match(
        reply.text,
        /^oauth_token=[A-Za-z0-9_][\w-]{26}&oauth_token_secret=[A-Za-z0-9]{32}&oauth_callback_confirmed=true$/,
      );
      assert.equal(reply.headers.get('content-type'), 'text/html;charset=utf-8');
      assert.equal(
        reply.headers.get('cache-control'),
        'no-cache, no-store, must-revalidate, pre-check=0, post-check=0',
      );
      assert.equal(reply.headers.get('pragma'), 'no-cache');
      assert.equal(reply.headers.get('expires'), 'Tue, 31 Mar 1981 05:00:00 GMT');
      assert.equal(reply.headers.get('x-access-level'), null);
    });
  }

  test('is stored with its callback, level and expiry, and an encrypted secret', async () => {
    const said = pairs(await ask());
    const row = await stored(said.oauth_token!);
    assert.equal(row?.callback, CALLBACK);
    assert.equal(row.access_level, 'read-write');
    assert.equal(row.state, 'issued');
    assert.match(row.address, /127\.0\.0\.1$/);
    assert.equal(Date.parse(row.expires_at) - Date.parse(row.created_at), 15 * 60_000);
    assert.ok(!row.token_secret.includes(said.oauth_token_secret!));
  });

  test('is never issued twice', async () => {
    const tokens = await Promise.all(Array.from({ length: 40 }, () => begin(world, consumer)));
    assert.equal(new Set(tokens.map(({ token }) => token)).size, 40);
  });

  test('is removed a day after its expiry', async () => {
    const old = await begin(world, consumer);
    world.clock.advance(25 * 3600);
    await world.service.jobs.runDue();
    assert.equal(await stored(old.token), undefined);
  });
});

describe('the requested level', () => {
  const levels: [AccessLevel, wish: Record<string, string>, AccessLevel][] = [
    ['read', {}, 'read'],
    ['read', { ext_auth_access_type: 'write' }, 'read'],
    ['read-write', {}, 'read-write'],
    ['read-write', { ext_auth_access_type: 'read' }, 'read'],
    ['read-write', { ext_auth_access_type: 'write' }, 'read-write'],
    ['read-write-directmessages', {}, 'read-write-directmessages'],
    ['read-write-directmessages', { ext_auth_access_type: 'write' }, 'read-write'],
    ['read-write-directmessages', { x_auth_access_type: 'read' }, 'read'],
    ['read-write', { x_auth_access_type: 'read', ext_auth_access_type: 'read' }, 'read'],
  ];
  for (const [applicationLevel, wish, granted] of levels) {
    test(`${JSON.stringify(wish)} of an application of level ${applicationLevel} is ${granted}`, async () => {
      const own = await register(world, { applicationLevel });
      for (const place of [{ query: wish }, { form: wish }, { oauth: { oauth_callback: 'oob', ...wish } }]) {
        const reply = await ask({ consumer: own, oauth: { oauth_callback: 'oob' }, ...place });
        assert.equal((await stored(pairs(reply).oauth_token!))?.access_level, granted);
      }
    });
  }
});

interface Refused {
  readonly input: string;
  readonly standing?: Standing;
  readonly step: Partial<Step>;
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

const NOT_APPROVED =
  'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings';
const AUTH = 'Could not authenticate you.';
const refused = (status: number, code: number, message: string) => ({ status, code, message });
const callback = (value: string | undefined) => ({ oauth: { oauth_callback: value } });

const refusals: readonly Refused[] = [
  { input: 'no callback', step: callback(undefined), ...refused(403, 38, 'oauth_callback parameter is missing.') },
  { input: 'an empty callback', step: callback(''), ...refused(403, 38, 'oauth_callback parameter is missing.') },
  { input: 'another address', step: callback('https://evil.example/cb'), ...refused(403, 415, NOT_APPROVED) },
  { input: 'another slash', step: callback(`${CALLBACK}/`), ...refused(403, 415, NOT_APPROVED) },
  { input: 'a script', step: callback('javascript:alert(1)'), ...refused(403, 415, NOT_APPROVED) },
  { input: 'OOB in capitals', step: callback('OOB'), ...refused(403, 415, NOT_APPROVED) },
  {
    input: 'a native application with an address',
    standing: { isNative: true, callbacks: [CALLBACK] },
    step: {},
    ...refused(401, 417, "Desktop applications only support the oauth_callback value 'oob'"),
  },
  {
    input: 'a level that there is not',
    step: { query: { ext_auth_access_type: 'admin' } },
    ...refused(400, 44, 'ext_auth_access_type parameter is invalid.'),
  },
  {
    input: 'an empty level',
    step: { form: { ext_auth_access_type: '' } },
    ...refused(400, 44, 'ext_auth_access_type parameter is invalid.'),
  },
  {
    input: 'the same by its other name',
    step: { form: { x_auth_access_type: '' } },
    ...refused(400, 44, 'x_auth_access_type parameter is invalid.'),
  },
  {
    input: 'two levels that differ',
    step: { query: { ext_auth_access_type: 'read', x_auth_access_type: 'write' } },
    ...refused(400, 44, 'ext_auth_access_type parameter is invalid.'),
  },
  {
    input: 'an unknown key',
    step: { consumer: { consumer_key: 'nobody', consumer_secret: 'x' } },
    ...refused(401, 32, AUTH),
  },
  {
    input: 'an empty key',
    step: { oauth: { oauth_consumer_key: '' } },
    ...refused(400, 215, 'Bad Authentication data.'),
  },
  {
    input: 'a plain signature',
    step: { oauth: { oauth_signature_method: 'PLAINTEXT' } },
    ...refused(400, 215, 'Bad Authentication data.'),
  },
  {
    input: 'another version',
    step: { oauth: { oauth_version: '2.0' } },
    ...refused(400, 215, 'Bad Authentication data.'),
  },
  {
    input: 'a nonce beyond ASCII',
    step: { oauth: { oauth_nonce: 'é' } },
    ...refused(400, 215, 'Bad Authentication data.'),
  },
  { input: 'a clock 301 s late', step: { skew_s: -301 }, ...refused(401, 135, 'Timestamp out of bounds.') },
  {
    input: 'milliseconds',
    step: { oauth: { oauth_callback: CALLBACK, oauth_timestamp: '1772471095000' } },
    ...refused(401, 135, 'Timestamp out of bounds.'),
  },
  {
    input: 'a token that nobody has',
    step: { token: { token: '1-x', secret: 'x' } },
    ...refused(401, 89, 'invalid or expired token'),
  },
  {
    input: 'a suspended application',
    standing: { isApplicationSuspended: true, callbacks: [CALLBACK] },
    step: {},
    ...refused(401, 416, 'Invalid / suspended application'),
  },
];

describe('a request token is refused', () => {
  for (const { input, standing, step, status, code, message } of refusals) {
    test(`${input}: ${status}/${code}`, async () => {
      const own = standing ? await register(world, standing) : consumer;
      const reply = await ask({ consumer: own, ...step });
      assert.deepEqual([reply.status, reply.body], [status, { errors: [{ code, message }] }]);
      assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
      if (status === 401) assert.match(reply.headers.get('www-authenticate')!, /^OAuth realm="http/);
    });
  }

  test('a wrong secret: 401/32', async () => {
    const reply = await ask({ consumer: { ...consumer, consumer_secret: 'not this one' } });
    assert.deepEqual([reply.status, reply.body.errors], [401, [{ code: 32, message: AUTH }]]);
  });

  test('no credential at all: 400/215', async () => {
    const reply = await read(await fetch(world.service.url + PATH, { method: 'POST' }));
    assert.deepEqual([reply.status, reply.body.errors[0].code], [400, 215]);
  });

  test('the same request again: 401/32', async () => {
    const step = prepare(world.service.url, world.clock, { path: PATH, consumer, oauth: { oauth_callback: 'oob' } });
    assert.equal((await send(step)).status, 200);
    assert.deepEqual((await send(step)).body.errors, [{ code: 32, message: AUTH }]);
  });

  test('a request token where none is expected: 401/89', async () => {
    const token = await begin(world, consumer);
    assert.equal((await ask({ token })).body.errors[0].code, 89);
  });

  test('a header names what was received and the nearest registered callback; the body does not', async () => {
    const own = await register(world, { callbacks: ['https://other.example/', 'https://client.example.test/cb'] });
    const reply = await ask({ consumer: own, ...callback('https://client.example.test/cb/') });
    assert.equal(
      reply.headers.get('x-hint'),
      'received callback https://client.example.test/cb/; nearest registered https://client.example.test/cb',
    );
    assert.deepEqual(reply.body, { errors: [{ code: 415, message: NOT_APPROVED }] });
    const none = await ask({ consumer: await register(world), ...callback('myapp://done') });
    assert.match(none.headers.get('x-hint')!, /nearest registered none/);
  });
});

describe('the windows of calls', () => {
  test('one is per application, one per address', async () => {
    const flags = { rate_request_tokens_per_15min: 2, rate_request_tokens_per_address_15min: 3 };
    const limited = await openWorld({ flags });
    try {
      const [one, two] = [await register(limited), await register(limited)];
      const askAs = (own: Keys) => take(limited, { path: PATH, consumer: own, oauth: { oauth_callback: 'oob' } });
      const first = await askAs(one);
      assert.equal(first.headers.get('x-rate-limit-limit'), '2');
      assert.equal(first.headers.get('x-rate-limit-remaining'), '1');
      await askAs(one);
      const third = await askAs(one);
      assert.deepEqual([third.status, third.body.errors], [429, [{ code: 88, message: 'Rate limit exceeded' }]]);
      assert.equal(third.headers.get('retry-after'), '900');
      assert.equal((await askAs(two)).status, 200);
      assert.equal((await askAs(two)).status, 429, 'the address has had its three');
      limited.clock.advance(900);
      assert.equal((await askAs(two)).status, 200);
    } finally {
      await limited.close();
    }
  });
});

describe('decisions', () => {
  test('are accepted once, and in time', async () => {
    const { grants } = world.service;
    const token = await begin(world, consumer);
    const found = (await grants.find(token.token))!;
    assert.equal(found.application.consumer_key, consumer.consumer_key);
    const answers = await Promise.all([1, 2, 3].map(() => grants.approve(found.requestToken, world.keys.user_id!)));
    assert.equal(answers.filter(Boolean).length, 1);
    assert.equal(await grants.deny(found.requestToken), false);
    assert.equal(await grants.find(token.token), undefined);

    const late = await begin(world, consumer);
    world.clock.advance(15 * 60 + 1);
    assert.equal(await grants.find(late.token), undefined);
  });

  test('have a PIN without a callback, and a verifier with one', async () => {
    const user = world.keys.user_id!;
    assert.match(await approve(world, (await begin(world, consumer)).token, user), /^\d{7}$/);
    const token = await begin(world, consumer, { callback: CALLBACK });
    assert.match(await approve(world, token.token, user), /^[A-Za-z0-9]{32}$/);
    assert.doesNotMatch(JSON.stringify(await stored(token.token)), new RegExp(token.secret));
  });

  test('lead back to the callback, whatever query it has', async () => {
    const { grants } = world.service;
    const answers: [string, string, string][] = [
      ['https://a.example/cb', '?oauth_token=T&oauth_verifier=V', '?denied=T'],
      ['https://a.example/cb?x=1', '&oauth_token=T&oauth_verifier=V', '&denied=T'],
      ['https://a.example/cb?', 'oauth_token=T&oauth_verifier=V', 'denied=T'],
      ['myapp://done', '?oauth_token=T&oauth_verifier=V', '?denied=T'],
    ];
    for (const [address, approved, denied] of answers) {
      const row = { callback: address, token: 'T' } as Parameters<typeof grants.callbackUrlFor>[0];
      assert.equal(grants.callbackUrlFor(row, 'V'), address + approved);
      assert.equal(grants.callbackUrlFor(row), address + denied);
    }
  });
});

describe('the published examples of both steps', () => {
  const SECRET = 's3cr3t/With+Odd=Chars&And%Percent~Tilde';
  const examples: readonly {
    readonly id: string;
    readonly url: string;
    readonly oauth: Record<string, string>;
    readonly signature: string;
    readonly form_body?: string;
    readonly token_secret: string;
  }[] = JSON.parse(readFileSync('test/vectors/oauth1-own.json', 'utf8'));
  const example = (id: string) => examples.find((each) => each.id === id)!;

  /** Sends an example to a service behind a proxy that ends TLS for the address of the example. */
  const sendExample = (old: World, { url, oauth, signature, form_body }: (typeof examples)[number]) => {
    const { pathname, search, host } = new URL(url);
    const parameters = Object.entries({ ...oauth, oauth_signature: signature });
    const headers = {
      authorization: `OAuth ${parameters.map(([name, value]) => `${name}="${encode(value)}"`).join(', ')}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
      ...(form_body && { 'content-type': 'application/x-www-form-urlencoded' }),
    };
    return fetch(old.service.url + pathname + search, { method: 'POST', headers, body: form_body ?? null }).then(read);
  };

  test('are answered with tokens', async () => {
    const flags = { trusted_proxies: ['127.0.0.1'] };
    const old = await openWorld({ flags, seams: { clock: testClock('2026-01-01T00:00:00Z') } });
    try {
      const own = await register(old, { callbacks: [CALLBACK] });
      const { oauth, token_secret: secret } = example('own-02');
      const { store, box } = old.service;
      await store.write(async (tx) => {
        const application = (await tx.credentials.findApplicationByKey(own.consumer_key))!;
        await tx.credentials.addApplication({
          ...application,
          id: 'example',
          name: 'Example',
          consumer_key: oauth.oauth_consumer_key!,
          consumer_secret: box.seal(SECRET, secretContext.application('example')),
        });
        await tx.requestTokens.add({
          id: 'example',
          token: oauth.oauth_token!,
          token_secret: box.seal(secret, secretContext.requestToken('example')),
          application_id: 'example',
          callback: 'oob',
          access_level: 'read-write',
          state: 'authorized',
          user_id: own.user,
          verifier_hash: verifierHash(secret, '0731946'),
          attempts: 0,
          force_login: 0,
          address: '',
          created_at: '2026-01-01T00:00:00Z',
          expires_at: '2026-01-01T00:10:00Z',
          made_token_id: null,
        });
      });
      const begun = await sendExample(old, example('own-01'));
      assert.equal(begun.status, 200, begun.text);
      const row = await store.read((tx) => tx.requestTokens.find(pairs(begun).oauth_token!));
      assert.deepEqual([row?.callback, row?.access_level], [CALLBACK, 'read']);
      const ended = await sendExample(old, example('own-02'));
      assert.equal(pairs(ended).user_id, own.user);
      const again = await sendExample(old, example('own-02b'));
      assert.deepEqual(again.body.errors[0].code, 89, 'exchanged already');
    } finally {
      await old.close();
    }
  });
});
