import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { WEBHOOK_LEASE_S } from '../../src/features/activity/webhooks/deliverer.ts';
import { settingsTable } from '../../src/settings.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let elsewhere: pg.Client;
before(async () => {
  world = await openWorld({ flags: { postgres_idle_transaction_timeout_s: 1 } });
  elsewhere = new pg.Client({ connectionString: world.place.databaseUrl });
  await elsewhere.connect();
});
after(async () => {
  await elsewhere.end();
  await world.close();
});

test('a unit of work that stands still is ended, so that others can change what it has locked', async () => {
  const { user_id } = world.keys;
  const locked = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const unit = world.service.store.write(async (tx) => {
    await tx.credentials.lockUser(user_id!);
    locked.resolve();
    await changed.promise;
    await tx.credentials.changeUser(user_id!, { location: 'too late' });
  });
  await locked.promise;
  // It waits for the row, which nobody but PostgreSQL frees.
  await elsewhere.query(`update users set location = 'meanwhile' where id = $1`, [user_id]);
  changed.resolve();
  await assert.rejects(unit, StoreUnavailable);
  const { rows } = await elsewhere.query('select location from users where id = $1', [user_id]);
  assert.deepEqual(rows, [{ location: 'meanwhile' }]);
});

test('the rows of a frozen server are free before its leases of webhooks end', () => {
  assert.ok(Number(settingsTable.postgres_idle_transaction_timeout_s.default) < WEBHOOK_LEASE_S);
});
