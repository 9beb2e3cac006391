import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import type { LoggedEvent, NewEvent } from '../../src/contract/store/events.ts';
import { openSequencer } from '../../src/features/activity/sequencer.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { storeWithoutPositions } from '../../src/storage/tables/event-outbox.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';
import { logAfter } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { rounds } from '../rig/sampling.ts';

const NOW = '2026-03-02T17:04:55Z';
/** The key of the advisory lock of the elected process. */
const ELECTED = 4_815_162_344;

let place: Place;
let administrator: pg.Client;
/** Two processes on one database. */
let drivers: Driver[];
let one: Store;
let other: Store;
before(async () => {
  place = await openPlace('postgres', { hasSchema: true });
  administrator = new pg.Client({ connectionString: place.databaseUrl });
  await administrator.connect();
});
beforeEach(async (t) => {
  drivers = [driverOn(place, { connectionsMax: 10 }), driverOn(place, { connectionsMax: 10 })];
  [one, other] = drivers.map((driver) => storeOn(driver)) as [Store, Store];
  (t as { after(work: () => Promise<void>): void }).after(async () => {
    for (const driver of drivers) await driver.close();
  });
});
after(async () => {
  await administrator.end();
  await place.remove();
});

const eventOf = (name: string): NewEvent => {
  return { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: name };
};
const append = (store: Store, ...names: string[]): Promise<void> =>
  store.write((tx) => tx.events.append(names.map(eventOf), NOW));
const namesOf = (events: readonly LoggedEvent[]): string[] => events.map(({ payload }) => payload);
const end = (store: Store = one): Promise<number> => store.write((tx) => tx.events.assignPositions());
const inLog = (after: number): Promise<LoggedEvent[]> => one.read((tx) => tx.events.list({ after, limit: 1_000_000 }));
const outboxSize = async (): Promise<number> =>
  (await administrator.query('select 1 from event_outbox')).rowCount ?? assert.fail();
/** The server processes of elected processes; at most one. */
const electedPids = async (): Promise<number[]> => {
  const { rows } = await administrator.query(
    `select pid from pg_locks where locktype = 'advisory' and granted
       and database = (select oid from pg_database where datname = current_database())
       and (classid::bigint << 32) + objid::bigint = $1`,
    [ELECTED],
  );
  return rows.map(({ pid }) => pid);
};

/** A unit of work that has stored its events and does not end; the function lets it commit. */
async function openUnit(driver: Driver, names: readonly string[]): Promise<() => Promise<void>> {
  const stored = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const unit = driver.write(async (session) => {
    await storeWithoutPositions(
      session,
      names.map((name) => ({ ...eventOf(name), created_at: NOW })),
    );
    stored.resolve();
    await gate.promise;
  });
  await Promise.race([stored.promise, unit]);
  return () => {
    gate.resolve();
    return unit;
  };
}

function assertNoGaps(events: readonly LoggedEvent[], after: number): void {
  assert.deepEqual(
    events.map(({ position }) => position),
    events.map((_, index) => after + 1 + index),
  );
}

describe('units of work that append', () => {
  test('wait neither for each other nor for their positions, and one that stays open holds up no event', async () => {
    const start = await end();
    const commitFirst = await openUnit(drivers[0]!, ['first a', 'first b']);
    const commitSecond = await openUnit(drivers[1]!, ['second']);
    await append(other, 'third');
    assert.deepEqual(namesOf(await logAfter({ store: one }, start)), ['third']);
    await commitSecond();
    assert.deepEqual(namesOf(await logAfter({ store: one }, start)), ['third', 'second']);
    await append(one, 'fourth');
    await commitFirst();
    // The first drew its id before the fourth; neither was acknowledged before the other began.
    const all = await logAfter({ store: one }, start);
    assert.deepEqual(namesOf(all), ['third', 'second', 'first a', 'first b', 'fourth']);
    assertNoGaps(all, start);
  });

  test('have their events in the log at once, however long others read or write, and with whatever ids', async () => {
    const start = await end();
    const others = ['select count(*) from events', 'lock table jobs in row exclusive mode'].map((statement) => ({
      client: new pg.Client({ connectionString: place.databaseUrl }),
      statement,
    }));
    const writing = new pg.Client({ connectionString: place.databaseUrl });
    try {
      for (const { client, statement } of others) {
        await client.connect();
        await client.query('begin isolation level repeatable read');
        await client.query(statement);
      }
      await writing.connect();
      await writing.query('begin isolation level repeatable read');
      const { rows } = await writing.query('select pg_current_xact_id()::text as xid');
      for (const store of [one, other, one]) await append(store, 'meanwhile');
      assert.deepEqual(namesOf(await logAfter({ store: one }, start)), ['meanwhile', 'meanwhile', 'meanwhile']);
      assert.equal(await outboxSize(), 0);
      const horizon = 'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin';
      const { xmin } = (await administrator.query(horizon)).rows[0];
      assert.ok(BigInt(xmin) <= BigInt(rows[0].xid), 'it was open all the time');
    } finally {
      // What stays open would be named as holding up the events of the next tests.
      for (const client of [writing, ...others.map(({ client }) => client)]) await client.end();
    }
  });

  test('leave nothing behind when they fail', async () => {
    const start = await end();
    const failing = one.write(async (tx) => {
      await tx.events.append([eventOf('never')], NOW);
      throw new Error('thought better of it');
    });
    await assert.rejects(failing, /thought better/);
    assert.equal(await outboxSize(), 0);
    assert.equal(await end(), start);
  });

  test('have their events in the order in which one waited for the row of another', async () => {
    const start = await end();
    await one.write((tx) => tx.takeNumbers('a row', 1, 1));
    const holds = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const change = (store: Store, name: string, then: () => Promise<void>) =>
      store.write(async (tx) => {
        await tx.takeNumbers('a row', 1, 1);
        await then();
        await tx.events.append([eventOf(name)], NOW);
      });
    const earlier = change(one, 'earlier', async () => {
      holds.resolve();
      await gate.promise;
    });
    await holds.promise;
    // It begins before the other has ended, and so may have the older transaction id.
    const later = change(other, 'later', async () => {});
    await until('the later one waits', async () => {
      const { rows } = await administrator.query(`select 1 from pg_locks where not granted`);
      return rows.length > 0;
    });
    gate.resolve();
    await Promise.all([earlier, later]);
    assert.deepEqual(namesOf(await logAfter({ store: one }, start)), ['earlier', 'later']);
  });

  test('have the times of the log never decrease', async () => {
    const start = await end();
    const at = (seconds: number) => `2026-03-02T18:00:${String(seconds).padStart(2, '0')}Z`;
    for (const seconds of [10, 7, 12, 11, 30, 0]) {
      await one.write((tx) => tx.events.append([eventOf(`${seconds}`)], at(seconds)));
    }
    const events = await logAfter({ store: one }, start);
    assert.deepEqual(
      events.map(({ payload, created_at }) => [payload, created_at]),
      [10, 10, 12, 12, 30, 30].map((seconds, index) => [`${[10, 7, 12, 11, 30, 0][index]}`, at(seconds)]),
    );
  });
});

describe('two sequencers', () => {
  test('are elected one after the other', async () => {
    const start = await end();
    const errors: string[] = [];
    await append(one, 'a');
    assert.deepEqual(namesOf((await one.sequencer!.sequence(500))!), ['a']);
    await append(other, 'b');
    assert.equal(await other.sequencer!.sequence(500), undefined);
    assert.deepEqual(namesOf(await inLog(start)), ['a']);
    // The connection of the elected one is lost.
    const [pid] = await electedPids();
    await administrator.query('select pg_terminate_backend($1)', [pid]);
    await until('the other one is elected', async () => (await other.sequencer!.sequence(500)) !== undefined);
    await append(one, 'c');
    await until('the first one has noticed', async () => {
      const moved = await one.sequencer!.sequence(500).catch((error) => void errors.push(String(error)));
      return moved === undefined && errors.length <= 1;
    });
    assert.equal((await electedPids()).length, 1);
    assert.deepEqual(namesOf((await other.sequencer!.sequence(500))!), ['c']);
    assert.deepEqual(namesOf(await inLog(start)), ['a', 'b', 'c']);
    // What it returns is what the log holds.
    await append(one, 'd');
    assert.deepEqual(await other.sequencer!.sequence(500), await inLog(start + 3));
  });

  test('and units that want positions at once put everything in order, whoever is first', async () => {
    const start = await end();
    const sequencers = [one, other].map((store) =>
      openSequencer({ store, onEvents() {}, onOthersTurn() {}, onError: (error) => assert.fail(`${error}`) }),
    );
    for (const each of sequencers) await each.start();
    const CHAINS = 12;
    const LENGTH = 40;
    const inPlace = new Map<string, number>();
    await Promise.all(
      Array.from({ length: CHAINS }, async (_, chain) => {
        for (let link = 0; link < LENGTH; link++) {
          const name = `${chain} ${link}`;
          const store = (chain + link) % 2 === 0 ? one : other;
          if (link % 10 !== 9) await append(store, name, `${name} too`);
          else {
            const events = [eventOf(name), eventOf(`${name} too`)];
            const positions = await store.write((tx) => tx.events.appendInPlace(events, NOW));
            inPlace.set(name, positions[0]!);
          }
        }
      }),
    );
    for (const each of sequencers) await each.stop();
    const all = await logAfter({ store: one }, start);
    assertNoGaps(all, start);
    for (let chain = 0; chain < CHAINS; chain++) {
      const expected = Array.from({ length: LENGTH }, (_, link) => [`${chain} ${link}`, `${chain} ${link} too`]).flat();
      assert.deepEqual(
        namesOf(all).filter((name) => name.startsWith(`${chain} `)),
        expected,
      );
    }
    assert.equal(all.length, CHAINS * LENGTH * 2);
    for (const [name, position] of inPlace) assert.equal(all[position - start - 1]?.payload, name);
  });
});

describe('a transaction that holds the positions', () => {
  test('holds up the sequencer, not units that append, and is named by its process and its age', async () => {
    const start = await end();
    const { rows } = await administrator.query('select pg_backend_pid() as pid');
    await administrator.query('begin');
    await administrator.query("update sequences set next = next where name = 'events'");
    await append(one, 'held up');
    const told = await one.sequencer!.sequence(500).catch((error: Error) => String((error.cause as Error).message));
    const named = new RegExp(`^canceling statement .*; process ${rows[0].pid} of PostgreSQL .* open for [5-9] s$`);
    assert.match(String(told), named);
    await append(other, 'held up too');
    await administrator.query('rollback');
    await one.sequencer!.sequence(500);
    assert.deepEqual(namesOf(await inLog(start)), ['held up', 'held up too']);
  });
});

describe('a sequencer that ends without a word', () => {
  let child: ChildProcess;
  const startChild = async (): Promise<void> => {
    child = fork(resolve('test/faults/sequencer-process.ts'), [place.databaseUrl]);
    assert.deepEqual((await once(child, 'message'))[0], 'started');
  };
  const killChild = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };

  test('by SIGKILL, at any moment, loses, repeats and reorders nothing', { timeout: 300_000 }, async () => {
    const start = await end();
    const KILLS = rounds(12);
    const CHAINS = 6;
    let isOver = false;
    const lengths = Array<number>(CHAINS).fill(0);
    const chains = lengths.map(async (_, chain) => {
      while (!isOver) {
        await append(chain % 2 === 0 ? one : other, `${chain} ${lengths[chain]}`);
        lengths[chain]! += 1;
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await startChild();
      const from = await one.read((tx) => tx.events.findLast());
      // It is in the middle of its work, at another moment each time.
      await until('it sequences', async () => (await one.read((tx) => tx.events.findLast())) > from + kill * 7);
      await killChild();
    }
    isOver = true;
    await Promise.all(chains);
    const last = openSequencer({
      store: one,
      onEvents() {},
      onOthersTurn() {},
      onError: (error) => assert.fail(`${error}`),
    });
    await last.start();
    await until('everything has its position', async () => (await outboxSize()) === 0);
    await last.stop();
    const all = await inLog(start);
    assertNoGaps(all, start);
    for (const [chain, length] of lengths.entries()) {
      const own = namesOf(all).filter((name) => name.startsWith(`${chain} `));
      assert.deepEqual(
        own,
        Array.from({ length }, (_, link) => `${chain} ${link}`),
      );
    }
  });

  test('by SIGSTOP is replaced, and nothing happens when it goes on', { timeout: 120_000 }, async () => {
    const start = await end();
    await startChild();
    await until('it is elected', async () => (await electedPids()).length === 1);
    child.kill('SIGSTOP');
    await append(one, 'while it stands still');
    const next = openSequencer({ store: other, onEvents() {}, onOthersTurn() {}, onError() {} });
    await next.start();
    await until('the next one is elected', async () => namesOf(await inLog(start)).length === 1);
    child.kill('SIGCONT');
    await append(one, 'when it goes on');
    await until('the next one goes on too', async () => namesOf(await inLog(start)).length === 2);
    assert.equal((await electedPids()).length, 1);
    await killChild();
    await next.stop();
  });
});
