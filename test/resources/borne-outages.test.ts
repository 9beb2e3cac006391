import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { outageTolerance } from '../../src/features/delivery/serving/outage-tolerance.ts';
import { engine } from '../rig/databases.ts';
import { type BookedAd, bookAd, decide, get, makePublisher, TARGET } from '../rig/served-ads.ts';
import { openWorldOver, type World } from '../rig/world.ts';

let world: World;
let credential: string;
let ad: BookedAd;
let state: 'well' | 'away' | 'silent' = 'well';

/** What a unit of work meets: the database, nobody, or no answer until the database is back. */
let release: (() => void)[] = [];
async function meet<T>(unit: () => Promise<T>): Promise<T> {
  if (state === 'away') throw new StoreUnavailable(new Error('connect ECONNREFUSED'), { isOutage: true });
  if (state === 'silent') await new Promise<void>((resolve) => void release.push(resolve));
  return unit();
}

async function during(meanwhile: typeof state, work: () => Promise<void>): Promise<void> {
  state = meanwhile;
  try {
    await work();
  } finally {
    state = 'well';
    for (const each of release) each();
    release = [];
  }
}

before(async () => {
  world = await openWorldOver(
    (driver) => {
      const { readExternalChanges: lookForChanges, writeTogether } = driver;
      return {
        ...driver,
        read: (work) => meet(() => driver.read(work)),
        write: (work) => meet(() => driver.write(work)),
        ...(writeTogether && { writeTogether: (kind, work) => meet(() => writeTogether(kind, work)) }),
        ...(lookForChanges && { readExternalChanges: (...of) => meet(() => lookForChanges(...of)) }),
      };
    },
    { flags: { delivery_sandbox: 'served', rate_limits: 'off' }, seams: { decisionWaits: 20 } },
  );
  credential = await makePublisher(world);
  ad = await bookAd(world, { line: { ...TARGET, bid_amount_local_micro: 5_000_000 } });
});
after(() => world.close());

const REQUEST = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] };
const ask = (of: string = credential) => decide(world, of, REQUEST);

async function shown(): Promise<string[]> {
  const reply = await ask();
  assert.equal(reply.status, 200, reply.text);
  const { decisions } = reply.body.data.placements[0];
  for (const { impression_url } of decisions) assert.equal((await get(impression_url)).status, 204);
  return decisions.map(({ line_item_id }: { line_item_id: string }) => line_item_id);
}

const impressions = async (): Promise<number> => {
  await ad.settle();
  return (await ad.day())?.impressions ?? 0;
};

for (const meanwhile of ['away', 'silent'] as const) {
  describe(`while the database is ${meanwhile}`, () => {
    test('ads are decided on from memory, and counted later', async () => {
      assert.deepEqual(await shown(), [ad.line]);
      const before = await impressions();
      await during(meanwhile, async () => {
        for (let time = 0; time < 3; time++) assert.deepEqual(await shown(), [ad.line]);
      });
      assert.equal(await impressions(), before + 3);
    });

    test('also when it is not certain what has changed, and when creatives would be read again', async () => {
      assert.deepEqual(await shown(), [ad.line]);
      world.service.store.clearCaches();
      await during(meanwhile, async () => {
        world.service.store.clearCaches();
        world.clock.advance(61);
        assert.deepEqual(await shown(), [ad.line]);
      });
      assert.deepEqual(await shown(), [ad.line]);
    });

    test('whom memory does not know gets 503', async () => {
      const other = await makePublisher(world);
      await during(meanwhile, async () => {
        const reply = await ask(other);
        assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '1']);
      });
      assert.equal((await ask(other)).status, 200);
    });
  });
}

// One at a time: whoever locks several may wait for the server, which waits for it.
for (const table of engine === 'sqlite' ? ['all'] : ['cache_changes', 'publishers', 'accounts', 'delivery_leases']) {
  test(`what others have locked delays no decision: ${table}`, async () => {
    assert.deepEqual(await shown(), [ad.line]);
    const unlock = await lock(table);
    try {
      assert.deepEqual(await shown(), [ad.line]);
      world.service.store.clearCaches();
      assert.deepEqual(await shown(), [ad.line]);
    } finally {
      await unlock();
    }
    assert.deepEqual(await shown(), [ad.line]);
  });
}

/** Locks a table, or on SQLite the database, as another process would. */
async function lock(table: string): Promise<() => Promise<void>> {
  const { folder, databaseUrl } = world.place;
  if (engine === 'sqlite') {
    const database = new DatabaseSync(join(folder, 'barker.db'));
    database.exec('begin immediate');
    return async () => database.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`begin; lock table ${table}`);
  return () => client.end();
}

test('after a minute without an answer, decisions are refused', async () => {
  let now_ms = 0;
  const outages = outageTolerance(undefined, () => now_ms);
  const failing = () => outages.wait(Promise.reject(new StoreUnavailable(new Error('away'))));
  assert.equal(await failing(), false);
  now_ms = 59_999;
  assert.equal(await failing(), false);
  now_ms = 60_000;
  await assert.rejects(failing, StoreUnavailable);
  assert.equal(await outages.wait(Promise.resolve()), true);
  assert.equal(await failing(), false);
  await assert.rejects(outages.wait(Promise.reject(new Error('a mistake'))), /^Error: a mistake$/);
});
