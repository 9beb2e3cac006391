// On either database: none is asked.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { LiveEvents } from '../../src/contract/services/live-events.ts';
import type { LoggedEvent } from '../../src/contract/store/events.ts';
import { openLiveEvents } from '../../src/storage/redis/live-events.ts';
import { until } from '../rig/patience.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';

let redis: OwnRedis;
before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

const eventAt = (position: number, payload = '{}'): LoggedEvent => ({
  ...{ position, event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload },
  created_at: '2026-03-02T17:04:55Z',
});

/** A server, and what it is told. */
interface Server {
  readonly live: LiveEvents;
  readonly events: LoggedEvent[];
  appended: number;
  position: number;
}
let servers: Server[] = [];
let database = 0;
afterEach(async () => {
  for (const { live } of servers) await live.close();
  servers = [];
});

function open(of = `database ${database}`): Server {
  const state = { events: [] as LoggedEvent[], appended: 0, position: 0 };
  const live = openLiveEvents(redis.url, of, {
    position: () => state.position,
    onEvents: (events) => void state.events.push(...events),
    onAppended() {
      state.appended += 1;
    },
  });
  const server = Object.assign(state, { live });
  servers.push(server);
  return server;
}

let last = 0;
/** Publishes again and again until a server is told: until it follows, it is told of nothing. */
async function follows(from: Server, to: Server): Promise<void> {
  await until('it follows', () => {
    last += 1;
    from.live.publish([eventAt(last)]);
    from.live.noteAppended();
    return to.events.some(({ position }) => position === last) || (to.events.length > 0 && to.appended > 0);
  });
  await until('it has read everything', () => to.events.at(-1)?.position === last);
  to.events.splice(0);
}

/** Two servers of a database, the second of which follows the first. */
async function two(): Promise<[Server, Server]> {
  database += 1;
  const [one, other] = [open(), open()];
  await follows(one, other);
  return [one, other];
}
const positionsOf = ({ events }: Server): number[] => events.map(({ position }) => position);

describe('live events', () => {
  test('pass from one server of a database to the others, in order and unchanged', async () => {
    const [one, other] = await two();
    const stranger = open('another database');
    const batches = [
      [eventAt(1001, '{"after":"é \u{1f600}"}'), eventAt(1002)],
      [{ ...eventAt(1003), text: 'tea', direction: 'sent' as const }],
    ];
    for (const batch of batches) one.live.publish(batch);
    await until('both batches have come', () => other.events.length === 3);
    assert.deepEqual(other.events, batches.flat());
    assert.deepEqual(stranger.events, []);
  });

  test('that a server knows already are not passed on', async () => {
    const [one, other] = await two();
    other.position = 1002;
    for (const position of [1001, 1002, 1003]) one.live.publish([eventAt(position)]);
    await until('the third has come', () => other.events.length > 0);
    assert.deepEqual(positionsOf(other), [1003]);
  });

  test('of a large batch are announced by the last one', async () => {
    const [one, other] = await two();
    one.live.publish([eventAt(1001, 'x'.repeat(300_000)), eventAt(1002)]);
    one.live.publish([eventAt(1003, 'x'.repeat(300_000))]);
    one.live.publish([eventAt(1004)]);
    await until('the last has come', () => other.events.at(-1)?.position === 1004);
    assert.deepEqual(positionsOf(other), [1002, 1004]);
  });

  test('of earlier times are not passed on', async () => {
    const [one] = await two();
    one.live.publish([eventAt(1001)]);
    const late = open();
    await follows(one, late);
    assert.ok(!positionsOf(late).includes(1001));
  });

  test('pass again after Redis was flushed', async () => {
    const [one, other] = await two();
    await redis.command('flushall');
    await follows(one, other);
  });

  test('pass again after Redis was killed; meanwhile failures are counted', async () => {
    const [one, other] = await two();
    await redis.kill();
    one.live.publish([eventAt(1001)]);
    await until('the failure is counted', () => one.live.failures() > 0);
    await redis.start();
    await follows(one, other);
  });

  test('are not piled up while Redis stands still, and those that were sent arrive', async () => {
    const [one, other] = await two();
    // Those before the first connection.
    const failures = one.live.failures();
    const thaw = redis.freeze();
    try {
      for (let position = 2001; position <= 2100; position++) one.live.publish([eventAt(position)]);
    } finally {
      thaw();
    }
    // A notice from before may still have waited for its answer.
    const sent = 100 - (one.live.failures() - failures);
    assert.ok(sent > 10 && sent <= 20, `${sent}`);
    await until('the first ones arrive', () => other.events.length === sent);
    assert.deepEqual(
      positionsOf(other),
      Array.from({ length: sent }, (_, index) => 2001 + index),
    );
    await follows(one, other);
  });

  test('that were published while a connection was lost are read on the next one', async () => {
    const [one, other] = await two();
    await redis.command('client', 'kill', 'type', 'normal', 'skipme', 'yes');
    await until('they are published', () => {
      last += 1;
      one.live.publish([eventAt(last)]);
      return other.events.length > 0;
    });
    await follows(one, other);
  });

  test('do not keep a server from closing while Redis is away', async () => {
    const [one] = await two();
    await redis.kill();
    await one.live.close();
    await redis.start();
  });
});

describe('a notice of events without positions', () => {
  test('reaches the other servers', async () => {
    const [one, other] = await two();
    const { appended } = other;
    const failures = one.live.failures();
    one.live.noteAppended();
    await until('it has come', () => other.appended > appended);
    assert.equal(one.live.failures(), failures);
  });
});
