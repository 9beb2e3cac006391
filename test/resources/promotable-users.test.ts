import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDriver } from '../../src/app/database.ts';
import { ConstraintViolated } from '../../src/contract/store/store.ts';
import { findAdvertiserUserId, newPromotableUser, promotableUsers } from '../../src/features/ads/promotable-users.ts';
import { migrate } from '../../src/storage/core/migrate.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import type { Client } from '../rig/client.ts';
import { openPlace } from '../rig/databases.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const listed = async (client: Client, account: string) => {
  const reply = await client.call('GET', `/12/accounts/${account}/promotable_users`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};

describe('the promotable user of type FULL', () => {
  test('of a sandbox account is its creator', async () => {
    const { account } = await openAccount(world.sandbox);
    const { data, next_cursor, request } = await listed(world.sandbox, account);
    assert.deepEqual(request, { params: { account_id: account } });
    assert.equal(next_cursor, null);
    const [{ id, ...shown }] = data;
    const now = '2026-03-02T17:04:55Z';
    assert.match(id, /^l[0-9a-z]{4}$/);
    assert.equal(data.length, 1);
    assert.deepEqual(shown, {
      user_id: world.keys.user_id,
      promotable_user_type: 'FULL',
      created_at: now,
      updated_at: now,
      deleted: false,
    });
    const one = await world.sandbox.call('GET', `/12/accounts/${account}/promotable_users/${id}`);
    assert.deepEqual(one.body.data, data[0]);
  });

  test('of the demo account is its administrator', async () => {
    const [{ id: account }] = (await world.production.call('GET', '/12/accounts')).body.data;
    const { data } = await listed(world.production, account);
    assert.deepEqual(
      data.map((row: { user_id: string; promotable_user_type: string }) => [row.user_id, row.promotable_user_type]),
      [[world.keys.user_id, 'FULL']],
    );
  });

  test('is the advertiser of line items', async () => {
    const { account } = await openAccount(world.sandbox);
    const { store } = world.service;
    assert.equal(await store.read((tx) => findAdvertiserUserId(tx, account)), world.keys.user_id);
    await assert.rejects(
      store.read((tx) => findAdvertiserUserId(tx, 'nope')),
      /account nope has no promotable user of type FULL/,
    );
  });

  test('is unique in the database, next to other types', async () => {
    const { account } = await openAccount(world.sandbox);
    const { store } = world.service;
    const facts = { account, user: world.keys.other_user_id!, now: '2026-03-02T17:04:55Z' };
    const add = (id: string, type: 'FULL' | 'REPOSTS_ONLY') =>
      store.write((tx) => tx.records.insert(promotableUsers, newPromotableUser({ ...facts, id, type })));
    await assert.rejects(add('l0001', 'FULL'), ConstraintViolated);
    await add('l0001', 'REPOSTS_ONLY');
    assert.equal((await listed(world.sandbox, account)).data.length, 2);
    assert.equal(await store.read((tx) => findAdvertiserUserId(tx, account)), world.keys.user_id);
  });

  test('is added to accounts from before the migration', async () => {
    const place = await openPlace();
    const driver = await openDriver({
      ...world.service.settings,
      data_folder: place.folder,
      database_url: place.databaseUrl,
    });
    const earlier = migrations.filter(({ name }) => name < '0006');
    await migrate(driver, '2026-01-01T00:00:00Z', earlier);
    const columns =
      'id, environment, name, name_folded, timezone, approval_status, limits, created_at, updated_at, deleted';
    const account = (id: string) =>
      `insert into accounts (${columns}) values ('${id}', 'sandbox', 'A', 'a', 'UTC', 'ACCEPTED', '{}', '2025-05-05T00:00:00Z', '2026-01-01T00:00:00Z', 0)`;
    const member = (user: string, role: string) =>
      `insert into account_users (account_id, user_id, role, post_composer) values ('gq12fh', '${user}', '${role}', 0)`;
    const steps = [
      account('gq12fh'),
      account('gq0000'),
      member('1', 'ANALYST'),
      member('3', 'ACCOUNT_ADMIN'),
      member('2', 'ACCOUNT_ADMIN'),
    ];
    await driver.write(async (session) => {
      for (const sql of steps) await session.runRaw(sql);
    });
    assert.ok((await migrate(driver, '2026-02-01T00:00:00Z')).includes('0006-accounts'));
    const rows = await driver.read((session) => session.allRaw('select * from promotable_users'));
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [
        {
          account_id: 'gq12fh',
          id: 'gq12fh',
          user_id: '2',
          promotable_user_type: 'FULL',
          created_at: '2025-05-05T00:00:00Z',
          updated_at: '2025-05-05T00:00:00Z',
          deleted: 0,
        },
      ],
    );
    await driver.close();
    await place.remove();
  });
});
