import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Driver } from '../../src/storage/core/driver.ts';
import { openWorldOver, type World } from '../rig/world.ts';
import { type Owner, openOwner, refusal } from './audience-calls.ts';

let world: World;
let owner: Owner;
let grantee: Owner;
let audience: string;
/** Comes between a call that was let in and what it stores. */
let beforeWrite: (() => Promise<unknown>) | undefined;
before(async () => {
  const around = (driver: Driver): Driver => ({
    ...driver,
    async write(work) {
      const first = beforeWrite;
      beforeWrite = undefined;
      await first?.();
      return driver.write(work);
    },
  });
  world = await openWorldOver(around, { flags: { rate_limits: 'off' } });
  // What jobs store must not be taken for what a call stores.
  await world.service.jobs.stop();
  owner = await openOwner(world);
  grantee = await openOwner(world);
  audience = await owner.audience('Shared');
});
after(() => world.close());

const former = (path: string, method = 'GET', params: Record<string, string> = {}) =>
  world.sandbox.call(method, `/5/accounts/${owner.account}/tailored_audiences/${path}`, { params });

describe('a permission', () => {
  test('is granted, changed and revoked, and visible under both names', async () => {
    const id = await owner.audience('Both names');
    const made = await owner.grant(id, grantee);
    const { data } = made.body;
    assert.deepEqual(data, {
      id: data.id,
      custom_audience_id: id,
      granted_account_id: grantee.account,
      permission_level: 'READ_ONLY',
      created_at: data.created_at,
      updated_at: data.created_at,
      deleted: false,
    });
    assert.deepEqual(made.body.request.params, {
      account_id: owner.account,
      custom_audience_id: id,
      granted_account_id: grantee.account,
      permission_level: 'READ_ONLY',
    });
    world.clock.advance(60);
    const params = { granted_account_id: grantee.account, permission_level: 'READ_WRITE' };
    const changed = (await former(`${id}/permissions`, 'POST', params)).body.data;
    const { custom_audience_id: _, ...same } = data;
    const { updated_at } = changed;
    assert.deepEqual(changed, { ...same, tailored_audience_id: id, permission_level: 'READ_WRITE', updated_at });
    assert.ok(updated_at > data.updated_at);
    const listed = await owner.call('GET', `/custom_audiences/${id}/permissions`);
    assert.deepEqual(listed.body.data, [{ ...data, permission_level: 'READ_WRITE', updated_at }]);

    const deleted = await former(`${id}/permissions/${data.id}`, 'DELETE');
    assert.deepEqual([deleted.body.data.deleted, deleted.body.data.tailored_audience_id], [true, id]);
    assert.deepEqual((await former(`${id}/permissions`)).body.data, []);
    const again = await owner.call('DELETE', `/custom_audiences/${id}/permissions/${data.id}`);
    assert.equal(refusal(again), '404 NOT_FOUND custom_audience_permission_id');
    const anew = (await owner.grant(id, grantee)).body.data;
    assert.notEqual(anew.id, data.id);
  });

  test('is refused when its account was deleted after the call was authorized', async () => {
    const gone = await openOwner(world);
    const id = await gone.audience('Too late');
    beforeWrite = () => world.sandbox.call('DELETE', `/12/accounts/${gone.account}`);
    assert.equal(refusal(await gone.grant(id, grantee)), '403 ACCOUNT_NOT_FOUND account_id');
  });

  test('belongs to its audience: below another it is not found', async () => {
    const { id } = (await owner.grant(audience, grantee)).body.data;
    const other = await owner.audience('Another');
    const asked = await owner.call('DELETE', `/custom_audiences/${other}/permissions/${id}`);
    assert.equal(refusal(asked), '404 NOT_FOUND custom_audience_permission_id');
    assert.deepEqual((await owner.call('GET', `/custom_audiences/${other}/permissions`)).body.data, []);
  });

  const refused: [what: string, ask: () => ReturnType<Owner['call']>, expected: string][] = [
    [
      'the list of an audience that there is not',
      () => owner.call('GET', '/custom_audiences/zz9/permissions'),
      '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id',
    ],
    [
      'an audience that there is not',
      () => owner.grant('zz9', grantee),
      '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id',
    ],
    [
      'an audience that there is not, by its former name',
      () => former('zz9/permissions'),
      '404 TAILORED_AUDIENCE_NOT_FOUND tailored_audience_id',
    ],
    [
      'an audience of somebody else',
      async () => grantee.grant(await owner.audience('Not theirs'), owner),
      '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id',
    ],
    ['the owner itself', () => owner.grant(audience, owner), '400 INVALID_PARAMETER granted_account_id'],
    [
      'an account that there is not',
      () => owner.grant(audience, { ...grantee, account: 'zz9zz9' }),
      '403 ACCOUNT_NOT_FOUND granted_account_id',
    ],
    [
      'an account of the other environment',
      async () => {
        const [real] = (await world.production.call('GET', '/12/accounts')).body.data;
        return owner.grant(audience, { ...grantee, account: real.id });
      },
      '403 ACCOUNT_NOT_FOUND granted_account_id',
    ],
    [
      'an account that was deleted',
      async () => {
        const gone = await openOwner(world);
        await world.sandbox.call('DELETE', gone.path);
        return owner.grant(audience, gone);
      },
      '403 ACCOUNT_NOT_FOUND granted_account_id',
    ],
    ['another level', () => owner.grant(audience, grantee, 'READ'), '400 INVALID_PARAMETER permission_level'],
    [
      'no level and no account',
      () => owner.call('POST', `/custom_audiences/${audience}/permissions`),
      '400 MISSING_PARAMETER granted_account_id MISSING_PARAMETER permission_level',
    ],
  ];
  const shared = async (): Promise<string> => {
    await owner.grant(audience, grantee);
    return audience;
  };
  const elsewhere = (path: string, method: string, params: Record<string, string> = {}) =>
    world.sandbox.call(method, `/5/accounts/${grantee.account}/tailored_audiences/${path}`, { params });
  const permission = { granted_account_id: '', permission_level: 'READ_ONLY' };
  refused.push(
    [
      'an audience that there is not, when it is taken back',
      () => owner.call('DELETE', '/custom_audiences/zz9/permissions/zz9'),
      '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id',
    ],
    [
      'the same by its former name',
      () => former('zz9/permissions/zz9', 'DELETE'),
      '404 TAILORED_AUDIENCE_NOT_FOUND tailored_audience_id',
    ],
    [
      'an audience that there is not, when it is granted by its former name',
      () => former('zz9/permissions', 'POST', { ...permission, granted_account_id: grantee.account }),
      '404 TAILORED_AUDIENCE_NOT_FOUND tailored_audience_id',
    ],
    [
      'a grantee who takes it back',
      async () => grantee.call('DELETE', `/custom_audiences/${await shared()}/permissions/zz9`),
      '403 ACTION_NOT_ALLOWED',
    ],
    [
      'a grantee who takes it back by its former name',
      async () => elsewhere(`${await shared()}/permissions/zz9`, 'DELETE'),
      '403 ACTION_NOT_ALLOWED',
    ],
    [
      'a grantee who looks by its former name',
      async () => elsewhere(`${await shared()}/permissions`, 'GET'),
      '403 ACTION_NOT_ALLOWED',
    ],
    [
      'a grantee who grants by its former name',
      async () =>
        elsewhere(`${await shared()}/permissions`, 'POST', { ...permission, granted_account_id: owner.account }),
      '403 ACTION_NOT_ALLOWED',
    ],
    [
      'the owner itself, by its former name',
      () => former(`${audience}/permissions`, 'POST', { ...permission, granted_account_id: owner.account }),
      '400 INVALID_PARAMETER granted_account_id',
    ],
    [
      'another business, by its former name',
      async () => {
        const alone = await openOwner(world);
        await world.service.store.write((tx) =>
          tx.accountMembers.removeFeatures(alone.account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']),
        );
        const path = `/5/accounts/${alone.account}/tailored_audiences/${await alone.audience('Kept')}/permissions`;
        return world.sandbox.call('POST', path, { params: { ...permission, granted_account_id: owner.account } });
      },
      '400 FEATURE_NOT_AVAILABLE granted_account_id',
    ],
  );
  for (const [what, ask, expected] of refused) {
    test(`is refused for ${what}`, async () => assert.equal(refusal(await ask()), expected));
  }

  const businesses: [owner: string | null, grantee: string | null, feature: boolean, expected: string][] = [
    ['acme', 'acme', false, '200'],
    ['acme', 'other', false, '400 FEATURE_NOT_AVAILABLE granted_account_id'],
    ['acme', null, false, '400 FEATURE_NOT_AVAILABLE granted_account_id'],
    [null, null, false, '400 FEATURE_NOT_AVAILABLE granted_account_id'],
    [null, null, true, '200'],
    ['acme', 'other', true, '200'],
  ];
  for (const [mine, theirs, hasFeature, expected] of businesses) {
    test(`of business ${mine} to business ${theirs}, ${hasFeature ? 'with' : 'without'} the feature: ${expected}`, async () => {
      const [from, to] = [await openOwner(world), await openOwner(world)];
      const { accounts } = Object.fromEntries(world.service.services.resources) as Record<string, never>;
      await world.service.store.write(async (tx) => {
        for (const [who, business_id] of [
          [from, mine],
          [to, theirs],
        ] as const) {
          await tx.records.update(accounts!, { account: undefined, id: who.account }, { business_id });
        }
        if (!hasFeature) await tx.accountMembers.removeFeatures(from.account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']);
      });
      assert.equal(refusal(await from.grant(await from.audience('Of a business'), to)), expected);
    });
  }

  test('lists by the accounts that are named', async () => {
    const id = await owner.audience('Many');
    const others = [await openOwner(world), await openOwner(world), await openOwner(world)];
    for (const each of others) await owner.grant(id, each);
    const params = {
      granted_account_ids: others
        .slice(1)
        .map(({ account }) => account)
        .join(','),
      with_total_count: 'true',
    };
    const { data, total_count } = (await owner.call('GET', `/custom_audiences/${id}/permissions`, params)).body;
    assert.deepEqual(
      [data.map((row: { granted_account_id: string }) => row.granted_account_id).sort(), total_count],
      [
        others
          .slice(1)
          .map(({ account }) => account)
          .sort(),
        2,
      ],
    );
  });
});
