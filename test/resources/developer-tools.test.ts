// On either database: the tools work before anything is read from it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function dev(method: 'GET' | 'POST' | 'PUT', path: string, { headers, body }: Sent = {}) {
  const reply = await request(world.service.url + path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.statusCode, headers: reply.headers, body: (await reply.body.json()) as never as Body };
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
type Body = any;

const PATH = '/12/accounts?with_deleted=true';

function signed({ areSwapped = false, url = world.service.url + PATH } = {}) {
  const { consumer_secret, access_token_secret } = world.keys;
  const secrets = [consumer_secret, access_token_secret];
  if (areSwapped) secrets.reverse();
  return sign({
    ...{ method: 'GET', url, form: undefined, oauth: protocol(world.keys, world.clock) },
    consumerSecret: secrets[0]!,
    tokenSecret: secrets[1]!,
  }).header;
}

describe('the surface for developers', () => {
  test('lists its calls', async () => {
    const { status, body } = await dev('GET', '/_dev');
    assert.equal(status, 200);
    assert.ok(body.calls.some(({ path }: { path: string }) => path === '/_dev/auth/explain'));
  });

  test('is on the sandbox too', async () => {
    const reply = await request(`${world.service.sandboxUrl}/_dev`);
    await reply.body.dump();
    assert.equal(reply.statusCode, 200);
  });

  for (const [why, headers, status, code] of [
    ['another name for this machine', { host: 'attacker.example' }, 403, 'FOREIGN_HOST'],
    ['a page of another origin', { origin: 'https://attacker.example' }, 403, 'FOREIGN_ORIGIN'],
    ['a page without an origin', { origin: 'null' }, 403, 'FOREIGN_ORIGIN'],
    ['what a form of a page can send', { 'content-type': 'text/plain' }, 415, 'NOT_JSON'],
  ] as const) {
    test(`refuses ${why}`, async () => {
      const reply = await dev('POST', '/_dev/auth/explain', { headers, body: {} });
      assert.deepEqual([reply.status, reply.body.error.code], [status, code]);
    });
  }

  for (const [method, path, status, code] of [
    ['GET', '/_dev/nothing', 404, 'CALL_UNKNOWN'],
    ['PUT', '/_dev/auth/explain', 405, 'METHOD_UNKNOWN'],
    ['GET', '/_dev/auth/traces/none', 404, 'TRACE_UNKNOWN'],
    ['POST', '/_dev/auth/explain', 400, 'MEMBER_MISSING'],
  ] as const) {
    test(`answers ${method} ${path} with ${code}`, async () => {
      const reply = await dev(method, path, method === 'GET' ? {} : { body: {} });
      assert.deepEqual([reply.status, reply.body.error.code], [status, code]);
    });
  }
});

test('an unknown call below /_dev is answered with the nearest one', async () => {
  const messageOf = async (path: string) => (await dev('GET', path)).body.error.message;
  assert.equal(await messageOf('/_dev/request?limit=1'), 'there is no such call; did you mean /_dev/requests?');
  assert.equal(await messageOf('/_dev/nothing_like_it'), 'there is no such call; GET /_dev lists all');
});

describe('a refused signature', () => {
  test('has a hint, and a trace that names the mistake', async () => {
    const url = world.service.url + PATH;
    const reply = await request(url, {
      headers: { authorization: signed({ areSwapped: true, url }) },
    });
    await reply.body.dump();
    assert.equal(reply.statusCode, 401);
    assert.match(String(reply.headers['x-hint']), /secret/);
    const trace = await dev('GET', `/_dev/auth/traces/${reply.headers['x-barker-trace']}`);
    assert.equal(trace.status, 200);
    assert.equal(trace.body.outcome, 'mistakes');
    assert.match(trace.body.expected.base_string, /^GET&http%3A%2F%2F127\.0\.0\.1/);
    const text = JSON.stringify(trace.body);
    for (const secret of [world.keys.consumer_secret, world.keys.access_token_secret]) {
      assert.ok(!text.includes(secret));
    }
  });
});

describe('a curl command', () => {
  test('that is signed right is told so', async () => {
    const url = world.service.url + PATH;
    const curl = `curl -s '${url}' -H 'Authorization: ${signed({ url })}'`;
    const { body } = await dev('POST', '/_dev/auth/explain', { body: { curl } });
    assert.equal(body.outcome, 'right');
  });

  test('whose query was not signed is told so', async () => {
    const bare = signed({ url: world.service.url + PATH.split('?')[0] });
    const curl = `curl '${world.service.url}${PATH}' -H 'Authorization: ${bare}'`;
    const { body } = await dev('POST', '/_dev/auth/explain', { body: { curl } });
    assert.deepEqual([body.outcome, body.mistakes.length], ['mistakes', 1]);
    assert.match(body.mistakes[0].name, /query/);
  });
});

describe('a hint', () => {
  const hintOf = async (path: string, host?: string) =>
    (await request(world.service.url + path, { headers: host === undefined ? {} : { host } })).headers['x-hint'];

  for (const [path, near] of [
    ['/12/accounts/abc/campaign', '/12/accounts/abc/campaigns'],
    ['/12/acounts?count=1', '/12/accounts'],
    ['/accounts', '/12/accounts'],
    ['/2/webhook', '/2/webhooks'],
    ['/reference/campaigns.lst', '/docs/reference/campaigns.list'],
    ['/docs/reference/line-items', '/docs/reference/line_items'],
  ] as const) {
    test(`names the path nearest to ${path}`, async () => {
      assert.equal(await hintOf(path), `There is no such path. Did you mean ${near}?`);
    });
  }

  test('names no path where none is near', async () => {
    assert.equal(await hintOf('/something/else'), undefined);
  });

  test('says why plain HTTP is refused', async () => {
    assert.match((await hintOf('/12/accounts', 'ads.example'))!.toString(), /^Plain HTTP is answered under names of/);
  });
});
