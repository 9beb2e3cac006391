import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { formatInstant } from '../../src/base/instants.ts';
import { minuteText } from '../../src/features/activity/webhooks/minute-field.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn } from '../rig/databases.ts';
import { logAfter } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { openReceiver } from '../rig/receiver.ts';
import { callAs, happen, numbersOf, openStream, type Subscriber, subscribe, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

/** The key of the advisory lock of the elected process. */
const ELECTED = 4_815_162_344;

/** A service that is not elected, and another process that gives positions to events only when it is told to. */
let world: World;
let elsewhere: Store;
let administrator: pg.Client;
let who: Subscriber;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', access_log: 'failures', webhook_allow_private: true } });
  elsewhere = storeOn(driverOn(world.place));
  administrator = new pg.Client({ connectionString: world.place.databaseUrl });
  await administrator.connect();
  await until('the service is not elected any more', async () => {
    await administrator.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
         and database = (select oid from pg_database where datname = current_database())
         and (classid::bigint << 32) + objid::bigint = $1`,
      [ELECTED],
    );
    return (await administrator.query('select pg_try_advisory_lock($1) as got', [ELECTED])).rows[0].got;
  });
});
after(async () => {
  await administrator.end();
  await elsewhere.close();
  await world.close();
});
beforeEach(async () => {
  who = await subscriber(world);
});

const waiting = async (): Promise<number> => (await administrator.query('select 1 from event_outbox')).rowCount ?? 0;
const sequence = (): Promise<number> => elsewhere.write((tx) => tx.events.assignPositions());

describe('an event that waits for its position', () => {
  test('is older than a subscription that is created after it was acknowledged', async () => {
    await happen(world, who.user, [1]);
    assert.equal(await waiting(), 1);
    await subscribe(world, who);
    const stream = await openStream(world, who.bearer);
    await happen(world, who.user, [2]);
    assert.equal(await waiting(), 1);
    await sequence();
    await stream.until(1);
    await happen(world, who.user, [3]);
    await sequence();
    await stream.until(2);
    assert.deepEqual(numbersOf(stream.lines()), [2, 3]);
    stream.close();
  });

  test('matches a subscription that another process has made before', async () => {
    await subscribe(world, who);
    const stream = await openStream(world, who.bearer);
    const [made] = await elsewhere.read((tx) =>
      tx.subscriptions.page({ application: who.application, user: undefined, after: '', limit: 1 }),
    );
    // The service looks for changes of other processes twice a second, and for events four times.
    for (let number = 1; number <= 20; number++) {
      const other = await subscriber(world);
      const id = String(BigInt(made!.id) + BigInt(number));
      const filter = { filter_user_id: other.user, filter: JSON.stringify({ user_id: other.user }) };
      await elsewhere.write(async (tx) => {
        const since_position = await tx.events.assignPositions();
        await tx.subscriptions.add({ ...made!, ...filter, id, since_position, sense: `of ${other.user}` });
      });
      await happen(world, other.user, [number]);
      await sequence();
      await stream.until(number);
    }
    assert.deepEqual(
      numbersOf(stream.lines()),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    stream.close();
  });

  test('is part of a range of the past that includes it', async () => {
    await subscribe(world, who);
    const start_time = formatInstant(world.clock.now());
    await happen(world, who.user, [1, 2]);
    world.clock.advance(1);
    assert.equal(await waiting(), 2);
    const query = new URLSearchParams({ start_time, end_time: formatInstant(world.clock.now()) });
    const stream = await openStream(world, who.bearer, `?${query}`);
    assert.deepEqual(numbersOf(await stream.ended), [1, 2]);
  });

  test('is not part of a range of the past that begins after it', async () => {
    await subscribe(world, who);
    await happen(world, who.user, [1]);
    world.clock.advance(61);
    await happen(world, who.user, [2]);
    assert.equal(await waiting(), 2);
    const stream = await openStream(world, who.bearer, '?backfill_minutes=1');
    assert.deepEqual(numbersOf(await stream.until(1)), [2]);
    await happen(world, who.user, [3]);
    await sequence();
    assert.deepEqual(numbersOf(await stream.until(2)), [2, 3]);
    stream.close();
  });

  test('is part of a replay that includes it', async () => {
    const receiver = await openReceiver(who.consumer_secret);
    try {
      const webhook = (await callAs(world, who, 'POST', '/2/webhooks', { url: receiver.url })).body.data.id;
      const body = { event_type: 'profile.update.bio', filter: { user_id: who.user }, webhook_id: webhook };
      assert.equal((await callAs(world, who, 'POST', '/2/activity/subscriptions', body)).status, 200);
      const from_date = minuteText(formatInstant(world.clock.now()));
      await happen(world, who.user, [1]);
      world.clock.advance(60);
      const to_date = minuteText(formatInstant(world.clock.now()));
      assert.equal(await waiting(), 1);
      const reply = await callAs(world, who, 'POST', '/2/webhooks/replay', { webhook_id: webhook, from_date, to_date });
      assert.equal(reply.status, 200, reply.text);
      await until('the event is replayed', () =>
        receiver.messages.some(({ body: text }) => JSON.parse(text).meta?.replay === true),
      );
    } finally {
      await receiver.close();
    }
  });

  test('is reported by its age', async () => {
    await sequence();
    const age_s = async (): Promise<number> => {
      const text = await (await fetch(`${world.service.url}/metrics`)).text();
      return Number(text.match(/^barker_events_waiting_seconds (\S+)$/m)![1]);
    };
    assert.equal(await age_s(), 0);
    await happen(world, who.user, [1]);
    world.clock.advance(12);
    assert.equal(await age_s(), 12);
    await sequence();
    assert.equal(await age_s(), 0);
  });

  test('gets it from the service when nobody else is elected', async () => {
    const start = await sequence();
    await happen(world, who.user, [1]);
    await administrator.query('select pg_advisory_unlock($1)', [ELECTED]);
    await until('the service is elected', async () => (await waiting()) === 0);
    assert.equal((await logAfter({ store: elsewhere }, start)).length, 1);
  });
});

test('the age of the oldest open transaction of the database is a metric', async () => {
  const age_s = async (): Promise<number> => {
    const text = await (await fetch(`${world.service.url}/metrics`)).text();
    return Number(text.match(/^barker_database_oldest_transaction_seconds (\S+)$/m)![1]);
  };
  const { rows } = await administrator.query('select extract(epoch from clock_timestamp())::float8 as now_s');
  await administrator.query('begin');
  try {
    await administrator.query('select txid_current()');
    await wait(300);
    const [first, at] = [await age_s(), Number(rows[0].now_s)];
    const after = await administrator.query('select extract(epoch from clock_timestamp())::float8 as now_s');
    assert.ok(first >= 0.3 && first <= after.rows[0].now_s - at, `${first}`);
  } finally {
    await administrator.query('rollback');
  }
});
