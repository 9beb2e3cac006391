import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawCall } from '../rig/raw.ts';
import {
  bio,
  callAs,
  endedOf,
  endedSoFar,
  happen,
  numbersOf,
  openStream,
  type ReadStream,
  refused,
  row,
  subscribe,
  subscriber,
} from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { stream_keep_alive_s: 1 } });
});
after(() => world.close());

const STREAM = '/2/activity/stream';

/** UTC text of so many seconds from now. */
function at(seconds: number): string {
  return new Date(world.clock.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}

describe('a stream', () => {
  test('sends its response head at once', async () => {
    const stream = await openStream(world, (await subscriber(world)).bearer);
    await stream.when((text) => text.length >= 2);
    assert.equal(stream.text().slice(0, 2), '\r\n');
    assert.equal(stream.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(stream.headers.get('transfer-encoding'), 'chunked');
    assert.equal(stream.headers.get('content-length'), null);
    assert.equal(stream.headers.get('content-encoding'), null);
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    assert.equal(stream.headers.get('x-rate-limit-limit'), '450');
    stream.close();
  });

  test('sends each event as a line, in log order, to every stream of the application', async () => {
    const who = await subscriber(world);
    await subscribe(world, who, { tag: 'watch' });
    const streams = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    await happen(world, who.user, row(1, 3));
    await happen(world, who.user, row(4, 6));
    for (const stream of streams) {
      const lines = await stream.until(6);
      assert.deepEqual(numbersOf(lines), row(1, 6));
      const uuids = lines.map(({ data }) => data.event_uuid);
      assert.deepEqual(uuids, [...uuids].sort());
      assert.deepEqual(Object.keys(lines[0]!.data), ['event_uuid', 'event_type', 'filter', 'tag', 'payload']);
    }
    const [one, other] = streams as [ReadStream, ReadStream];
    assert.equal(one.text().trim(), other.text().trim());
    one.close();
    other.close();
  });

  test('sends an event once for each matching subscription', async () => {
    const who = await subscriber(world);
    const friend = await subscriber(world);
    await subscribe(world, who, { tag: 'a' });
    await subscribe(world, friend, { user: who.user, tag: 'b' });
    const [own, other] = [await openStream(world, who.bearer), await openStream(world, friend.bearer)];
    await happen(world, who.user, [1]);
    const [mine] = await own.until(1);
    const [theirs] = await other.until(1);
    assert.equal(mine!.data.event_uuid, theirs!.data.event_uuid);
    assert.deepEqual([mine!.data.tag, theirs!.data.tag], ['a', 'b']);
    own.close();
    other.close();
  });

  test('sends no events of other applications', async () => {
    const [who, other] = [await subscriber(world), await subscriber(world)];
    await subscribe(world, who);
    const stream = await openStream(world, who.bearer);
    await happen(world, other.user, [1]);
    await happen(world, who.user, [2]);
    assert.deepEqual(numbersOf(await stream.until(1)), [2]);
    stream.close();
  });

  test('sends keep-alive lines, even without subscriptions', async () => {
    const stream = await openStream(world, (await subscriber(world)).bearer);
    await stream.when((text) => text === '\r\n\r\n\r\n');
    stream.close();
  });

  test('follows subscriptions that are created or deleted while it is open', async () => {
    const who = await subscriber(world);
    const stream = await openStream(world, who.bearer);
    await happen(world, who.user, [1]);
    const id = await subscribe(world, who);
    await happen(world, who.user, [2]);
    await stream.until(1);
    const removed = await callAs(world, who, 'DELETE', `/2/activity/subscriptions/${id}`);
    assert.equal(removed.status, 200, removed.text);
    await happen(world, who.user, [3]);
    await subscribe(world, who);
    await happen(world, who.user, [4]);
    assert.deepEqual(numbersOf(await stream.until(2)), [2, 4]);
    stream.close();
  });

  test('answers HEAD without opening a stream', async () => {
    const who = await subscriber(world);
    const authorization = `Bearer ${who.bearer}`;
    const sent = { method: 'HEAD', target: STREAM, headers: { authorization } };
    for (let count = 0; count < 3; count++) {
      const reply = await rawCall(world.service.url, world.clock, sent);
      assert.equal(reply.status, 200);
      assert.equal(reply.text, '');
    }
    const listed = await callAs(world, who, 'GET', '/2/connections?status=all');
    assert.equal(listed.body.meta.result_count, 0);
  });
});

describe('a stream of past events', () => {
  test('continues with live events, without gaps and in order', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    await happen(world, who.user, [0]);
    world.clock.advance(241);
    await happen(world, who.user, row(1, 1200));
    world.clock.advance(30);
    // Events go on while the stream reads what was before.
    let isOver = false;
    let last = 1200;
    const goesOn = (async () => {
      while (!isOver) await happen(world, who.user, [++last]);
    })();
    await world.service.store.write((tx) => tx.applicationLimits.set(who.application, 'stream_events_per_s', 100_000));
    const stream = await openStream(world, who.bearer, '?backfill_minutes=2');
    await stream.until(1250);
    isOver = true;
    await goesOn;
    assert.deepEqual(numbersOf(await stream.until(last)), row(1, last));
    stream.close();
  });

  test('matches current subscriptions', async () => {
    const who = await subscriber(world);
    await happen(world, who.user, [1]);
    await subscribe(world, who);
    const stream = await openStream(world, who.bearer, '?backfill_minutes=1');
    assert.deepEqual(numbersOf(await stream.until(1)), [1]);
    stream.close();
  });

  test('with an end closes after it', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    const from = at(1);
    for (const number of row(0, 4)) {
      await happen(world, who.user, [number]);
      world.clock.advance(1);
    }
    const until = new Date(Date.parse(from) + 3000).toISOString().replace(/\.\d+Z$/, 'Z');
    const stream = await openStream(world, who.bearer, `?start_time=${from}&end_time=${until}`);
    assert.deepEqual(numbersOf(await stream.ended), [1, 2, 3]);
    assert.deepEqual(await endedOf(world, who, 1), ['Completed']);
  });

  test('without an end continues with live events', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    await happen(world, who.user, [1]);
    const from = at(0);
    world.clock.advance(3600);
    await happen(world, who.user, [2]);
    const stream = await openStream(world, who.bearer, `?start_time=${from}`);
    await stream.until(2);
    await happen(world, who.user, [3]);
    assert.deepEqual(numbersOf(await stream.until(3)), [1, 2, 3]);
    stream.close();
  });

  const wrong: readonly (readonly [input: string, query: () => string, message: () => string])[] = [
    ['six minutes', () => 'backfill_minutes=6', () => 'The `backfill_minutes` value [6] is not between 0 and 5'],
    ['no number', () => 'backfill_minutes=a', () => 'The `backfill_minutes` value [a] is not a whole number'],
    ['no time', () => 'start_time=a', () => 'The `start_time` value [a] is not a time'],
    [
      'minutes and a start',
      () => `backfill_minutes=1&start_time=${at(-60)}`,
      () => 'The `backfill_minutes` and `start_time` parameters exclude each other',
    ],
    ['an end without a start', () => `end_time=${at(-60)}`, () => 'The `start_time` parameter is missing'],
    [
      'an end at its start',
      () => `start_time=${at(-60)}&end_time=${at(-60)}`,
      () => `The \`end_time\` value [${at(-60)}] is not after \`start_time\``,
    ],
    [
      'an end to come',
      () => `start_time=${at(-60)}&end_time=${at(1)}`,
      () => `The \`end_time\` value [${at(1)}] is not between ${at(-86_400)} and ${at(0)}`,
    ],
    [
      'a start more than a day ago',
      () => `start_time=${at(-86_401)}`,
      () => `The \`start_time\` value [${at(-86_401)}] is not between ${at(-86_400)} and ${at(0)}`,
    ],
    [
      'a start that is given twice',
      () => `start_time=${at(-9)}&start_time=${at(-9)}`,
      () => 'The `start_time` parameter has 2 values instead of one',
    ],
    ['an empty start', () => 'start_time=', () => 'The `start_time` value [] is not a time'],
  ];
  for (const [input, query, message] of wrong) {
    test(`is refused for ${input}`, async () => {
      const reply = await refused(world, (await subscriber(world)).bearer, `?${query()}`);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8');
      assert.equal(reply.body.errors[0].message, message());
    });
  }
});

describe('a client', () => {
  const large = (user: string, number: number) => ({
    ...bio(user, number),
    payload: JSON.stringify({ before: 'x'.repeat(100_000), after: String(number) }),
  });

  test('that reads nothing is disconnected at a limit, while others receive everything', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    const [slow, good] = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    slow.pause();
    let from = 0;
    // Whatever lies between takes something too.
    for (; from < 2000 && (await endedSoFar(world, who, 1)).length === 0; from += 20) {
      const events = row(from, from + 19).map((number) => large(who.user, number));
      await world.service.store.write((tx) => tx.events.append(events, at(0)));
      await good.until(from + 20);
    }
    assert.deepEqual(numbersOf(good.lines()), row(0, from - 1));
    assert.deepEqual(await endedOf(world, who, 1), ['SlowReader']);
    slow.close();
    good.close();
  });
});
