// On either database: requests are kept in memory.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { dev, faultyClient } from '../rig/developer-surface.ts';
import { until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());
beforeEach(() => dev(world, 'DELETE', '/_dev/requests'));

const PATH = '/12/accounts';

/** A feed that is being read. */
interface Feed {
  /** What came of requests, with the id of the event of each. */
  events(): { readonly id: string; readonly target: string }[];
  readonly ended: Promise<void>;
  close(): void;
}

function openFeed(query = '', headers: Record<string, string> = {}): Promise<Feed> {
  return new Promise((resolve, reject) => {
    const asked = get(`${world.service.url}/_dev/requests/stream${query}`, { headers, agent: false }, (reply) => {
      let text = '';
      assert.equal(reply.headers['content-type'], 'text/event-stream');
      const ended = new Promise<void>((done) => reply.once('close', done));
      reply.on('error', () => {});
      // The first comment says that the feed follows.
      reply.once('data', () =>
        resolve({
          events: () =>
            [...text.matchAll(/^id: (\d+)\nevent: request\ndata: (.*)$/gm)].map(([, id, data]) => ({
              id: id!,
              target: JSON.parse(data!).target,
            })),
          ended,
          close: () => void asked.destroy(),
        }),
      );
      reply.on('data', (chunk) => {
        text += chunk;
      });
    });
    asked.on('error', reject);
  });
}

describe('the feed of requests', () => {
  test('has each when it has ended, and continues after the last one that was seen', async () => {
    const feed = await openFeed('?path=/12/accounts/**');
    for (const id of ['abc', 'abd']) await world.production.call('GET', `${PATH}/${id}`);
    await world.production.call('GET', PATH);
    await world.production.call('GET', `${PATH}/abe`);
    await until('three have come', () => feed.events().length === 3);
    const [first, ...others] = feed.events();
    const targets = ['abd', 'abe'].map((id) => `${PATH}/${id}`);
    assert.deepEqual(
      others.map(({ target }) => target),
      targets,
    );
    feed.close();
    const again = await openFeed('?path=/12/accounts/**', { 'last-event-id': first!.id });
    await until('what was missed has come', () => again.events().length === 2);
    assert.deepEqual(again.events(), others);
    again.close();
  });

  test('ends when the service stops', async () => {
    const short = await openWorld();
    const feed = await new Promise<{ readonly ended: Promise<void> }>((resolve, reject) => {
      get(`${short.service.url}/_dev/requests/stream`, { agent: false }, (reply) => {
        const ended = new Promise<void>((done) => reply.once('end', done));
        reply.once('data', () => resolve({ ended }));
        reply.resume();
      }).on('error', reject);
    });
    await Promise.all([feed.ended, short.close()]);
  });
});

describe('waiting for requests', () => {
  const wait = (body: unknown) => dev(world, 'POST', '/_dev/requests/wait', { body });

  test('is over at once for those that have ended', async () => {
    await world.production.call('GET', PATH);
    const { status, body } = await wait({ match: { operation: 'accounts.list', status: 200 } });
    assert.deepEqual([status, body.requests.length], [200, 1]);
    assert.equal(body.requests[0].reply.status, 200);
  });

  test('ends when the last one comes', async () => {
    const waiting = wait({ match: { path: `${PATH}/*` }, count: 2 });
    for (const id of ['abc', 'abd']) await world.production.call('GET', `${PATH}/${id}`);
    const { body } = await waiting;
    assert.deepEqual(
      body.requests.map(({ account }: { account: string }) => account),
      ['abc', 'abd'],
    );
  });

  test('can leave out what came before', async () => {
    await world.production.call('GET', PATH);
    const [{ id }] = (await dev(world, 'GET', '/_dev/requests')).body.requests;
    const { status } = await wait({ match: { path: PATH }, since: id, timeout_ms: 1 });
    assert.equal(status, 408);
  });

  test('ends without them, and tells what came nearest', async () => {
    await world.production.call('GET', `${PATH}/abc`);
    await world.production.call('GET', PATH);
    const { status, body } = await wait({ match: { path: PATH, method: 'POST', account: 'abc' }, timeout_ms: 1 });
    const { code, message } = body.error;
    assert.deepEqual([status, code, message], [408, 'TIMED_OUT', 'there were 0 of 1 such requests within 1 ms']);
    assert.deepEqual(
      body.near_misses.map(({ target, differs }: { target: string; differs: string[] }) => [target, differs]),
      [
        [PATH, ['method', 'account']],
        [`${PATH}/abc`, ['method', 'path']],
      ],
    );
  });

  for (const [body, field] of [
    [{ match: { colour: 'red' } }, 'colour'],
    [{ count: 0 }, 'count'],
    [{ timeout_ms: 60_001 }, 'timeout_ms'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: 1 }, 'until'],
  ] as const) {
    test(`refuses ${JSON.stringify(body)}`, async () => {
      const refused = await wait(body);
      assert.deepEqual([refused.status, refused.body.error.field], [400, field]);
    });
  }
});

test('the ring keeps the last thousand', async () => {
  const paths = Array.from({ length: 1010 }, (_, at) => `/nothing/${at}`);
  for (let at = 0; at < paths.length; at += 50) {
    await Promise.all(
      paths.slice(at, at + 50).map(async (path) => (await fetch(world.service.url + path)).arrayBuffer()),
    );
  }
  const { body } = await dev(world, 'GET', '/_dev/requests?limit=1');
  assert.equal(body.count, 1000);
});

test('rate windows open anew', async () => {
  const remaining = async () =>
    Number((await world.production.call('GET', PATH)).headers.get('x-rate-limit-remaining'));
  const reset = () => dev(world, 'POST', '/_dev/rates/reset', { body: {} });
  await reset();
  const first = await remaining();
  assert.equal(await remaining(), first - 1);
  assert.equal((await reset()).status, 204);
  assert.equal(await remaining(), first);
});

test('a server that keeps no requests has faults and traces all the same', async () => {
  const bare = await openWorld({ recordsRequests: false });
  try {
    assert.equal((await dev(bare, 'GET', '/_dev/requests')).status, 404);
    const headers = { authorization: 'OAuth oauth_consumer_key="x"' };
    const refused = await fetch(bare.service.url + PATH, { headers });
    await refused.arrayBuffer();
    assert.ok(refused.headers.get('x-barker-trace'));
    await dev(bare, 'POST', '/_dev/faults', { body: { do: { reply: { status: 503 } } } });
    assert.equal((await faultyClient(bare).call('GET', PATH)).status, 503);
  } finally {
    await bare.close();
  }
});
