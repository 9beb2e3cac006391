// On either database: faults are made between the network and what is stored.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { browserOf } from '../rig/browser.ts';
import { cutCall, dev, faultyClient } from '../rig/developer-surface.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, persons, update } from './people-calls.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());
afterEach(() => dev(world, 'DELETE', '/_dev/faults'));

const PATH = '/12/accounts';
const get = (headers: Record<string, string> = {}) => cutCall(world, world.service.url + PATH, { headers });
const create = (headers: Record<string, string> = {}) =>
  cutCall(world, world.service.sandboxUrl + PATH, { form: {}, headers });

async function fault(body: unknown): Promise<string> {
  const { status, text, body: reply } = await dev(world, 'POST', '/_dev/faults', { body });
  assert.equal(status, 201, text);
  return reply.id;
}
// biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
const rules = async (): Promise<any[]> => (await dev(world, 'GET', '/_dev/faults')).body.faults;
async function accounts(): Promise<number> {
  return (await world.sandbox.call('GET', `${PATH}?count=200`)).body.data.length;
}

describe('a fault', () => {
  test('touches what it names, and says so in the reply and in the list', async () => {
    const id = await fault({ match: { operation: 'accounts.list', method: 'get', path: '/12/*' }, do: { delay: 30 } });
    const reply = await get();
    assert.deepEqual([reply.status, reply.headers['x-barker-fault']], [200, id]);
    assert.ok(reply.duration_ms >= 29, `${reply.duration_ms}`);
    const other = await cutCall(world, `${world.service.url}/12/accounts/abc`);
    assert.equal(other.headers['x-barker-fault'], undefined);
    const [rule] = await rules();
    assert.deepEqual([rule.hits, rule.left], [1, null]);
    assert.match(rule.last_hit, /^\d{4}-\d\d-\d\dT/);
    const { body } = await dev(world, 'GET', `/_dev/requests/${reply.headers['x-transaction-id']}`);
    assert.deepEqual(body.faults, [id]);
  });

  test('that asks for another account, application or parameter leaves a call alone', async () => {
    for (const match of [{ account: 'abc' }, { query: { count: '1' } }, { method: 'PUT' }, { operation: 'media*' }]) {
      await fault({ match, do: { reset: true } });
    }
    await fault({ match: { application: 'demo', query: { count: '2*' } }, do: { reply: { status: 418 } } });
    assert.equal((await get()).status, 200);
    assert.equal((await cutCall(world, `${world.service.url}${PATH}?count=20`)).status, 418);
  });

  test('touches the calls of an account alone', async () => {
    const [one, other] = [await openAccount(world.sandbox), await openAccount(world.sandbox)];
    await fault({ match: { account: one.account }, do: { reply: { status: 503 } } });
    const faulty = faultyClient(world, 'sandbox');
    assert.equal((await faulty.call('GET', one.path)).status, 503);
    assert.equal((await faulty.call('GET', other.path)).status, 200);
  });

  test('is skipped, repeated and ended as it says', async () => {
    await fault({ skip: 1, every: 2, times: 2, do: { reply: { status: 503 } } });
    const statuses = [];
    for (let count = 0; count < 8; count++) statuses.push((await get()).status);
    assert.deepEqual(statuses, [200, 200, 503, 200, 503, 200, 200, 200]);
    assert.deepEqual((await rules())[0].left, 0);
  });

  test('that happens by chance happens again in the same way', async () => {
    const run = async (seed: number) => {
      await dev(world, 'PUT', '/_dev/faults', {
        body: [{ id: 'x', probability: 0.5, seed, do: { reply: { status: 500 } } }],
      });
      const statuses = [];
      for (let count = 0; count < 12; count++) statuses.push((await get()).status);
      return statuses.join();
    };
    const first = await run(7);
    assert.equal(await run(7), first);
    assert.notEqual(await run(8), first);
    assert.match(first, /200/);
    assert.match(first, /500/);
  });

  test('has the same id in the same list, and so the same chances, each time', async () => {
    const list = [{ do: { malformed: true } }, { id: '1', do: { reset: true } }, { do: { delay: 1 } }];
    await fault({ do: { malformed: true } });
    for (let count = 0; count < 2; count++) {
      const { status, body } = await dev(world, 'PUT', '/_dev/faults', { body: list });
      assert.equal(status, 200);
      assert.deepEqual(
        body.faults.map(({ id }: { id: string }) => id),
        ['2', '1', '3'],
      );
    }
    assert.equal(await fault({ do: { malformed: true } }), '4');
    const twice = await dev(world, 'PUT', '/_dev/faults', { body: [list[1], list[1]] });
    assert.deepEqual([twice.status, (await rules()).length], [409, 4]);
  });

  test('does not keep a wrong signature from being refused', async () => {
    await fault({ do: { reply: { status: 503 } } });
    const reply = await get({ authorization: 'OAuth oauth_consumer_key="x"' });
    assert.equal(reply.status, 401);
  });

  for (const [why, rule, field] of [
    ['without do', {}, 'do'],
    ['that does nothing', { do: {} }, 'do'],
    ['with an unknown member', { do: { explode: true } }, 'explode'],
    ['of an unknown operation', { match: { operation: 'accounts.explode' }, do: { reset: true } }, 'operation'],
    ['of an unknown application', { match: { application: 'nobody' }, do: { reset: true } }, 'application'],
    ['with a status that is none', { do: { reply: { status: 99 } } }, 'status'],
    ['without a status', { do: { reply: { code: 'X' } } }, 'status'],
    [
      'with a header that frames the body',
      { do: { reply: { status: 503, headers: { 'Content-Length': '1' } } } },
      'headers',
    ],
    ['with a delay that ends before it begins', { do: { delay: { uniform: [2, 1] } } }, 'uniform'],
    ['with a probability above 1', { probability: 2, do: { reset: true } }, 'probability'],
    ['of an unknown kind of jobs', { do: { job: { kind: 'nothing' } } }, 'kind'],
    ['of a webhook and a call', { do: { webhook: 'reset', malformed: true } }, 'malformed'],
  ] as const) {
    test(`${why} is refused`, async () => {
      const { status, body } = await dev(world, 'POST', '/_dev/faults', { body: rule });
      assert.deepEqual([status, body.error.field], [400, field]);
      assert.deepEqual(await rules(), []);
    });
  }

  test('of words finds the operations that have them, in any order', async () => {
    for (const operation of ['create campaign', 'campaign CREATE']) {
      const rule = { match: { operation }, do: { reset: true } };
      const { body } = await dev(world, 'POST', '/_dev/faults', { body: rule });
      const [, first] = /^there is no operation .*; did you mean ([\w.]+) or /.exec(body.error.message) ?? [];
      assert.equal(first, 'campaigns.create');
    }
    const { html } = await browserOf(world.service.url).get('/_dev/faults');
    assert.match(html, /list="operations"/);
    assert.match(html, /<option value="campaigns\.create">/);
  });

  test('is shown, replaced and removed by its id', async () => {
    const body = { do: { malformed: true } };
    assert.equal((await dev(world, 'PUT', '/_dev/faults/slow', { body })).body.id, 'slow');
    assert.equal((await dev(world, 'POST', '/_dev/faults', { body: { id: 'slow', ...body } })).status, 409);
    assert.deepEqual((await dev(world, 'GET', '/_dev/faults/slow')).body.do, { malformed: true });
    assert.equal((await dev(world, 'DELETE', '/_dev/faults/slow')).status, 204);
    assert.equal((await dev(world, 'DELETE', '/_dev/faults/slow')).status, 404);
  });
});

describe('what a fault does', () => {
  test('reply: an error in the form of the advertising API', async () => {
    await fault({
      do: { reply: { status: 503, code: 'OVER_CAPACITY', retry_after_s: 2, headers: { 'X-Why': 'test' } } },
    });
    const { status, headers, text } = await get();
    assert.deepEqual([status, headers['retry-after'], headers['x-why']], [503, '2', 'test']);
    assert.deepEqual(JSON.parse(text), {
      errors: [
        {
          code: 'OVER_CAPACITY',
          message: 'Service unavailable due to request timeout; please try the request again later',
        },
      ],
      request: { params: {} },
    });
  });

  test('reply: an error in the form of version 2, and with a number elsewhere', async () => {
    await fault({ do: { reply: { status: 503 } } });
    const faulty = faultyClient(world);
    const problem = await faulty.call('GET', '/2/users/me');
    assert.equal(problem.headers.get('content-type'), 'application/problem+json; charset=utf-8');
    assert.deepEqual([problem.body.status, problem.body.title], [503, 'Service Unavailable']);
    const numeric = await faulty.call('GET', '/1.1/account/verify_credentials.json');
    assert.equal(numeric.status, 503);
    assert.equal(typeof numeric.body.errors[0].code, 'number');
  });

  test('reply: an error in the form of media uploads', async () => {
    await fault({ do: { reply: { status: 400, message: 'broken' } } });
    const faulty = faultyClient(world);
    const flat = await faulty.call('GET', '/1.1/media/upload.json', { params: { command: 'STATUS', media_id: '1' } });
    assert.deepEqual([flat.status, flat.body], [400, { request: '/1.1/media/upload.json', error: 'broken' }]);
  });

  test('rate_limited: 429 with the time when the window ends', async () => {
    await fault({ do: { rate_limited: { retry_after_s: 30 } } });
    const before_s = Date.now() / 1000;
    const { status, headers, text } = await get();
    assert.deepEqual([status, headers['x-rate-limit-remaining'], headers['retry-after']], [429, '0', '30']);
    const reset_s = Number(headers['x-rate-limit-reset']);
    assert.ok(reset_s >= before_s + 30 && reset_s <= Date.now() / 1000 + 31, `${reset_s}`);
    assert.equal(JSON.parse(text).errors[0].code, 'TOO_MANY_REQUESTS');
  });

  test('reset: no reply, and nothing is done', async () => {
    const before = await accounts();
    await fault({ match: { method: 'POST' }, do: { reset: true } });
    const reply = await create();
    assert.deepEqual([reply.status, reply.error], [undefined, 'ECONNRESET']);
    assert.equal(await accounts(), before);
  });

  test('reset, after: no reply, but it is done', async () => {
    const before = await accounts();
    await fault({ match: { method: 'POST' }, when: 'after', times: 1, do: { reset: true } });
    const reply = await create();
    assert.deepEqual([reply.status, reply.error], [undefined, 'ECONNRESET']);
    assert.equal(await accounts(), before + 1);
    const [shown] = (await dev(world, 'GET', '/_dev/requests?operation=accounts.create')).body.requests;
    assert.equal(shown.status, null);
    assert.match(shown.failure, /closed/);
  });

  test('close: the body breaks off', async () => {
    await fault({ do: { close: { after_bytes: 10 } } });
    const reply = await get();
    assert.deepEqual([reply.status, reply.text.length, reply.error], [200, 10, 'ECONNRESET']);
    assert.ok(Number(reply.headers['content-length']) > 10);
  });

  test('truncate: a part of the body looks like all of it', async () => {
    const whole = await get();
    await fault({ do: { truncate: { fraction: 0.5 } } });
    const reply = await get();
    assert.equal(reply.error, undefined);
    assert.equal(reply.text, whole.text.slice(0, Math.floor(whole.text.length / 2)));
  });

  test('malformed: the body is not JSON', async () => {
    await fault({ do: { malformed: true } });
    const reply = await get();
    assert.deepEqual([reply.status, reply.error], [200, undefined]);
    assert.throws(() => JSON.parse(reply.text), SyntaxError);
  });

  test('dribble: the body comes in pieces', async () => {
    const whole = await get();
    await fault({ do: { dribble: { chunks: 4, over_ms: 200 } } });
    const reply = await get();
    assert.deepEqual([reply.text, reply.error], [whole.text, undefined]);
    assert.ok(reply.pieces > 1, `${reply.pieces} pieces`);
    assert.ok(reply.duration_ms > 140, `${reply.duration_ms} ms`);
  });

  test('partial_success: an upload of people reports that some were not accepted', async () => {
    const { path } = await openAccount(world.sandbox);
    const audience = await audienceOn(faultyClient(world, 'sandbox'), path);
    await fault({ do: { partial_success: { n: 2 } } });
    const { body } = await audience.upload([update(persons(0, 3)), update(persons(3, 4))]);
    assert.deepEqual(body.data, { success_count: 2, total_count: 4 });
    assert.equal((await get()).headers['x-barker-fault'], undefined);
  });

  test('of several faults the first ends the request, and all hold it up', async () => {
    await fault({ do: { delay: { ms: 20 } } });
    await fault({ do: { delay: { uniform: [20, 20] }, reply: { status: 500 } } });
    await fault({ do: { delay: { lognormal: { median: 20, sigma: 0 } }, reply: { status: 502 } } });
    const reply = await get();
    assert.deepEqual([reply.status, reply.headers['x-barker-fault']], [500, '1, 2, 3']);
    assert.ok(reply.duration_ms >= 59, `${reply.duration_ms}`);
  });
});

describe('the header of one request', () => {
  test('asks for a fault', async () => {
    const before = await accounts();
    const reply = await create({ 'x-barker-fault': 'status=503; code=LOST; delay=20ms; when=after' });
    assert.deepEqual([reply.status, reply.headers['x-barker-fault']], [503, 'header']);
    assert.equal(JSON.parse(reply.text).errors[0].code, 'LOST');
    assert.equal(await accounts(), before + 1);
    assert.equal((await get({ 'x-barker-fault': 'rate_limited=5' })).status, 429);
    assert.equal((await get({ 'x-barker-fault': 'reset' })).error, 'ECONNRESET');
    assert.equal((await get({ 'x-barker-fault': 'close=3' })).text.length, 3);
  });

  test('that cannot be read says what is wrong', async () => {
    const before = await accounts();
    const reply = await create({ 'x-barker-fault': 'explode' });
    assert.equal(reply.status, 400);
    assert.match(JSON.parse(reply.text).errors[0].message, /"explode" is none of when, status/);
    assert.equal(await accounts(), before);
  });
});
