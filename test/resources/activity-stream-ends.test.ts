import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EVERYTHING } from '../../src/contract/store/cache-changes.ts';
import { rawCall } from '../rig/raw.ts';
import {
  askStream,
  callAs,
  endedOf,
  type Line,
  openStream,
  type ReadStream,
  refused,
  type Subscriber,
  subscriber,
} from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_activity_streams_per_15min: 40 } });
});
after(() => world.close());

const STREAM = '/2/activity/stream';

/** What the last line of a stream says. */
function reasonOf(lines: readonly Line[]): string | undefined {
  return lines.at(-1)?.errors?.[0]?.disconnect_type;
}

describe('the limit of open streams', () => {
  test('is two: a third stream is refused until one closes', async () => {
    const who = await subscriber(world);
    const streams = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    const reply = await refused(world, who.bearer);
    assert.equal(reply.status, 429);
    assert.equal(reply.headers.get('retry-after'), '60');
    assert.match(reply.headers.get('x-hint')!, /^2 of 2 open: [0-9a-f-]{36} from 127\.0\.0\.1 since 2026-/);
    assert.deepEqual(reply.body, {
      title: 'ConnectionException',
      detail: 'This stream is currently at the maximum allowed connection limit.',
      connection_issue: 'TooManyConnections',
      type: `${world.service.url}/2/problems/streaming-connection`,
      status: 429,
    });
    streams[0]!.close();
    await endedOf(world, who, 1);
    const third = await openStream(world, who.bearer);
    streams[1]!.close();
    third.close();
  });

  test('holds for twenty concurrent requests', async () => {
    const who = await subscriber(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => askStream(world, who.bearer)));
    const open = answers.filter((answer) => !('status' in answer)) as ReadStream[];
    assert.equal(open.length, 2);
    for (const stream of open) stream.close();
  });

  test('can be set by the operator for an application', async () => {
    const who = await subscriber(world);
    await world.service.store.write((tx) => tx.applicationLimits.set(who.application, 'stream_connections', 3));
    const streams = [];
    for (let count = 0; count < 3; count++) streams.push(await openStream(world, who.bearer));
    assert.equal((await refused(world, who.bearer)).status, 429);
    for (const stream of streams) stream.close();
  });

  test('applies to bearer tokens only: user tokens are refused', async () => {
    const reply = await world.production.call('GET', STREAM);
    assert.equal(reply.status, 403, reply.text);
    assert.equal(reply.body.title, 'Unsupported Authentication');
  });

  test('is beside a rate limit of connection attempts', async () => {
    const who = await subscriber(world);
    for (let count = 1; count <= 40; count++) {
      await rawCall(world.service.url, world.clock, {
        method: 'HEAD',
        target: STREAM,
        headers: { authorization: `Bearer ${who.bearer}` },
      });
    }
    const reply = await refused(world, who.bearer);
    assert.equal(reply.status, 429);
    assert.equal(reply.body.title, 'Too Many Requests');
  });
});

describe('a stream ends', () => {
  const ends: readonly (readonly [how: string, reason: string, end: (who: Subscriber) => Promise<unknown>])[] = [
    [
      'by a call that names it',
      'ForceDisconnect',
      async (who) => {
        const { id } = (await callAs(world, who, 'GET', '/2/connections')).body.data[0];
        const reply = await callAs(world, who, 'DELETE', '/2/connections', { uuids: [id] });
        assert.deepEqual(reply.body.data.results, [{ uuid: id, success: true, error_message: null }], reply.text);
      },
    ],
    [
      'with its token',
      'ForceDisconnect',
      async (who) => {
        const row = await world.service.store.read((tx) => tx.bearerTokens.findOutstanding(who.application));
        await world.service.store.write(async (tx) => {
          await tx.bearerTokens.revoke(row!.id, '2026-03-02T17:04:55Z');
          tx.invalidate(`bearer:${row!.id}`);
        });
      },
    ],
    [
      'when the application is suspended',
      'ClientApplicationStateDegraded',
      (who) =>
        world.service.store.write(async (tx) => {
          await tx.credentials.changeApplication(who.application, { suspended: 1 });
          tx.invalidate(`application:${who.application}`);
        }),
    ],
    [
      'when a command suspended the application',
      'ClientApplicationStateDegraded',
      (who) =>
        world.service.store.write(async (tx) => {
          await tx.credentials.changeApplication(who.application, { suspended: 1 });
          tx.invalidate(EVERYTHING);
        }),
    ],
  ];
  for (const [how, reason, end] of ends) {
    test(`${how}, with the reason ${reason}`, async () => {
      const who = await subscriber(world);
      const stream = await openStream(world, who.bearer);
      await end(who);
      const lines = await stream.ended;
      assert.equal(reasonOf(lines), reason);
      assert.equal(lines.at(-1)!.errors![0]!.title, 'operational-disconnect');
      assert.equal(lines.at(-1)!.errors![0]!.type, `${world.service.url}/2/problems/operational-disconnect`);
      assert.deepEqual(await endedOf(world, who, 1), [reason]);
    });
  }

  test('together with all streams of the same token, and no others', async () => {
    const [who, other] = [await subscriber(world), await subscriber(world)];
    const streams = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    const stays = await openStream(world, other.bearer);
    await callAs(world, who, 'DELETE', '/2/connections/all');
    for (const stream of streams) assert.equal(reasonOf(await stream.ended), 'ForceDisconnect');
    assert.equal((await callAs(world, other, 'GET', '/2/connections')).body.meta.result_count, 1);
    stays.close();
  });

  test('with InternalError when reading the log fails unexpectedly', async () => {
    const who = await subscriber(world);
    const feeds = world.nodes.map(({ services }) => services.activity.feed);
    const whole = feeds.map(({ deliveriesOf }) => deliveriesOf);
    for (const feed of feeds) {
      Object.assign(feed, { deliveriesOf: () => Promise.reject(new Error('broken on purpose')) });
    }
    const stream = await openStream(world, who.bearer, '?backfill_minutes=1');
    const lines = await stream.ended.finally(() => {
      for (const [at, feed] of feeds.entries()) Object.assign(feed, { deliveriesOf: whole[at] });
    });
    assert.equal(reasonOf(lines), 'InternalError');
  });
});
