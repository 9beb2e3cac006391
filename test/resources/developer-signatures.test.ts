import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { encode } from '../../src/base/percent.ts';
import { suspendApplication } from '../../src/features/auth/applications/administration.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { changeUserStatus } from '../../src/features/platform/user-status.ts';
import { basic, bearerOf } from '../rig/application.ts';
import { addApplication, addRequestToken } from '../rig/browser.ts';
import { type Keys, protocol } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const PATH = '/12/accounts';
const STREAM = '/2/activity/subscriptions';
const FORM = 'application/x-www-form-urlencoded';

interface Told {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly keys?: Partial<Keys>;
  readonly oauth?: Readonly<Record<string, string>>;
}

/** The Authorization header of a request that is signed right by these keys. */
function signed({ method = 'GET', path = PATH, keys, oauth }: Told = {}): string {
  const own = { ...world.keys, ...keys };
  const parameters: Record<string, string> = { ...protocol(own, world.clock), ...oauth };
  for (const [name, value] of Object.entries(parameters)) if (value === '') delete parameters[name];
  return sign({
    ...{ method, url: world.service.url + path, oauth: parameters },
    ...{ consumerSecret: own.consumer_secret, tokenSecret: own.access_token_secret },
  }).header;
}

interface Sent {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
type Shown = any;

/** Sends a request that is refused; returns the trace that its reply names. */
async function refused(sent: Sent): Promise<{ status: number; hint: string; trace: Shown }> {
  const { method = 'GET', path = PATH, headers = {}, body } = sent;
  const reply = await request(world.service.url + path, { method, headers, body: body ?? null });
  await reply.body.dump();
  const id = reply.headers['x-barker-trace'];
  assert.ok(typeof id === 'string' && id === reply.headers['x-transaction-id'], `${reply.statusCode} names no trace`);
  const hint = reply.headers['x-hint'];
  // Two headers of one name would be a list.
  assert.ok(typeof hint === 'string');
  const trace = await request(`${world.service.url}/_dev/auth/traces/${id}`);
  assert.equal(trace.statusCode, 200);
  return { status: reply.statusCode, hint, trace: await trace.body.json() };
}

/** The same, by the name of the first mistake. The hint is what the trace says. */
async function nameOf(sent: Sent): Promise<readonly [status: number, name: string | undefined]> {
  const { status, hint, trace } = await refused(sent);
  assert.equal(hint, trace.summary);
  assert.equal(trace.status, status);
  return [status, trace.mistakes[0]?.name];
}

const withHeader = (authorization: string, sent: Sent = {}): Sent => ({
  ...sent,
  headers: { authorization, ...sent.headers },
});

describe('a refused request names', () => {
  const rows: readonly (readonly [about: string, sent: () => Sent, status: number, name: string])[] = [
    ['missing credentials', () => ({}), 401, 'credentials-missing'],
    [
      'missing credentials, outside of the advertising API',
      () => ({ path: '/1.1/users/show.json' }),
      400,
      'credentials-missing',
    ],
    [
      'a clock that is behind',
      () => withHeader(signed({ oauth: { oauth_timestamp: '1000000000' } })),
      401,
      'timestamp-out-of-bounds',
    ],
    ['a missing token', () => withHeader(signed({ oauth: { oauth_token: '' } })), 401, 'token-missing'],
    ['a missing nonce', () => withHeader(signed({ oauth: { oauth_nonce: '' } })), 401, 'parameter-missing'],
    ['a missing scheme', () => withHeader(signed().replace('OAuth ', '')), 401, 'scheme-missing'],
    ['an unknown key', () => withHeader(signed({ keys: { consumer_key: 'nobody' } })), 401, 'unknown-consumer-key'],
    ['a bearer token for a user', () => withHeader('Bearer AAAA'), 401, 'bearer-instead-of-signature'],
    ['key and secret for a user', () => withHeader(basic(world.keys)), 401, 'basic-instead-of-signature'],
    ['an unknown bearer token', () => withHeader('Bearer AAAA', { path: STREAM }), 401, 'bearer-unknown'],
    ['a quoted bearer token', () => withHeader('Bearer "AAAA"', { path: STREAM }), 401, 'bearer-quoted'],
    [
      'a consumer key that is sent as bearer token',
      () => withHeader(`Bearer ${world.keys.consumer_key}`, { path: STREAM }),
      401,
      'consumer-key-sent-as-bearer',
    ],
    [
      'a wrong secret of Basic',
      () => {
        const headers = { 'content-type': FORM };
        const wrong = basic({ ...world.keys, consumer_secret: 'wrong' });
        return withHeader(wrong, {
          method: 'POST',
          path: '/oauth2/token',
          headers,
          body: 'grant_type=client_credentials',
        });
      },
      403,
      'basic-wrong-secret',
    ],
    ['two headers', () => ({ headers: { authorization: [signed(), signed()] } }), 401, 'authorization-repeated'],
    [
      'a body hash that is wrong',
      () => withHeader(signed({ oauth: { oauth_body_hash: 'MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=' } })),
      401,
      'body-hash-wrong',
    ],
    [
      'a token at the beginning of a login',
      () => {
        const told = { method: 'POST', path: '/oauth/request_token', oauth: { oauth_callback: 'oob' } } as const;
        return withHeader(signed(told), told);
      },
      401,
      'token-where-none-belongs',
    ],
    [
      'a missing request token',
      () => {
        const told = { method: 'POST', path: '/oauth/access_token', keys: { access_token_secret: '' } } as const;
        return withHeader(signed({ ...told, oauth: { oauth_token: '' } }), told);
      },
      401,
      'request-token-missing',
    ],
  ];
  for (const [about, sent, status, name] of rows) {
    test(about, async () => assert.deepEqual(await nameOf(sent()), [status, name]));
  }

  test('nothing, but the trace, where OAuth parameters in the query have a signature that nothing explains', async () => {
    const oauth = { ...protocol(world.keys, world.clock), oauth_signature: 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=' };
    const query = Object.entries(oauth).map(([name, value]) => `${name}=${encode(value)}`);
    const { status, hint, trace } = await refused({ path: `${PATH}?${query.join('&')}` });
    const likely =
      'Most likely the consumer secret or the token secret is wrong, or has been replaced: copy both again.';
    assert.equal(hint, `The signature is wrong. ${likely} /_dev/auth/traces/${trace.id} tries more mistakes.`);
    assert.deepEqual([status, trace.outcome, trace.mistakes], [401, 'unknown', []]);
    assert.equal(trace.summary, `No known mistake reproduces the signature. ${likely}`);
    assert.equal(trace.parameters[0].source, 'query');
  });

  test('a nonce that was used before', async () => {
    const sent = withHeader(signed());
    const first = await request(world.service.url + PATH, { headers: sent.headers! });
    await first.body.dump();
    assert.deepEqual([first.statusCode, first.headers['x-barker-trace']], [200, undefined]);
    assert.deepEqual(await nameOf(sent), [401, 'nonce-used-twice']);
  });

  test('the mistake of a request in a login, whose token has a secret too', async () => {
    const application = await addApplication(world);
    const token = await addRequestToken(world, application);
    const keys = {
      ...{ consumer_key: application.consumer_key, consumer_secret: `secret of ${application.id}` },
      ...{ access_token: token, access_token_secret: 'secret' },
    };
    const told = { method: 'POST', path: '/oauth/access_token', oauth: { oauth_verifier: 'a' } } as const;
    const left = signed({ ...told, keys: { ...keys, access_token_secret: '' } });
    assert.deepEqual(await nameOf(withHeader(left, told)), [401, 'token-secret-left-out']);
    // The signature is right here.
    const { trace } = await refused(withHeader(signed({ ...told, keys }), told));
    assert.deepEqual([trace.mistakes[0].name, trace.application], ['refused', application.name]);
    assert.deepEqual(await nameOf(withHeader(signed({ keys }))), [401, 'request-token-instead-of-access-token']);
  });

  test('a revoked bearer token', async () => {
    const application = await addApplication(world);
    const pair = { consumer_key: application.consumer_key, consumer_secret: `secret of ${application.id}` };
    const value = await bearerOf(world, pair);
    const { store } = world.service;
    await store.write(async (tx) => {
      const { id } = (await tx.bearerTokens.findOutstanding(application.id))!;
      await tx.bearerTokens.revoke(id, '2026-03-02T17:04:55Z');
      tx.invalidate(`bearer:${id}`);
    });
    const sent = withHeader(`Bearer ${value}`, { path: STREAM });
    assert.deepEqual(await nameOf(sent), [401, 'bearer-revoked']);
    assert.ok(!JSON.stringify(await refused(sent)).includes(value));
  });

  test('a revoked token, a suspended or locked user, and a suspended application', async () => {
    const { store } = world.service;
    const keys = {
      ...{ access_token: world.keys.other_access_token!, access_token_secret: world.keys.other_access_token_secret! },
    };
    const named = () => nameOf(withHeader(signed({ keys })));
    const user = world.keys.other_user_id!;
    await store.write((tx) => changeUserStatus(tx, user, { suspended: 1 }));
    assert.deepEqual(await named(), [403, 'user-suspended']);
    await store.write((tx) => changeUserStatus(tx, user, { suspended: 0, locked: 1 }));
    assert.deepEqual(await named(), [403, 'user-locked']);
    await store.write((tx) => changeUserStatus(tx, user, { locked: 0 }));
    const application = (await store.read((tx) => tx.credentials.findApplicationByKey(world.keys.consumer_key)))!;
    await store.write((tx) => suspendApplication(tx, application.id, true));
    assert.deepEqual(await named(), [401, 'application-suspended']);
    await store.write((tx) => suspendApplication(tx, application.id, false));
    const token = (await store.read((tx) => tx.credentials.findToken(keys.access_token)))!;
    await store.write(async (tx) => {
      await tx.credentials.revokeToken(token.id, '2026-03-02T17:04:55Z');
      tx.invalidate(`token:${token.id}`);
    });
    assert.deepEqual(await named(), [401, 'token-revoked']);
  });
});

describe('a hint', () => {
  test('of the operation stays where the credentials are right', async () => {
    const application = await addApplication(world, { native: 1 });
    const keys = { consumer_key: application.consumer_key, consumer_secret: `secret of ${application.id}` };
    const told = { method: 'POST', path: '/oauth/request_token' } as const;
    const oauth = { oauth_token: '', oauth_callback: 'https://other.test/' };
    const header = signed({ ...told, keys: { ...keys, access_token_secret: '' }, oauth });
    const { status, hint } = await refused(withHeader(header, told));
    assert.equal(status, 401);
    assert.ok(hint.length > 0);
  });
});

describe('the list of traces', () => {
  test('has the last one first, without its query', async () => {
    const { trace } = await refused({ path: `${PATH}?client_secret=unseen-secret-1` });
    const reply = await request(`${world.service.url}/_dev/auth/traces`);
    const text = await reply.body.text();
    const [first] = JSON.parse(text).traces;
    assert.deepEqual(first, {
      ...{ id: trace.id, received_at: trace.received_at, status: 401, method: 'GET', path: PATH },
      summary: trace.summary,
    });
    assert.ok(!text.includes('unseen-secret-1'));
    assert.ok(!JSON.stringify(trace).includes('unseen-secret-1'));
  });
});

describe('POST /_dev/auth/explain', () => {
  const url = () => world.service.url + PATH;
  const explained = async (body: unknown): Promise<Shown> => {
    const reply = await request(`${world.service.url}/_dev/auth/explain`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
    return reply.body.json();
  };

  test('takes the parts of a request', async () => {
    const { outcome, received } = await explained({ method: 'GET', url: url(), headers: { Authorization: signed() } });
    assert.equal(outcome, 'right');
    assert.match(received.authorization, /^OAuth /);
  });

  for (const [about, body, code, field] of [
    ['no object', [], 'NOT_AN_OBJECT', 'body'],
    ['an unknown member', { curl: 'curl a', verbose: true }, 'MEMBER_UNKNOWN', 'verbose'],
    ['curl and something else', { curl: 'curl a', method: 'GET' }, 'MEMBER_INVALID', 'curl'],
    ['a number as URL', { url: 1 }, 'MEMBER_INVALID', 'url'],
    ['headers that are no object', { url: 'http://a.test', headers: 'a' }, 'MEMBER_INVALID', 'headers'],
    ['a header that is no text', { url: 'http://a.test', headers: { a: 1 } }, 'MEMBER_INVALID', 'headers'],
    ['an unreadable command', { curl: 'wget a' }, 'CURL_UNREADABLE', 'curl'],
    ['an unreadable URL', { url: 'ftp://a.test' }, 'URL_UNREADABLE', 'url'],
  ] as const) {
    test(`refuses ${about}`, async () => {
      const { error } = await explained(body);
      assert.deepEqual([error.code, error.field], [code, field]);
    });
  }
});

describe('a form of the page of the debugger', () => {
  const post = async (headers: Readonly<Record<string, string>>, body: string) => {
    const reply = await request(`${world.service.url}/_dev/debugger`, { method: 'POST', headers, body });
    return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
  };
  const own = () => ({ 'content-type': FORM, origin: world.service.url, 'sec-fetch-site': 'same-origin' });

  test('is explained, and what was entered is shown as text', async () => {
    const body = new URLSearchParams({ curl: `curl 'http://localhost/"><b>' -H 'Authorization: ${signed()}'` });
    const { status, text, headers } = await post(own(), String(body));
    assert.equal(status, 200);
    assert.match(text, /The credentials|The URL|signature/);
    assert.ok(!text.includes('<b>'));
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self'/);
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['cache-control'], 'no-store');
  });

  test('that is empty is refused', async () => {
    const { status, text } = await post(own(), 'curl=');
    assert.equal(status, 400);
    assert.match(text, /enter a curl command, or the URL of a request/);
  });

  const foreign = 'https://attacker.example';
  for (const [why, changes, status, code] of [
    ['a page of another origin', { origin: foreign }, 403, 'FOREIGN_ORIGIN'],
    ['a page without an origin', { origin: 'null' }, 403, 'FOREIGN_ORIGIN'],
    ['no page', { origin: undefined }, 403, 'FOREIGN_ORIGIN'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403, 'FOREIGN_ORIGIN'],
    ['another content type', { 'content-type': 'text/plain' }, 415, 'NOT_FORM'],
    ['JSON', { 'content-type': 'application/json' }, 415, 'NOT_FORM'],
  ] as const) {
    test(`is refused from ${why}`, async () => {
      const headers = Object.entries({ ...own(), ...changes }).filter(([, value]) => value !== undefined);
      const reply = await post(Object.fromEntries(headers) as Record<string, string>, 'curl=curl');
      assert.deepEqual([reply.status, JSON.parse(reply.text).error.code], [status, code]);
    });
  }

  test('that is too large is refused', async () => {
    const { status, text } = await post(own(), `curl=${'a'.repeat(300_000)}`);
    assert.deepEqual([status, JSON.parse(text).error.code], [413, 'BODY_TOO_LARGE']);
  });
});
