import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { formatInstant } from '../../src/base/instants.ts';
import { revokeAccess } from '../../src/features/auth/applications/administration.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store, WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { clientOf } from '../rig/client.ts';
import { driverOn } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { type Pair, pairKinds } from '../rig/revocations.ts';
import { isFull } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';

/** How often each thing is changed elsewhere and then used. */
const PAIRS = Number(process.env.TEST_PAIRS ?? (isFull ? 60 : 8));

let world: World;
/** Another process on the same database: what it changes, the service must learn from the database. */
let elsewhere: Store;
let administrator: pg.Client;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', access_log: 'failures' } });
  elsewhere = storeOn(driverOn(world.place));
  administrator = new pg.Client({ connectionString: world.place.databaseUrl });
  await administrator.connect();
});
after(async () => {
  await administrator.end();
  await elsewhere.close();
  await world.close();
});

const now = () => formatInstant(world.clock.now());
const change = <T>(work: (tx: WriteTransaction) => Promise<T>): Promise<T> => elsewhere.write(work);

/** How many requests were answered by 503. */
let unavailable = 0;

/** Runs pairs, one after the other, whose outcome must be exactly this. What is answered by 503 is asked again. */
async function run(makePair: (world: World) => Promise<Pair>, times: number, first?: Pair): Promise<void> {
  const outcomes = new Map<number, number>();
  const statusOf = async ({ use }: Pair, node: number): Promise<number> => {
    for (;;) {
      const status = await use(node);
      if (status !== 503) return status;
      unavailable += 1;
    }
  };
  let pair = first;
  let refused = 0;
  for (let time = 0; time < times; time++) {
    pair ??= await makePair(world);
    // Each node remembers it.
    for (const node of world.nodes.keys()) assert.equal(await statusOf(pair, node), 200, 'it is good before');
    await pair.end(elsewhere);
    const status = await statusOf(pair, time % world.nodes.length);
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    refused = pair.refused;
    if (pair.restore) await pair.restore(elsewhere);
    else pair = undefined;
  }
  assert.deepEqual([...outcomes], [[refused, times]]);
}

const somebody = async (roles = {}) => {
  const keys = await register(world, { roles });
  const application = await elsewhere.read(async (tx) => tx.credentials.findApplicationByKey(keys.consumer_key));
  return { keys, application: application!.id, client: clientOf(world.service.sandboxUrl, keys, world.clock) };
};

/** Every kind of pair, all at once. */
async function runAll(beside?: (isOver: () => boolean) => Promise<void>): Promise<void> {
  const kinds = Object.values(pairKinds);
  const first = await Promise.all(kinds.map((makePair) => makePair(world)));
  let isOver = false;
  const other = beside?.(() => isOver);
  try {
    await Promise.all(kinds.map((makePair, index) => run(makePair, Math.ceil(PAIRS / 4), first[index])));
  } finally {
    isOver = true;
    await other;
  }
}

/** Ends the connections that look for changes; returns how many there were. */
async function endFence(): Promise<number> {
  const { rowCount } = await administrator.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and query like '%pg_visible_in_snapshot%' and pid <> pg_backend_pid()`,
  );
  return rowCount ?? 0;
}

describe('what another process has ended is refused by the next request', () => {
  beforeEach(() => {
    unavailable = 0;
  });

  for (const [what, makePair] of Object.entries(pairKinds)) {
    test(what, async () => {
      await run(makePair, PAIRS);
      assert.equal(unavailable, 0);
    });
  }

  test('all of it at once, while a transaction stays open', async () => {
    await administrator.query('begin isolation level repeatable read');
    await administrator.query('select pg_current_xact_id()');
    await runAll().finally(() => administrator.query('rollback'));
    assert.equal(unavailable, 0);
  });

  test('while the connection of the fence is ended again and again', async () => {
    let ended = 0;
    await runAll(async (isOver) => {
      while (!isOver()) {
        ended += await endFence();
        await wait(10);
      }
    });
    assert.ok(ended > 1);
  });

  test('when its unit has been open for many looks', async () => {
    const { keys, application, client } = await somebody();
    const use = async () => (await client.call('GET', '/12/accounts')).status;
    assert.equal(await use(), 200);
    let commit = (): void => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const unit = change(async (tx) => {
      await revokeAccess(tx, { user: keys.user, application }, now());
      await mayCommit;
    });
    // Another change commits meanwhile: later transactions end before earlier ones.
    for (let count = 0; count < 20; count++) {
      await change(async (tx) => tx.invalidate('token:0'));
      assert.equal(await use(), 200);
    }
    commit();
    await unit;
    assert.equal(await use(), 401);
  });
});

describe('a look that fails', () => {
  test('is answered by 503, though everything is cached; the next one drops what was changed meanwhile', async () => {
    const { keys, application, client } = await somebody();
    const use = async () => (await client.call('GET', '/12/accounts')).status;
    assert.equal(await use(), 200);
    await administrator.query('alter table cache_changes rename to elsewhere');
    assert.equal(await use(), 503);
    const login = await fetch(`${world.service.url}/login`);
    assert.equal(login.status, 503);
    await administrator.query('alter table elsewhere rename to cache_changes');
    await change((tx) => revokeAccess(tx, { user: keys.user, application }, now()));
    await administrator.query('delete from cache_changes');
    assert.equal(await use(), 401);
  });
});

describe('announced changes', () => {
  /** What a new process hears of tokens and rows. */
  async function listener(): Promise<{ store: Store; heard: string[] }> {
    const store = storeOn(driverOn(world.place));
    await store.fence!();
    const heard: string[] = [];
    store.onInvalidate(['token', 'event'], (tags) => heard.push(typeof tags === 'string' ? tags : [...tags].join(' ')));
    return { store, heard };
  }
  const rows = async () => (await administrator.query('select tag from cache_changes order by xid, tag')).rows;

  test('are applied once: those of the own process when they are acknowledged', async () => {
    const { store, heard } = await listener();
    await store.write(async (tx) => tx.invalidate('token:1'));
    assert.deepEqual(heard, ['token:1']);
    await store.fence!();
    assert.deepEqual(heard, ['token:1']);
    await change(async (tx) => tx.invalidate('token:2'));
    await Promise.all([store.fence!(), store.fence!()]);
    await store.fence!();
    assert.deepEqual(heard, ['token:1', 'token:2']);
    await change(async (tx) => tx.invalidate('everything'));
    await store.fence!();
    assert.deepEqual(heard, ['token:1', 'token:2', 'everything']);
    await store.close();
  });

  test('are those of units that succeed and change what others cache', async () => {
    const { store, heard } = await listener();
    await administrator.query('delete from cache_changes');
    const failing = change(async (tx) => {
      tx.invalidate('token:1');
      throw new Error('the unit fails');
    });
    await assert.rejects(failing, /the unit fails/);
    await change(async (tx) => {
      for (const tag of ['campaign:1', 'event:', 'token:2', 'token:2']) tx.invalidate(tag);
    });
    assert.deepEqual(await rows(), [{ tag: 'token:2' }]);
    await change(async (tx) => {
      for (let id = 0; id <= 1000; id++) tx.invalidate(`subscription:${id}`);
    });
    assert.deepEqual(await rows(), [{ tag: 'token:2' }, { tag: 'everything' }]);
    await store.fence!();
    assert.deepEqual(heard, ['everything']);
    await store.close();
  });

  test('are removed once a row ten minutes old shows that their transactions had ended', async () => {
    await administrator.query('delete from cache_changes');
    const add = (tag: string) => change(async (tx) => tx.invalidate(tag));
    const remove = (max: number) => change((tx) => tx.cacheChanges.removeOld(max));
    const age = (tag: string, s: number) =>
      administrator.query('update cache_changes set changed_at_ms = changed_at_ms - $2 where tag = $1', [
        tag,
        s * 1000,
      ]);
    // Transactions of other databases of the server count too.
    const over = () =>
      until('whatever was open at the last change has ended', async () => {
        const sql = `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(xid) as over from cache_changes`;
        return (await administrator.query(sql)).rows[0].over;
      });
    await add('token:1');
    await over();
    await add('token:2');
    await over();
    // This transaction is open when the others are announced, and may announce something when it ends.
    await administrator.query('begin');
    await administrator.query('select pg_current_xact_id()');
    await add('token:3');
    await administrator.query('commit');
    await over();
    await add('token:4');
    const left = async () => (await rows()).map(({ tag }) => tag).join(' ');
    for (const tag of ['token:1', 'token:2', 'token:3', 'token:4']) await age(tag, 540);
    assert.equal(await remove(10), 0);
    for (const tag of ['token:1', 'token:2', 'token:3']) await age(tag, 61);
    assert.deepEqual([await remove(1), await left()], [1, 'token:2 token:3 token:4']);
    assert.deepEqual([await remove(10), await left()], [1, 'token:3 token:4']);
    await age('token:4', 61);
    assert.deepEqual([await remove(10), await left()], [1, 'token:4']);
  });
});
