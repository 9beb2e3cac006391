import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import {
  accountOperations,
  addParents,
  batchParameters,
  collection,
  fill,
  goodCall,
  goodParameters,
  listed,
  make,
  openTestAccount,
  operationOf,
  resources,
  type TestAccount,
  takes,
} from './test-account.ts';

let world: World;
let mine: TestAccount;
let second: TestAccount;
let theirs: TestAccount;
let otherInProduction: Client;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  mine = await openTestAccount(world);
  second = await openTestAccount(world);
  theirs = await openTestAccount(world, world.other);
  const keys = {
    ...world.keys,
    access_token: world.keys.other_access_token!,
    access_token_secret: world.keys.other_access_token_secret!,
  };
  otherInProduction = clientOf(world.service.url, keys, world.clock);
});
after(() => world.close());

const owned = resources.filter((each) => each.scope === 'account' && operationOf(each, 'create'));

for (const resource of owned) {
  describe(`${resource.plural} of one account`, () => {
    test('are not found under another, not even by users of both', async () => {
      const { id } = await make(mine, resource);
      await addParents(second, resource);
      for (const verb of ['get', 'update', 'remove'] as const) {
        const operation = operationOf(resource, verb);
        if (!operation) continue;
        const path = fill(operation.path, { account_id: second.account, [resource.idParameter]: id });
        for (const end of ['', '?with_deleted=true']) {
          const params = verb === 'update' ? await goodParameters(mine, operation) : {};
          const sent = operation.body === 'object' ? { json: params } : { params };
          const reply = await world.sandbox.call(operation.method, path + end, sent);
          assert.deepEqual([reply.status, reply.body.errors[0].code], [404, resource.notFound], verb);
        }
      }
      if (!operationOf(resource, 'get')) return;
      const own = fill(operationOf(resource, 'get')!.path, { account_id: mine.account, [resource.idParameter]: id });
      assert.equal((await world.sandbox.call('GET', own)).body.data.deleted ?? false, false);
    });

    test('are absent from the lists, filters and totals of another', async () => {
      const { id } = await make(mine, resource);
      if (!takes(resource, 'list', resource.idsParameter)) return;
      const own = await make(second, resource);
      for (const params of [
        { [resource.idsParameter]: `${id},${own.id}`, with_total_count: 'true' },
        { [resource.idsParameter]: `${id},${own.id}`, with_total_count: 'true', with_deleted: 'true' },
      ]) {
        const reply = await world.sandbox.call('GET', await listed(second, resource), { params });
        assert.deepEqual(
          reply.body.data.map((row: { id: string }) => row.id),
          [own.id],
        );
        if (takes(resource, 'list', 'with_total_count')) assert.equal(reply.body.total_count, 1);
      }
    });

    test('cannot be referred to from another: as if they did not exist', async () => {
      for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
        const target = field.target?.() as AnyResource | undefined;
        if (!target) continue;
        const foreign = (await make(theirs, target)).id;
        const create = operationOf(resource, 'create')!;
        for (const value of [foreign, 'zz9']) {
          const params = { ...(await goodParameters(mine, create)), [name]: value };
          const reply = await world.sandbox.call('POST', collection(mine, resource), { params });
          assert.equal(reply.status, 404);
          assert.deepEqual(reply.body.errors, [
            { code: target.notFound, message: `${target.label} ${value} was not found`, parameter: name, value },
          ]);
        }
      }
    });

    test('are not reached by batches of another', async () => {
      const batch = operationOf(resource, 'batch');
      if (!batch) return;
      const { id } = await make(theirs, resource);
      const path = fill(batch.path, { account_id: mine.account });
      for (const operation_type of operationOf(resource, 'update') ? ['Update', 'Delete'] : ['Delete']) {
        const json = [{ operation_type, params: { [resource.idParameter]: id } }];
        const reply = await world.sandbox.call('POST', path, { json });
        assert.equal(reply.status, 400);
        assert.deepEqual(
          reply.body.operation_errors[0].map((error: { code: string }) => error.code),
          [resource.notFound],
        );
      }
      const json = [
        {
          operation_type: 'Create',
          params: { ...(await batchParameters(mine, resource)), account_id: theirs.account },
        },
      ];
      const made = await world.sandbox.call('POST', path, { json });
      assert.equal(made.status, 200, made.text);
      assert.equal(made.body.request[0].params.account_id, mine.account);
      const foreign = await world.other.call('GET', `${collection(theirs, resource)}/${made.body.data[0].id}`);
      assert.equal(foreign.status, 404);
    });
  });
}

describe('users', () => {
  test('see the accounts on which they have a role, and no others', async () => {
    const both = `${mine.account},${second.account},${theirs.account}`;
    const lists: [Client, string[]][] = [
      [world.sandbox, [mine.account, second.account]],
      [world.other, [theirs.account]],
    ];
    for (const [client, expected] of lists) {
      const asked: Record<string, string>[] = [
        { account_ids: both },
        { q: 'sandbox', account_ids: both },
        { with_deleted: 'true', account_ids: both },
      ];
      for (const params of asked) {
        const reply = await client.call('GET', '/12/accounts', { params: { ...params, with_total_count: 'true' } });
        assert.deepEqual(reply.body.data.map((row: { id: string }) => row.id).sort(), [...expected].sort());
        assert.equal(reply.body.total_count, expected.length);
      }
    }
  });

  test('of another account learn nothing from its cursor', async () => {
    const { next_cursor: cursor } = (await world.sandbox.call('GET', '/12/accounts', { params: { count: 1 } })).body;
    assert.ok(cursor);
    assert.equal((await world.other.call('GET', '/12/accounts', { params: { cursor } })).status, 400);
  });
});

describe('production and sandbox', () => {
  test('an account of one environment is not accessible in the other', async () => {
    const [real] = (await world.production.call('GET', '/12/accounts')).body.data;
    const cases: [Client, string][] = [
      [world.production, mine.account],
      [world.sandbox, real.id],
      [otherInProduction, theirs.account],
    ];
    for (const [client, account] of cases) {
      for (const end of ['', '/campaigns', '/features', '/funding_instruments', '/authenticated_user_access']) {
        const reply = await client.call('GET', `/12/accounts/${account}${end}`);
        assert.deepEqual([reply.status, reply.body.errors[0].code], [403, 'ACCOUNT_NOT_FOUND'], end);
      }
    }
    const list = await world.sandbox.call('GET', '/12/accounts', {
      params: { account_ids: real.id, with_deleted: true },
    });
    assert.deepEqual(list.body.data, []);
  });

  test('the accounts of the other environment are not counted or listed', async () => {
    const real = await world.production.call('GET', '/12/accounts', { params: { with_total_count: true } });
    assert.equal(real.body.total_count, 1);
    const others = await otherInProduction.call('GET', '/12/accounts', { params: { with_total_count: true } });
    assert.deepEqual(others.body.data, real.body.data);
  });

  test('what exists only in the sandbox is a missing method in production', async () => {
    const [real] = (await world.production.call('GET', '/12/accounts')).body.data;
    const production: TestAccount = { world, client: world.production, account: real.id };
    const sandboxOnly = accountOperations.filter((each) => each.onlyIn === 'sandbox');
    assert.ok(sandboxOnly.length >= 6);
    for (const operation of sandboxOnly) {
      const { method, path } = await goodCall(mine, operation);
      const reply = await world.production.call(method, path.replace(mine.account, production.account));
      assert.equal(reply.status, 405, operation.id);
      assert.deepEqual(reply.body, {
        errors: [{ code: 'METHOD_NOT_ALLOWED', message: `${method} is not allowed on this resource` }],
        request: { params: {} },
      });
      assert.match(reply.headers.get('allow')!, /GET/);
    }
  });
});
