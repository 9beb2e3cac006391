import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accounts } from '../../src/features/ads/accounts.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

describe('accounts', () => {
  test('creating a sandbox account returns it as in the reference, in a list of one', async () => {
    const reply = await world.sandbox.call('POST', '/12/accounts');
    const { id } = reply.body.data[0];
    assert.match(id, /^[0-9a-z]{6}$/);
    assert.deepEqual(reply.body, {
      request: { params: {} },
      next_cursor: null,
      data: [
        {
          name: 'Sandbox account',
          business_name: null,
          timezone: 'America/Los_Angeles',
          timezone_switch_at: null,
          id,
          created_at: '2026-03-02T17:04:55Z',
          updated_at: '2026-03-02T17:04:55Z',
          industry_type: null,
          business_id: null,
          approval_status: 'ACCEPTED',
          deleted: false,
        },
      ],
    });
    const access = await world.sandbox.call('GET', `/12/accounts/${id}/authenticated_user_access`);
    assert.deepEqual(access.body.data.permissions, ['ACCOUNT_ADMIN', 'POST_COMPOSER']);
    assert.deepEqual((await world.sandbox.call('GET', `/12/accounts/${id}`)).body.data, reply.body.data[0]);
  });

  test('only name and industry can be updated, also in production', async () => {
    const [real] = (await world.production.call('GET', '/12/accounts')).body.data;
    assert.match(real.id, /^[0-9a-z]{11}$/);
    world.clock.advance(60);
    const path = `/12/accounts/${real.id}`;
    const changed = await world.production.call('PUT', path, {
      params: {
        name: 'Harbour Coffee EU',
        industry_type: 'RETAIL',
        business_name: 'Nobody',
        timezone: 'Europe/London',
        approval_status: 'REJECTED',
      },
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body, {
      request: { params: { account_id: real.id, name: 'Harbour Coffee EU', industry_type: 'RETAIL' } },
      data: { ...real, name: 'Harbour Coffee EU', industry_type: 'RETAIL', updated_at: '2026-03-02T17:05:55Z' },
    });
    const emptied = await world.production.call('PUT', path, { params: { industry_type: '' } });
    assert.strictEqual(emptied.body.data.industry_type, null);
    assert.equal(emptied.body.data.name, 'Harbour Coffee EU');
    const nameless = await world.production.call('PUT', path, { params: { name: '' } });
    assert.deepEqual([nameless.status, nameless.body.errors[0].parameter], [400, 'name']);
    const renamed = await world.production.call('GET', '/12/accounts', { params: { q: 'harbour c' } });
    assert.deepEqual(renamed.body.data, [emptied.body.data]);
    const old = await world.production.call('GET', '/12/accounts', { params: { q: real.name } });
    assert.deepEqual(old.body.data, [], 'the search follows the name');
  });

  test('a user without accounts sees an empty list', async () => {
    const reply = await world.other.call('GET', '/12/accounts', { params: { with_total_count: true } });
    assert.deepEqual([reply.body.data, reply.body.total_count, reply.body.next_cursor], [[], 0, null]);
  });

  test('a deleted sandbox account is not listed, and deleting it again gives 404', async () => {
    const { id } = (await world.sandbox.call('POST', '/12/accounts')).body.data[0];
    const path = `/12/accounts/${id}`;
    const deleted = await world.sandbox.call('DELETE', path);
    assert.deepEqual([deleted.status, deleted.body.data.deleted], [200, true]);
    assert.equal(Array.isArray(deleted.body.data), false);
    assert.equal((await world.sandbox.call('DELETE', path)).status, 404);
    const list = async (params: Record<string, string>) =>
      (await world.sandbox.call('GET', '/12/accounts', { params: { account_ids: id, ...params } })).body.data;
    assert.deepEqual(await list({}), []);
    assert.deepEqual(await list({ with_deleted: 'true' }), [deleted.body.data]);
  });

  test('the approval status is returned', async () => {
    const { id } = (await world.sandbox.call('POST', '/12/accounts')).body.data[0];
    for (const approval_status of ['UNDER_REVIEW', 'REJECTED', 'ACCEPTED']) {
      await world.service.store.write(async (tx) => {
        await tx.records.update(accounts, { account: undefined, id }, { approval_status });
        tx.invalidate(`account:${id}`);
      });
      const reply = await world.sandbox.call('GET', `/12/accounts/${id}`);
      assert.equal(reply.body.data.approval_status, approval_status);
    }
  });
});

test('an account of the other environment is refused, with the environment as a hint for developers', async () => {
  const { account } = await openAccount(world.sandbox);
  const { status, headers } = await world.production.call('GET', `/12/accounts/${account}`);
  assert.deepEqual([status, headers.get('x-hint')], [403, 'The account is in the other environment.']);
});
