// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bearerOf, withBearer } from '../rig/application.ts';
import { type BreakableWorld, openBreakableWorld } from '../rig/breakable.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import { register, type Standing } from '../rig/people.ts';
import { type RawCall, rawCall } from '../rig/raw.ts';

const BODY_MAX = 2048;
let world: BreakableWorld;
let ada: Record<string, unknown>;
before(async () => {
  world = await openBreakableWorld({ body_bytes_max: BODY_MAX });
  ada = {
    id: Number(world.keys.user_id),
    id_str: world.keys.user_id,
    name: 'Ada Demo',
    screen_name: 'ada_demo',
    location: '',
    description: '',
    url: null,
    entities: { description: { urls: [] } },
    protected: false,
    followers_count: 0,
    friends_count: 0,
    listed_count: 0,
    created_at: 'Mon Mar 02 17:04:55 +0000 2026',
    favourites_count: 0,
    utc_offset: null,
    time_zone: null,
    geo_enabled: false,
    verified: false,
    statuses_count: 0,
    lang: null,
    contributors_enabled: false,
    is_translator: false,
    profile_background_color: 'F5F8FA',
    profile_image_url: null,
    profile_image_url_https: null,
    profile_link_color: '1DA1F2',
    default_profile: true,
    default_profile_image: true,
    following: false,
    follow_request_sent: false,
    notifications: false,
  };
});
after(() => world.close());

const sandbox = (call: RawCall): Promise<Reply> => rawCall(world.service.sandboxUrl, world.clock, call);
const get = (target: string, more: Partial<RawCall> = {}): Promise<Reply> =>
  sandbox({ method: 'GET', target, keys: world.keys, ...more });

/** Sends as somebody new. */
const as = async (standing: Standing, target: string): Promise<Reply> =>
  get(target, { keys: await register(world, standing) });

function expect(reply: Reply, status: number, error: object): void {
  assert.equal(reply.status, status, reply.text);
  assert.deepEqual(reply.body, { errors: [error] });
}

describe('verify_credentials', () => {
  for (const path of ['/1.1/account/verify_credentials', '/1.1/account/verify_credentials.json']) {
    test(`returns at ${path} the user of the token`, async () => {
      const reply = await get(path);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.text, JSON.stringify({ ...ada, suspended: false, needs_phone_verification: false }));
      assert.equal(reply.headers.get('x-access-level'), 'read-write');
      assert.equal(reply.headers.get('x-rate-limit-limit'), '75');
    });
  }

  test('accepts what login libraries send, and omits entities on request', async () => {
    const reply = await get(
      '/1.1/account/verify_credentials.json?include_email=true&skip_status=1&include_entities=false',
    );
    const { entities, ...rest } = ada;
    assert.deepEqual(reply.body, { ...rest, suspended: false, needs_phone_verification: false });
  });

  test('refuses an invalid boolean', async () => {
    const reply = await get('/1.1/account/verify_credentials.json?include_email=perhaps');
    expect(reply, 400, { code: 44, message: 'include_email parameter is invalid.' });
  });

  test('may be called by a token that may only read', async () => {
    const reply = await as({ tokenLevel: 'read' }, '/1.1/account/verify_credentials.json');
    assert.equal(reply.status, 200, reply.text);
  });

  test('ends with the 76th call in a window', async () => {
    const keys = await register(world);
    const target = '/1.1/account/verify_credentials.json';
    for (let count = 1; count <= 75; count++) assert.equal((await get(target, { keys })).status, 200);
    expect(await get(target, { keys }), 429, { code: 88, message: 'Rate limit exceeded' });
  });
});

describe('users/show', () => {
  const asked = [
    ['id', () => `user_id=${world.keys.user_id}`],
    ['name', () => 'screen_name=ada_demo'],
    ['name in another case', () => 'screen_name=ADA_Demo'],
    ['id, whatever the name', () => `user_id=${world.keys.user_id}&screen_name=ben_demo`],
  ] as const;
  for (const [how, query] of asked) {
    test(`returns a user by ${how}`, async () => {
      const reply = await get(`/1.1/users/show.json?${query()}`);
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.text, JSON.stringify(ada));
    });
  }

  test('returns the same to an application', async () => {
    const reply = await withBearer(world, await bearerOf(world, world.keys), '/1.1/users/show?screen_name=ada_demo');
    assert.equal(reply.text, JSON.stringify(ada));
  });

  const notFound = { code: 50, message: 'User not found.' };
  const refused = [
    ['neither id nor name', '', 403, { code: 38, message: 'user_id parameter is missing.' }],
    ['an id that nobody has', 'user_id=1', 404, notFound],
    ['an id that is none', 'user_id=ada', 404, notFound],
    ['a name that nobody has', 'screen_name=nobody', 404, notFound],
    ['an empty name', 'screen_name=', 400, { code: 44, message: 'screen_name parameter is invalid.' }],
    [
      'a name that is too long',
      `screen_name=${'x'.repeat(51)}`,
      400,
      { code: 44, message: 'screen_name parameter is invalid.' },
    ],
    [
      'a name with a control character',
      'screen_name=a%00b',
      400,
      { code: 44, message: 'screen_name parameter is invalid.' },
    ],
    ['two ids', 'user_id=1&user_id=2', 400, { code: 44, message: 'user_id parameter is invalid.' }],
  ] as const;
  for (const [input, query, status, error] of refused) {
    test(`refuses ${input}`, async () => expect(await get(`/1.1/users/show.json?${query}`), status, error));
  }

  test('reports that a user is suspended', async () => {
    const { user } = await register(world, { isUserSuspended: true });
    const error = { code: 63, message: 'User has been suspended.' };
    expect(await get(`/1.1/users/show.json?user_id=${user}`), 403, error);
  });

  test('counts users and applications apart', async () => {
    const keys = await register(world);
    const target = '/1.1/users/show.json?screen_name=ada_demo';
    const own = await get(target, { keys });
    const application = await withBearer(world, await bearerOf(world, keys), target);
    for (const reply of [own, application]) {
      assert.equal(reply.headers.get('x-rate-limit-limit'), '900');
      assert.equal(reply.headers.get('x-rate-limit-remaining'), '899');
    }
  });
});

describe('users/me', () => {
  test('returns the user of the token', async () => {
    const reply = await get('/2/users/me');
    assert.equal(reply.status, 200, reply.text);
    const { user_id: id } = world.keys;
    assert.equal(reply.text, JSON.stringify({ data: { id, name: 'Ada Demo', username: 'ada_demo' } }));
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(reply.headers.get('x-rate-limit-limit'), '75');
  });

  test('returns the requested fields', async () => {
    const all = 'created_at,description,location,profile_image_url,protected,public_metrics,url,verified,verified_type';
    const reply = await get(`/2/users/me?user.fields=${all}`);
    assert.deepEqual(reply.body.data, {
      id: world.keys.user_id,
      name: 'Ada Demo',
      username: 'ada_demo',
      created_at: '2026-03-02T17:04:55.000Z',
      description: '',
      location: '',
      profile_image_url: null,
      protected: false,
      public_metrics: { followers_count: 0, following_count: 0, post_count: 0, listed_count: 0 },
      url: null,
      verified: false,
      verified_type: 'none',
    });
    const one = await get('/2/users/me?user.fields=protected');
    assert.deepEqual(Object.keys(one.body.data), ['id', 'name', 'username', 'protected']);
  });

  const unauthorized = (code: number, message: string) => ({
    title: 'Unauthorized',
    type: 'about:blank',
    status: 401,
    detail: 'Unauthorized',
    errors: [{ code, message }],
  });
  const plain = (status: number, title: string, detail = title) => ({ title, type: 'about:blank', status, detail });
  const invalid = (parameters: object, message: string) => ({
    errors: [{ parameters, message }],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: `${world.service.sandboxUrl}/2/problems/invalid-request`,
  });
  const fields =
    'created_at, description, location, profile_image_url, protected, public_metrics, url, verified, verified_type';
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  const forbidden = (code: number, message: string) => {
    return { ...plain(403, 'Forbidden', message), errors: [{ code, message }] };
  };
  const LOCKED = 'To protect our users from spam and other malicious activity, this account is temporarily locked.';
  /** How each condition is brought about, and the whole body that is said then. */
  const refusals: readonly (readonly [
    input: string,
    send: () => Promise<Reply>,
    status: number,
    body: () => object,
  ])[] = [
    [
      'plain HTTP to another host',
      () => get('/2/users/me', { headers: { host: 'ads.example' } }),
      403,
      () => ({ ...plain(403, 'Forbidden', 'SSL is required'), errors: [{ code: 92, message: 'SSL is required' }] }),
    ],
    [
      'an Authorization header of 9000 bytes',
      () => get('/2/users/me', { keys: undefined, headers: { authorization: `OAuth ${'x'.repeat(9000)}` } }),
      431,
      () => ({
        ...plain(431, 'Request Header Fields Too Large', 'Bad Authentication data.'),
        errors: [{ code: 215, message: 'Bad Authentication data.' }],
      }),
    ],
    [
      'no credential',
      () => get('/2/users/me', { keys: undefined }),
      401,
      () => unauthorized(215, 'Bad Authentication data.'),
    ],
    [
      'a bearer token',
      async () => withBearer(world, await bearerOf(world, world.keys), '/2/users/me'),
      403,
      () => ({
        title: 'Unsupported Authentication',
        type: `${world.service.sandboxUrl}/2/problems/unsupported-authentication`,
        status: 403,
        detail:
          'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context].',
      }),
    ],
    [
      'a clock that is ten minutes late',
      () => get('/2/users/me', { skew_s: -600 }),
      401,
      () => unauthorized(135, 'Timestamp out of bounds.'),
    ],
    [
      'a wrong secret',
      () => get('/2/users/me', { keys: { ...world.keys, consumer_secret: 'wrong' } }),
      401,
      () => unauthorized(32, 'Could not authenticate you.'),
    ],
    [
      'a token that was never issued',
      () => get('/2/users/me', { keys: { ...world.keys, access_token: '1-nobody' } }),
      401,
      () => unauthorized(89, 'invalid or expired token'),
    ],
    [
      'a revoked token',
      () => as({ isRevoked: true }, '/2/users/me'),
      401,
      () => unauthorized(89, 'invalid or expired token'),
    ],
    [
      'a suspended application',
      () => as({ isApplicationSuspended: true }, '/2/users/me'),
      401,
      () => unauthorized(416, 'Invalid / suspended application'),
    ],
    [
      'a suspended user',
      () => as({ isUserSuspended: true }, '/2/users/me'),
      403,
      () => forbidden(64, 'Your account is suspended and is not permitted to access this feature.'),
    ],
    ['a locked user', () => as({ isUserLocked: true }, '/2/users/me'), 403, () => forbidden(326, LOCKED)],
    [
      'a form that is too long',
      () => get('/2/users/me', { headers: form, body: 'x'.repeat(BODY_MAX + 1) }),
      413,
      () => plain(413, 'Content Too Large', `The request body has more than ${BODY_MAX} bytes.`),
    ],
    [
      'half a JSON document',
      () => get('/2/users/me', { headers: json, body: '{"a"' }),
      400,
      () => ({ ...invalid({}, 'Invalid JSON'), detail: 'Invalid JSON' }),
    ],
    [
      'an unknown field',
      () => get('/2/users/me?user.fields=url,nope'),
      400,
      () => invalid({ 'user.fields': ['nope'] }, `The \`user.fields\` value [nope] is not one of [${fields}]`),
    ],
    [
      'no field at all',
      () => get('/2/users/me?user.fields='),
      400,
      () => invalid({ 'user.fields': [] }, 'The `user.fields` value has no items'),
    ],
    [
      'fields given twice',
      () => get('/2/users/me?user.fields=url&user.fields=verified'),
      400,
      () => invalid({ 'user.fields': [] }, 'The `user.fields` parameter has 2 values instead of one'),
    ],
    [
      'a database that fails',
      () => world.whileBroken(() => get('/2/users/me')),
      500,
      () => plain(500, 'Internal Server Error'),
    ],
    [
      'a database that cannot be reached',
      () => world.whileUnreachable(() => get('/2/users/me')),
      503,
      () => plain(503, 'Service Unavailable'),
    ],
    [
      'one call more than a window has',
      async () => {
        const client = clientOf(world.service.sandboxUrl, await register(world), world.clock);
        for (let count = 1; count <= 75; count++) assert.equal((await client.call('GET', '/2/users/me')).status, 200);
        return client.call('GET', '/2/users/me');
      },
      429,
      () => plain(429, 'Too Many Requests'),
    ],
  ];
  for (const [input, send, status, body] of refusals) {
    test(`refuses ${input} with ${status}`, async () => {
      const reply = await send();
      assert.equal(reply.status, status, reply.text);
      assert.deepEqual(reply.body, body());
      assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8');
    });
  }
});
