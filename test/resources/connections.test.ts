// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callAs, endedOf, openStream, type ReadStream, type Subscriber, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const LIST = '/2/connections';

interface Shown {
  readonly id: string;
  readonly disconnect_reason?: string;
}

async function listed(who: Subscriber, query = ''): Promise<Shown[]> {
  const reply = await callAs(world, who, 'GET', LIST + query);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.meta.result_count, reply.body.data.length);
  return reply.body.data;
}

/** Opens streams one after the other, a second apart, on an application that may have so many. */
async function openSome(who: Subscriber, count: number): Promise<ReadStream[]> {
  await world.service.store.write((tx) => tx.applicationLimits.set(who.application, 'stream_connections', count));
  const streams = [];
  for (let done = 0; done < count; done++) {
    streams.push(await openStream(world, who.bearer));
    world.clock.advance(1);
  }
  return streams;
}

/** Closes streams and waits until that is stored. */
async function closeAll(who: Subscriber, streams: readonly ReadStream[]): Promise<void> {
  for (const stream of streams) stream.close();
  await endedOf(world, who, streams.length);
}

describe('the list of connections', () => {
  test('is empty at first', async () => {
    const reply = await callAs(world, await subscriber(world), 'GET', LIST);
    assert.equal(reply.text, '{"data":[],"meta":{"result_count":0}}');
  });

  test('has an open one, and another form once it has ended', async () => {
    const who = await subscriber(world);
    const connected_at = new Date(world.clock.now()).toISOString();
    const stream = await openStream(world, who.bearer);
    const [open] = await listed(who);
    const { id } = open!;
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const shown = { id, endpoint_name: 'activity_stream', client_ip: '127.0.0.1', connected_at };
    assert.equal(JSON.stringify(open), JSON.stringify(shown));
    world.clock.advance(5);
    const disconnected_at = new Date(world.clock.now()).toISOString();
    await closeAll(who, [stream]);
    assert.deepEqual(await listed(who), []);
    const ended = { ...shown, disconnected_at, disconnect_reason: 'ClientDisconnect' };
    assert.equal(JSON.stringify(await listed(who, '?status=inactive')), JSON.stringify([ended]));
  });

  test('has open ones, ended ones or both, newest first', async () => {
    const who = await subscriber(world);
    const streams = await openSome(who, 4);
    const [fourth, third, second, first] = (await listed(who)).map(({ id }) => id);
    await closeAll(who, [streams[0]!, streams[2]!]);
    const ids = async (status: string) => (await listed(who, `?status=${status}`)).map(({ id }) => id);
    assert.deepEqual(await ids('active'), [fourth, second]);
    assert.deepEqual(await ids('inactive'), [third, first]);
    assert.deepEqual(await ids('all'), [fourth, third, second, first]);
    assert.equal((await listed(who, '?status=all&endpoints=activity_stream')).length, 4);
    streams[1]!.close();
    streams[3]!.close();
  });

  test('is paged, each connection once', async () => {
    const who = await subscriber(world);
    const streams = await openSome(who, 11);
    const whole = (await listed(who, '?max_results=100')).map(({ id }) => id);
    assert.equal(whole.length, 11);
    const found: string[] = [];
    let next: string | undefined = '';
    let pages = 0;
    while (next !== undefined) {
      const target: string = `${LIST}?max_results=4${next && `&pagination_token=${next}`}`;
      const reply = await callAs(world, who, 'GET', target);
      found.push(...reply.body.data.map(({ id }: Shown) => id));
      next = reply.body.meta.next_token;
      pages += 1;
    }
    assert.deepEqual(found, whole);
    assert.equal(pages, 3);
    assert.equal((await listed(who)).length, 10);
    for (const stream of streams) stream.close();
  });

  test('drops ended ones after a week', async () => {
    const who = await subscriber(world);
    await closeAll(who, [await openStream(world, who.bearer)]);
    world.clock.advance(7 * 86_400 - 2);
    // What is due by now runs, and then not before ten minutes have passed.
    await world.service.jobs.runDue();
    assert.equal((await listed(who, '?status=all')).length, 1);
    const [{ id }] = (await listed(who, '?status=all')) as [Shown];
    world.clock.advance(4);
    assert.equal((await listed(who, '?status=all')).length, 0);
    const kept = () => world.service.store.read((tx) => tx.streamConnections.list([id]));
    assert.equal((await kept()).length, 1);
    // What is told of no more is removed while the service runs.
    world.clock.advance(600);
    await world.service.jobs.runDue();
    assert.deepEqual(await kept(), []);
  });

  const wrong: readonly (readonly [query: string, message: string])[] = [
    ['status=open', 'The `status` value [open] is not one of [active, all, inactive]'],
    ['endpoints=sample', 'The `endpoints` value [sample] is not one of [activity_stream]'],
    ['max_results=0', 'The `max_results` value [0] is not between 1 and 100'],
    ['max_results=101', 'The `max_results` value [101] is not between 1 and 100'],
    ['pagination_token=abc', 'The `pagination_token` value [abc] was not given by this list'],
  ];
  for (const [query, message] of wrong) {
    test(`is refused for ${query}`, async () => {
      const reply = await callAs(world, await subscriber(world), 'GET', `${LIST}?${query}`);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.errors[0].message, message);
    });
  }

  test('is refused with a page token of another list', async () => {
    const who = await subscriber(world);
    const streams = await openSome(who, 3);
    const { next_token } = (await callAs(world, who, 'GET', `${LIST}?max_results=1`)).body.meta;
    const reply = await callAs(world, who, 'GET', `${LIST}?max_results=1&status=all&pagination_token=${next_token}`);
    assert.equal(reply.status, 400);
    for (const stream of streams) stream.close();
  });
});

describe('connections are closed', () => {
  test('by their ids, with a result for each', async () => {
    const [who, other] = [await subscriber(world), await subscriber(world)];
    const [one] = [await openStream(world, who.bearer), await openStream(world, other.bearer)];
    const [own] = await listed(who);
    const [foreign] = await listed(other);
    const uuids = [own!.id, foreign!.id, 'nothing', own!.id];
    const reply = await callAs(world, who, 'DELETE', LIST, { uuids });
    const failed = (uuid: string) => ({
      uuid,
      success: false,
      error_message: `Could not find an open connection with uuid: [${uuid}].`,
    });
    assert.deepEqual(reply.body, {
      data: {
        successful_kills: 1,
        failed_kills: 2,
        results: [{ uuid: own!.id, success: true, error_message: null }, failed(foreign!.id), failed('nothing')],
      },
    });
    await one.ended;
    assert.equal((await listed(other)).length, 1);
    const again = await callAs(world, who, 'DELETE', LIST, { uuids: [own!.id] });
    assert.equal(again.body.data.failed_kills, 1);
  });

  for (const path of ['/2/connections/all', '/2/connections/activity_stream']) {
    test(`all together by ${path}`, async () => {
      const who = await subscriber(world);
      const streams = await openSome(who, 2);
      const reply = await callAs(world, who, 'DELETE', path);
      assert.equal(reply.body.data.successful_kills, 2, reply.text);
      for (const stream of streams) await stream.ended;
      assert.deepEqual(await endedOf(world, who, 2), ['ForceDisconnect', 'ForceDisconnect']);
      const again = await callAs(world, who, 'DELETE', path);
      assert.equal(again.text, '{"data":{"successful_kills":0,"failed_kills":0,"results":[]}}');
    });
  }

  const wrong: readonly (readonly [input: string, path: string, json: unknown, message: string])[] = [
    [
      'another endpoint',
      '/2/connections/sample',
      undefined,
      'The `endpoint_id` value [sample] is not one of [activity_stream]',
    ],
    ['no object', LIST, [], '$: is not an object'],
    ['no ids', LIST, {}, '$.uuids: is missing but it is required'],
    ['something else', LIST, { uuids: ['a'], all: true }, '$.all: is not one of [uuids]'],
    ['an empty list', LIST, { uuids: [] }, 'The `uuids` value has no items'],
    [
      'a hundred and one',
      LIST,
      { uuids: Array.from({ length: 101 }, (_, index) => `u${index}`) },
      'The `uuids` value has too many items; the most are 100',
    ],
    ['an id that is no text', LIST, { uuids: [{}] }, 'The `uuids` value is not a text'],
    [
      'an id that is far too long',
      LIST,
      { uuids: ['u'.repeat(101)] },
      'The `uuids` value has 101 characters; the most are 100',
    ],
    [
      'an id of illegal characters',
      LIST,
      { uuids: ['u\u0000'] },
      'The `uuids` value has characters that a text cannot have',
    ],
    ['an empty text', LIST, { uuids: '' }, 'The `uuids` value is empty'],
  ];
  for (const [input, path, json, message] of wrong) {
    test(`but not for ${input}`, async () => {
      const reply = await callAs(world, await subscriber(world), 'DELETE', path, json);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.errors[0].message, message);
    });
  }

  test('with a rate limit for each call', async () => {
    const who = await subscriber(world);
    const replies = [
      await callAs(world, who, 'GET', LIST),
      await callAs(world, who, 'DELETE', LIST, { uuids: ['nothing'] }),
      await callAs(world, who, 'DELETE', '/2/connections/all'),
      await callAs(world, who, 'DELETE', '/2/connections/activity_stream'),
    ];
    const windows = replies.map(({ headers }) => [
      headers.get('x-rate-limit-limit'),
      headers.get('x-rate-limit-remaining'),
    ]);
    assert.deepEqual(windows, [
      ['450', '449'],
      ['450', '449'],
      ['25', '24'],
      ['25', '24'],
    ]);
  });

  test('only by an application token', async () => {
    const [list, all] = [
      await world.production.call('GET', LIST),
      await world.production.call('DELETE', '/2/connections/all'),
    ];
    for (const reply of [list, all]) {
      assert.equal(reply.status, 403, reply.text);
      assert.equal(reply.body.title, 'Unsupported Authentication');
    }
  });
});
