import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ConstraintViolated } from '../../src/contract/store/errors.ts';
import { findAdvertiserUserId, newPromotableUser, promotableUsers } from '../../src/features/ads/promotable-users.ts';
import type { Client } from '../rig/client.ts';
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
});
