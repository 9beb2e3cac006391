import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { SchemaTooNew } from '../../src/contract/store/errors.ts';
import { migrate } from '../../src/storage/core/migrate.ts';
import { assertKnownEnough, readApplied, SCHEMA_LEVEL } from '../../src/storage/core/schema-level.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import type { Migration } from '../../src/storage/migrations/schema-builder.ts';
import { clientOf } from '../rig/client.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';
import { subscriber } from '../rig/streams.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const NOW = '2026-03-02T09:00:00Z';

/** A migration that this version does not have. */
const step = (name: string, olderServers: Migration['olderServers'], ...sql: string[]): Migration => ({
  name,
  olderServers,
  statements: () => sql,
});

describe('a server of the version before', () => {
  let world: World;
  let home: { path: string; instrument: string };
  before(async () => {
    world = await openWorld();
    home = await openAccount(world.sandbox);
  });
  after(() => world.close());

  test('goes on beside a migration that adds columns to the tables that it has read before, one request like the other', async () => {
    const who = await subscriber(world);
    const client = clientOf(world.service.sandboxUrl, world.keys, world.clock, () => {});
    const use = async (): Promise<void> => {
      const params = { name: 'c', funding_instrument_id: home.instrument, entity_status: 'PAUSED' };
      const made = await client.call('POST', `${home.path}/campaigns`, { params });
      assert.equal(made.status, 200, made.text);
      for (const path of ['/campaigns', `/campaigns/${made.body.data.id}`]) {
        const { status, text } = await client.call('GET', home.path + path);
        assert.equal(status, 200, text);
      }
      const webhooks = await fetch(`${world.service.url}/2/webhooks`, {
        headers: { authorization: `Bearer ${who.bearer}` },
      });
      assert.equal(webhooks.status, 200, await webhooks.text());
    };
    // Enough that all connections have prepared all statements.
    for (let times = 0; times < 3; times++) await Promise.all(Array.from({ length: 8 }, use));
    const tables = [
      'campaigns',
      'accounts',
      'applications',
      'access_tokens',
      'jobs',
      'nodes',
      'webhooks',
      'funding_instruments',
    ];
    const added = tables.map((table) => `alter table ${table} add column probe text`);
    const driver = driverOn(world.place);
    await migrate(driver, NOW, [...migrations, step('9990-probe', 'continue', ...added)]);
    await driver.close();
    // What it remembers may hide what it cannot read any more.
    world.service.store.clearCaches();
    for (let times = 0; times < 3; times++) await Promise.all(Array.from({ length: 8 }, use));
    await world.service.jobs.runDue();
    assert.equal((await fetch(`${world.service.operationsUrl}/readyz`)).status, 200);
  });

  test('must end when the schema moves beyond it: its next request is refused, and it says why', async () => {
    const ended = world.service.superseded;
    const driver = driverOn(world.place);
    const beyond = step('9991-contract', 'stop');
    await driver.write((session) => session.runRaw('delete from nodes'));
    await migrate(driver, NOW, [...migrations, step('9990-probe', 'continue'), beyond]);
    await driver.close();
    const { status } = await world.sandbox.call('GET', `${home.path}/campaigns`);
    assert.equal(status, 503);
    assert.equal(
      await ended,
      `the database has migrations that only newer versions can work with: 9991-contract; this one, 0.1.0, knows migrations up to ${SCHEMA_LEVEL}`,
    );
    world.clock.advance(2);
    assert.equal((await fetch(`${world.service.operationsUrl}/readyz`)).status, 503);
  });
});

describe('migrate', () => {
  let place: Place;
  beforeEach(async (t) => {
    place = await openPlace('postgres', { hasSchema: true });
    (t as { after(work: () => Promise<void>): void }).after(() => place.remove());
  });

  const told = (steps: readonly Migration[]): Promise<string> => {
    const driver = driverOn(place);
    return migrate(driver, NOW, [...migrations, ...steps])
      .then(
        (names) => names.join(', '),
        (error: Error) => error.message,
      )
      .finally(() => driver.close());
  };
  const addNode = async (hostname: string, schema_level: string): Promise<void> => {
    const store = storeOn(driverOn(place));
    const more = { version: '1.2.3', process: '', master_keys: '', roles: 'api', schema_level };
    await store.write((tx) => tx.nodes.add({ id: hostname, hostname, ...more }, 10));
    await store.close();
  };
  const change = async (sql: string): Promise<void> => {
    const driver = driverOn(place);
    await driver.write((session) => session.runRaw(sql));
    await driver.close();
  };

  test('names the running servers that could not go on, and applies nothing', async () => {
    await addNode('old.example', SCHEMA_LEVEL);
    await addNode('oldest.example', '');
    const steps = [step('9990-more', 'continue'), step('9991-contract', 'stop')];
    const refusal = `running servers are incompatible with 9991-contract: 1.2.3 on old.example, 1.2.3 on oldest.example; stop them, run this again, and start the new version (a server that was killed counts as running for 10 s)`;
    assert.equal(await told(steps), refusal);
    assert.equal(await told(steps.slice(0, 1)), '9990-more');
    await change("update nodes set heartbeat_at = '2026-01-01T00:00:00.000Z'");
    assert.equal(await told(steps), '9991-contract');
  });

  test('lets servers go on that know enough for a migration that takes away', async () => {
    await addNode('expanded.example', '9990-expand');
    const steps = [step('9990-expand', 'continue'), step('9991-contract', { from: '9990-expand' })];
    assert.equal(await told(steps), '9990-expand, 9991-contract');
    await addNode('before.example', SCHEMA_LEVEL);
    assert.match(
      await told([...steps, step('9992-more', { from: '9990-expand' })]),
      / 9992-more: 1\.2\.3 on before\.example; /,
    );
    const driver = driverOn(place);
    const applied = await driver.read(readApplied);
    await driver.close();
    const before = [...migrations];
    assert.throws(() => assertKnownEnough(applied, before), SchemaTooNew);
    assertKnownEnough(applied, [...before, steps[0]!]);
  });

  test('waits for a table in turns, so that requests behind it wait for seconds only', async () => {
    const holder = new pg.Client({ connectionString: place.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from campaigns');
    const migrating = told([step('9990-probe', 'continue', 'alter table campaigns add column probe text')]);
    const store = storeOn(driverOn(place));
    const reader = new pg.Client({ connectionString: place.databaseUrl });
    await reader.connect();
    const waits =
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table campaigns%'";
    while ((await reader.query(waits)).rowCount === 0) await wait(20);
    // It waits behind the migration, which gives way.
    await reader.query('select 1 from campaigns');
    await holder.query('commit');
    assert.equal(await migrating, '9990-probe');
    await Promise.all([holder.end(), reader.end(), store.close()]);
  });
});

for (const way of ['read', 'write', 'writeUrgent'] as const) {
  test(`${way}: statements that were prepared before a migration run again`, async () => {
    const place = await openPlace('postgres', { hasSchema: true });
    const driver = driverOn(place, { connectionsMax: 2 });
    const unit = (statements: number) =>
      driver[way]!(async (session) => {
        const found: string[][] = [];
        for (const table of ['sequences', 'jobs', 'nodes'].slice(0, statements)) {
          const rows = await session.allRaw<object>(`select * from (values (1)) as one left join ${table} on true`);
          found.push(Object.keys(rows[0]!));
        }
        return found;
      });
    // Both connections prepare all of them.
    const before = await Promise.all(Array.from({ length: 6 }, (_, at) => unit(1 + (at % 3))));
    for (const table of ['sequences', 'jobs', 'nodes']) {
      await driver.write((session) => session.runRaw(`alter table ${table} add column probe text`));
    }
    const after = await Promise.all(Array.from({ length: 6 }, (_, at) => unit(1 + (at % 3))));
    const withProbe = before.map((tables) => tables.map((columns) => [...columns, 'probe']));
    assert.deepEqual(after, withProbe);
    await driver.close();
    await place.remove();
  });
}

test('a change of a kind that this version does not know drops everything', async () => {
  const place = await openPlace('postgres', { hasSchema: true });
  const [own, newer] = [driverOn(place), driverOn(place)];
  const store = storeOn(own);
  await store.fence!();
  const dropped: unknown[] = [];
  store.onInvalidate(['account'], (tags) => void dropped.push(tags));
  const announce = `insert into cache_changes (xid, tag, origin, oldest_xid, changed_at_ms)
    values (pg_current_xact_id()::text::bigint, 'widget:7', 'newer', 0, 0)`;
  await newer.write((session) => session.runRaw(announce));
  await store.fence!();
  assert.deepEqual(dropped, ['everything']);
  await Promise.all([own.close(), newer.close()]);
  await place.remove();
});

test('a fence that finds the schema too new refuses until it ends', async () => {
  const place = await openPlace('postgres', { hasSchema: true });
  const own = driverOn(place);
  let asked = 0;
  const store = storeOn(own, {
    async assertServable(session) {
      asked += 1;
      assertKnownEnough(await readApplied(session));
    },
  });
  await store.fence!();
  const before = asked;
  await store.fence!();
  assert.equal(asked, before, 'it looks only when the schema may have changed');
  const driver = driverOn(place);
  await migrate(driver, NOW, [...migrations, step('9990-contract', 'stop')]);
  await driver.close();
  for (let times = 0; times < 2; times++) await assert.rejects(store.fence!(), StoreUnavailable);
  await store.close();
  await place.remove();
});
