import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ROLES, type Role } from '../../src/contract/declare/roles.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { audienceOn, hashOf, type Kept, persons, remove, update } from './people-calls.ts';

let world: World;
let account: string;
let path: string;
let kept: Kept;
before(async () => {
  world = await openWorld();
  ({ account, path } = await openAccount(world.sandbox));
  kept = await audienceOn(world.sandbox, path);
});
after(() => world.close());

const one = [update(persons(0, 1))];

/** Somebody with a role on an account. */
async function somebody(role: Role, on = account): Promise<Client> {
  return clientOf(world.service.sandboxUrl, await register(world, { roles: { [on]: role } }), world.clock);
}

const errorsOf = (body: { errors: { code: string; message: string }[] }) =>
  body.errors.map(({ code, message }) => `${code}: ${message}`);

describe('permission to upload people', () => {
  for (const role of ROLES) {
    const may = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'].includes(role);
    test(`${role}: ${may ? 'may' : 'may not'}`, async () => {
      const reply = await (await somebody(role)).call('POST', `${kept.path}/users`, { json: one });
      assert.equal(reply.status, may ? 200 : 403);
    });
  }

  test('an audience that is missing, deleted, or of another account is not found', async () => {
    const gone = await audienceOn(world.sandbox, path);
    await world.sandbox.call('DELETE', gone.path);
    const foreign = await audienceOn(world.other, (await openAccount(world.other)).path);
    for (const id of ['zzzz9', gone.id, foreign.id]) {
      const reply = await world.sandbox.call('POST', `${path}/custom_audiences/${id}/users`, { json: one });
      assert.equal(reply.status, 404);
      assert.deepEqual(errorsOf(reply.body), [`CUSTOM_AUDIENCE_NOT_FOUND: Custom audience ${id} was not found`]);
    }
    const illegal = await world.sandbox.call('POST', `${path}/custom_audiences/a-b/users`, { json: one });
    assert.deepEqual([illegal.status, illegal.body.errors[0].code], [404, 'INVALID_ID_ILLEGAL_CHARACTERS']);
  });

  test('a flexible audience accepts no uploads', async () => {
    const made = await world.sandbox.call('POST', `/12/batch/accounts/${account}/custom_audiences`, {
      json: [
        {
          operation_type: 'Create',
          params: {
            name: 'All of them',
            audience_type: 'FLEXIBLE',
            segments: { boolean_operator: 'AND', child_segments: [{ custom_audience_id: kept.id, negate: false }] },
          },
        },
      ],
    });
    assert.equal(made.status, 200, made.text);
    const reply = await world.sandbox.call('POST', `${path}/custom_audiences/${made.body.data[0].id}/users`, {
      json: one,
    });
    assert.deepEqual([reply.status, reply.body.errors[0].code], [403, 'ACTION_NOT_ALLOWED']);
  });

  test('a shared audience accepts uploads from accounts with READ_WRITE', async () => {
    const shared = await audienceOn(world.sandbox, path);
    const { account: granted, path: grantedPath } = await openAccount(world.other);
    await world.service.store.write((tx) =>
      tx.accountMembers.addFeatures(account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']),
    );
    for (const [level, status] of [
      ['READ_ONLY', 403],
      ['READ_WRITE', 200],
    ] as const) {
      const params = { granted_account_id: granted, permission_level: level };
      const grant = await world.sandbox.call('POST', `${shared.path}/permissions`, { params });
      assert.equal(grant.status, 200, grant.text);
      const reply = await world.other.call('POST', `${grantedPath}/custom_audiences/${shared.id}/users`, { json: one });
      assert.equal(reply.status, status, reply.text);
    }
  });
});

describe('uploads to a do-not-reach list', () => {
  let list: string;
  const upload = (json: unknown) =>
    world.sandbox.call('POST', `/12/batch/accounts/${account}/do_not_reach_lists/${list}/users`, { json });
  before(async () => {
    const made = await world.sandbox.call('POST', `${path}/do_not_reach_lists`, {
      params: { description: 'Asked us' },
    });
    list = made.body.data.id;
  });

  test('accept e-mail and phone numbers, and are counted by operation', async () => {
    const users = [{ email: [hashOf(1)] }, { phone_number: [hashOf(2)] }];
    const reply = await upload([update(users, { expires_at: '2026-11-01' }), remove(persons(7, 8))]);
    assert.equal(reply.status, 200);
    const params = { account_id: account, do_not_reach_list_id: list };
    assert.deepEqual(reply.body, {
      request: [
        { operation_type: 'Update', params: { ...params, expires_at: '2026-11-01T00:00:00Z' } },
        { operation_type: 'Delete', params },
      ],
      data: [
        { success_count: 2, total_count: 2 },
        { success_count: 1, total_count: 1 },
      ],
    });
    const last = await world.service.store.read((tx) => tx.audienceLog.find(`list:${list}`));
    assert.equal(last?.number, 1);
  });

  test('are identified by nothing else, and stay for 13 months at most', async () => {
    const reply = await upload([
      update([{ handle: [hashOf(1)] }]),
      update(persons(0, 1), { expires_at: '2027-04-02T17:04:56Z' }),
      update(persons(0, 1), { expires_at: '2027-04-02T17:04:55Z' }),
    ]);
    assert.deepEqual(
      reply.body.operation_errors.map((errors: { message: string }[]) => errors.map(({ message }) => message)),
      [
        ['Expected identifiers in email, phone_number for users[0].handle'],
        ['expires_at must be at most 13 months ahead'],
        [],
      ],
    );
  });

  const wrong: [what: string, operation: unknown, code: string, parameter: string][] = [
    ['nothing that it should be', 7, 'MISSING_PARAMETER', 'operation_type'],
    [
      'a type in lower case',
      { operation_type: 'update', params: { users: persons(0, 1) } },
      'INVALID_PARAMETER',
      'operation_type',
    ],
    ['one user that is no list', update({ email: [hashOf(1)] }), 'INVALID_PARAMETER', 'users'],
    ['a list of nobody', update([]), 'INVALID_PARAMETER', 'users'],
    ['a user that is a hash', update([hashOf(1)]), 'INVALID_PARAMETER', 'users[0]'],
    ['a user without anything', update([{}]), 'INVALID_PARAMETER', 'users[0]'],
    ['a plain address', update([{ email: ['ada@example.com'] }]), 'INVALID_PARAMETER', 'users[0].email[0]'],
    ['the hash of nothing', update([{ email: [hash('sha256', '')] }]), 'INVALID_PARAMETER', 'users[0].email[0]'],
    [
      'the same hash for all',
      update(Array.from({ length: 100 }, () => ({ email: [hashOf(1)] }))),
      'INVALID_PARAMETER',
      'users',
    ],
    ['a time that is none', update(persons(0, 1), { expires_at: 'soon' }), 'INVALID_PARAMETER', 'expires_at'],
    ['an end that is over', update(persons(0, 1), { expires_at: '2026-03-01' }), 'INVALID_PARAMETER', 'expires_at'],
  ];
  for (const [what, operation, code, parameter] of wrong) {
    test(`are not accepted from an operation with ${what}`, async () => {
      const reply = await upload([operation]);
      const [error] = reply.body.operation_errors[0];
      assert.deepEqual([reply.status, error.code, error.parameter], [400, code, parameter]);
    });
  }

  test('are reported as invalid only up to a limit', async () => {
    const plain = Array.from({ length: 60 }, (_, index) => ({ email: [`person${index}@example.com`] }));
    const [errors] = (await upload([update(plain)])).body.operation_errors;
    assert.equal(errors.at(-1).message, '10 further errors in this operation');
  });

  for (const [what, body, message] of [
    ['no array', {}, 'Expected an array of operations'],
    ['an empty array', [], 'A minimum of 1 items must be provided for operations'],
    ['2501 operations', Array.from({ length: 2501 }, () => 0), 'Expected at most 2500 operations, got 2501'],
  ] as const) {
    test(`are not accepted from ${what}`, async () => {
      const reply = await upload(body);
      assert.deepEqual([reply.status, reply.body.errors[0].message], [400, message]);
    });
  }

  test('are not uploaded to a missing or deleted list', async () => {
    const known = list;
    list = 'zzzz9';
    const unknown = await upload(one);
    list = known;
    assert.deepEqual([unknown.status, unknown.body.errors[0].code], [404, 'NOT_FOUND']);
    await world.sandbox.call('DELETE', `${path}/do_not_reach_lists/${list}`);
    assert.equal((await upload(one)).status, 404);
  });
});

describe('uploads of an account', () => {
  test('have a window of their own, 1500 a minute', async () => {
    const reply = await kept.upload(one);
    assert.equal(reply.headers.get('x-account-rate-limit-limit'), '1500');
    const write = await world.sandbox.call('PUT', kept.path, { params: { description: 'Weekly' } });
    assert.equal(write.headers.get('x-rate-limit-limit'), '450');
    const after = await kept.upload(one);
    const remaining = (each: typeof reply) => Number(each.headers.get('x-account-rate-limit-remaining'));
    assert.equal(remaining(after), remaining(reply) - 1);
  });
});
