// On either database: what differs between them, the statements, is looked at on the one of the run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { request } from 'undici';
import { indentedJson } from '../../src/dev/requests/show.ts';
import { dev } from '../rig/developer-surface.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());
beforeEach(() => dev(world, 'DELETE', '/_dev/requests'));

const shell = async (command: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', command], { encoding: 'utf8' })).stdout;

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
type Shown = any;
const list = async (query = ''): Promise<Shown[]> => (await dev(world, 'GET', `/_dev/requests${query}`)).body.requests;
const show = async (id: string): Promise<Shown> => (await dev(world, 'GET', `/_dev/requests/${id}`)).body;

test('JSON is shown with indents, but never with other digits', () => {
  assert.equal(
    indentedJson('{"a": "\\u00fc", "id": "12345678901234567890"}'),
    '{\n  "a": "ü",\n  "id": "12345678901234567890"\n}',
  );
  for (const text of ['{"id": 12345678901234567890}', '[0.1234567890123456789]', 'no JSON', '"text"'])
    assert.equal(indentedJson(text), text);
});

describe('the list of requests', () => {
  test('shows who called what, newest first, also what no operation answers', async () => {
    await world.production.call('GET', '/12/accounts');
    await world.sandbox.call('GET', '/12/accounts/abc');
    await (await request(`${world.service.url}/login`)).body.dump();
    const [page, failed, good, ...others] = await list();
    assert.deepEqual(others, []);
    assert.deepEqual([page.status, page.target, page.kind, page.operation], [200, '/login', 'other', undefined]);
    assert.deepEqual([failed.status, failed.environment, failed.account], [403, 'sandbox', 'abc']);
    assert.deepEqual(
      [good.status, good.operation, good.direction, good.environment, good.method],
      [200, 'accounts.list', 'in', 'production', 'GET'],
    );
    assert.match(good.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(good.duration_ms > 0);
  });

  test('lacks visits to pages, and what they load', async () => {
    for (const path of [
      '/ads',
      '/developer/apps',
      '/settings/profile',
      '/reference',
      '/docs/activity',
      '/pages/style.css',
    ]) {
      await request(world.service.url + path).then((reply) => reply.body.dump());
    }
    assert.deepEqual(await list(), []);
    const unknown = await dev(world, 'GET', '/_dev/requests?operation=campaign.list');
    assert.deepEqual(
      [unknown.status, unknown.body.error.message],
      [400, 'there is no operation campaign.list; did you mean campaigns.list?'],
    );
  });

  test('is filtered, and said how long it is without a limit', async () => {
    for (const path of ['/12/accounts', '/12/accounts/abc', '/12/nothing', '/13/accounts']) {
      await request(world.service.url + path).then((reply) => reply.body.dump());
    }
    const paths = async (query: string) => (await list(query)).map(({ target }: Shown) => target);
    assert.deepEqual(await paths('?status=401'), ['/12/accounts/abc', '/12/accounts']);
    assert.deepEqual(await paths('?status=4xx&path=/*/accounts'), ['/13/accounts', '/12/accounts']);
    assert.deepEqual(await paths('?path=/12/**&limit=1'), ['/12/nothing']);
    assert.deepEqual(await paths('?operation=accounts.*&method=get&account=abc'), ['/12/accounts/abc']);
    assert.deepEqual(await paths('?kind=other'), ['/13/accounts', '/12/nothing']);
    const [, second] = await list();
    assert.deepEqual(await paths(`?after=${second.id}`), ['/13/accounts']);
    const { body } = await dev(world, 'GET', '/_dev/requests?limit=1');
    assert.deepEqual([body.requests.length, body.count], [1, 4]);
  });

  test('knows applications by id, key and name', async () => {
    await world.production.call('GET', '/12/accounts');
    const [{ application }] = await list();
    for (const named of ['demo', application, world.keys.consumer_key, 'demo application']) {
      assert.equal((await list(`?application=${encodeURIComponent(named)}`)).length, 1, named);
    }
  });

  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=x', 'limit'],
    ['status=9', 'status'],
    ['colour=red', 'colour'],
    ['direction=up', 'direction'],
    ['application=nobody', 'application'],
  ] as const) {
    test(`refuses ${query}`, async () => {
      const { status, body } = await dev(world, 'GET', `/_dev/requests?${query}`);
      assert.deepEqual([status, body.error.field], [400, field]);
    });
  }
});

describe('a request', () => {
  test('is shown with caller, role, windows, statements and reply', async () => {
    const { account, path } = await openAccount(world.sandbox);
    const params = { name: 'Spring', colour: 'red' };
    const reply = await world.sandbox.call('PUT', path, { params });
    assert.equal(reply.status, 200);
    const shown = await show(reply.headers.get('x-transaction-id')!);
    assert.equal(shown.operation, 'accounts.update');
    assert.equal(shown.account, account);
    assert.equal(shown.role, 'ACCOUNT_ADMIN');
    assert.deepEqual([shown.caller.kind, shown.caller.user], ['user', world.keys.user_id]);
    assert.equal(shown.parameters.name, 'Spring');
    assert.deepEqual(shown.ignored_parameters, ['colour']);
    assert.equal(shown.request.line, `PUT ${path} HTTP/1.1`);
    assert.equal(shown.request.body, 'name=Spring&colour=red');
    assert.equal(shown.rate_windows.caller.limit, Number(reply.headers.get('x-rate-limit-limit')));
    assert.ok(shown.statements.count > 1, 'statements of the write');
    assert.ok(shown.statements.first.some(({ statement }: Shown) => /account/.test(statement)));
    assert.equal(shown.reply.body, reply.text);
    const headers = new Map(shown.reply.headers.map(({ name, value }: Shown) => [name, value]));
    assert.equal(headers.get('x-transaction-id'), shown.transaction_id);
  });

  test('has the statements of its own, not of those beside it', async () => {
    const { path } = await openAccount(world.sandbox);
    const many = Array.from({ length: 8 }, (_, at) =>
      world.sandbox.call('PUT', path, { params: { name: `Name ${at}` } }),
    );
    const replies = await Promise.all(many);
    for (const { headers } of replies) {
      const { first } = (await show(headers.get('x-transaction-id')!)).statements;
      const keys = first.map(({ statement }: Shown) => statement);
      assert.equal(keys.filter((key: string) => /^update accounts/.test(key)).length, 1, keys.join(', '));
    }
  });

  test('whose signature is wrong leads to its trace', async () => {
    const reply = await request(`${world.service.url}/12/accounts`, {
      headers: { authorization: 'OAuth oauth_consumer_key="x", oauth_signature="abcdefghij"' },
    });
    await reply.body.dump();
    const shown = await show(String(reply.headers['x-transaction-id']));
    assert.equal(shown.trace, `/_dev/auth/traces/${reply.headers['x-barker-trace']}`);
    const lists = shown.statements.first.filter(({ statement }: Shown) => /\blist\b/.test(statement));
    assert.deepEqual(lists, [], 'statements of the debugger, which compares all keys');
  });

  test('that is not known any more is not found', async () => {
    const { status, body } = await dev(world, 'GET', '/_dev/requests/none');
    assert.deepEqual([status, body.error.code], [404, 'REQUEST_UNKNOWN']);
  });

  test('shows no secret', async () => {
    const { consumer_secret, access_token_secret, password } = world.keys;
    await world.production.call('GET', '/12/accounts');
    const secret = 'a-secret-of-nobody';
    for (const [path, type, body] of [
      ['/login', 'application/x-www-form-urlencoded', `username=ada&password=${password}`],
      ['/12/accounts', 'application/json', JSON.stringify({ password: secret, depth: { client_secret: secret } })],
      [`/oauth2/token?oauth_token_secret=${secret}`, 'application/x-www-form-urlencoded', `consumer_secret=${secret}`],
      [`/12/accounts?name=${consumer_secret}`, 'text/plain', `${access_token_secret} in the wrong place`],
    ] as const) {
      const headers = {
        'content-type': type,
        authorization: `Bearer ${secret}`,
        cookie: `session=${secret}`,
      };
      await (await request(world.service.url + path, { method: 'POST', headers, body })).body.dump();
    }
    const basic = Buffer.from(`${world.keys.consumer_key}:${consumer_secret}`).toString('base64');
    const bearer = await request(`${world.service.url}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    const { access_token } = (await bearer.body.json()) as { access_token: string };
    const entries = await list();
    const details = await Promise.all(entries.map(({ id }: Shown) => show(id)));
    const text = JSON.stringify([entries, details]);
    assert.equal(details.length, 6);
    for (const hidden of [secret, consumer_secret, access_token_secret, password!, access_token, basic]) {
      assert.ok(!text.includes(hidden), `${hidden} is shown`);
    }
    assert.match(text, /oauth_signature=\\"\[redacted\]/);
  });

  test('shows three hashed identifiers of an upload', async () => {
    const hashes = Array.from({ length: 5 }, (_, at) => String(at).repeat(64));
    await world.sandbox.call('POST', '/12/accounts', { json: hashes });
    const [{ id }] = await list();
    const { body } = (await show(id)).request;
    assert.deepEqual(
      hashes.map((hash) => body.includes(hash)),
      [true, true, true, false, false],
    );
  });

  test('is kept up to 64 KiB, and says how long it was', async () => {
    await world.sandbox.call('POST', '/12/accounts', { params: { name: 'x'.repeat(100_000) } });
    const [{ id }] = await list();
    const shown = (await show(id)).request;
    assert.deepEqual([shown.body.length, shown.is_cut], [65_536, true]);
    assert.equal(shown.body_bytes, 100_005);
  });
});

describe('a request as a curl command', () => {
  test('is signed anew, and does what it did', async () => {
    const { path, account } = await openAccount(world.sandbox);
    const reply = await world.sandbox.call('PUT', path, { params: { name: "Ada's & Ben's" } });
    const { text } = await dev(world, 'GET', `/_dev/requests/${reply.headers.get('x-transaction-id')}/curl`);
    await world.sandbox.call('PUT', path, { params: { name: 'Another' } });
    const output = await shell(text);
    assert.match(output, /^HTTP\/1\.1 200/);
    assert.match(output, /Ada's & Ben's/);
    const read = await world.sandbox.call('GET', `/12/accounts/${account}`);
    assert.equal(read.body.data.name, "Ada's & Ben's");
  });

  test('is signed by the demo application when nobody knows its keys', async () => {
    const reply = await request(`${world.service.url}/12/accounts`, {
      headers: { authorization: 'OAuth oauth_consumer_key="x", oauth_token="y", oauth_signature="abcdefghij"' },
    });
    await reply.body.dump();
    assert.equal(reply.statusCode, 401);
    const { text } = await dev(world, 'GET', `/_dev/requests/${reply.headers['x-transaction-id']}/curl`);
    assert.match(await shell(text), /^HTTP\/1\.1 200/);
  });
});
