import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { largeAudience, type Owner, openOwner, refusal } from './audience-calls.ts';

let world: World;
let owner: Owner;
let grantee: Owner;
before(async () => {
  world = await openWorld({
    flags: { rate_limits: 'off', audience_size_min: 1, audience_processing_delay_production_s: 30 },
  });
  owner = await openOwner(world);
  grantee = await openOwner(world);
});
after(() => world.close());

describe('a custom audience', () => {
  test('begins empty, and is returned in full under both names', async () => {
    const made = await owner.call('POST', '/custom_audiences', { name: 'Newsletter readers', description: 'Weekly' });
    const { id, created_at } = made.body.data;
    assert.match(id, /^[0-9a-z]{5}$/);
    const known = {
      id,
      name: 'Newsletter readers',
      audience_type: 'CRM',
      targetable: false,
      targetable_types: ['CRM', 'EXCLUDED_CRM'],
      reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
      permission_level: 'READ_WRITE',
      is_owner: true,
      partner_source: 'OTHER',
      audience_size: null,
      created_at,
      updated_at: created_at,
      deleted: false,
    };
    assert.deepEqual(made.body.data, { ...known, description: 'Weekly', owner_account_id: owner.account });
    await world.service.jobs.runDue();
    const tailored = await world.sandbox.call('GET', `/5/accounts/${owner.account}/tailored_audiences/${id}`);
    assert.deepEqual(tailored.body.data, { ...known, reasons_not_targetable: ['TOO_SMALL'] });
    const unknown = await world.sandbox.call('GET', `/5/accounts/${owner.account}/tailored_audiences/zz9`);
    assert.equal(refusal(unknown), '404 TAILORED_AUDIENCE_NOT_FOUND tailored_audience_id');
  });

  const taken: [what: string, name: string, expected: string][] = [
    ['the same', 'Taken', '400 INVALID_PARAMETER name'],
    ['the same with blanks around it', '  Taken ', '400 INVALID_PARAMETER name'],
    ['in another letter case', 'taken', '200'],
    ['another', 'Takens', '200'],
  ];
  for (const [what, name, expected] of taken) {
    test(`treats a name that is ${what} as taken: ${expected}`, async () => {
      const own = await openOwner(world);
      const first = await own.audience('Taken');
      assert.equal(refusal(await own.call('POST', '/custom_audiences', { name })), expected);
      const other = await own.audience('Other');
      assert.equal(
        refusal(await own.call('PUT', `/custom_audiences/${other}`, { name: `${name} ` })),
        expected === '200' ? '400 INVALID_PARAMETER name' : expected,
      );
      assert.equal(refusal(await own.call('PUT', `/custom_audiences/${first}`, { name: 'Taken' })), '200', 'its own');
      await own.call('DELETE', `/custom_audiences/${first}`);
      assert.equal(refusal(await own.call('POST', '/custom_audiences', { name: 'Taken' })), '200', 'a freed one');
    });
  }

  test('of one account does not block a name on another', async () => {
    await owner.audience('Everywhere');
    await grantee.audience('Everywhere');
  });

  test('that is deleted cannot be targeted, and has no size', async () => {
    const id = await largeAudience(world, owner.path);
    const deleted = await owner.call('DELETE', `/custom_audiences/${id}`);
    const { targetable, reasons_not_targetable, audience_size } = deleted.body.data;
    assert.deepEqual([targetable, reasons_not_targetable, audience_size], [false, ['TOO_SMALL'], null]);
    await world.service.jobs.runDue();
    const read = await owner.call('GET', `/custom_audiences/${id}`, { with_deleted: 'true' });
    assert.deepEqual(read.body.data, deleted.body.data);
  });
});

describe('an audience that was granted', () => {
  const shared = async (name: string, level: string): Promise<string> => {
    const id = await owner.audience(name);
    assert.equal((await owner.grant(id, grantee, level)).status, 200);
    return id;
  };
  const listOf = async (who: Owner, params: Record<string, string>): Promise<string[]> =>
    (await who.call('GET', '/custom_audiences', params)).body.data.map((row: { id: string }) => row.id);

  test('is listed by the grantee on request, and never beside its own', async () => {
    const id = await shared('Listed', 'READ_ONLY');
    const own = await grantee.audience('Own');
    const scopes: [Owner, Record<string, string>, string[], string[]][] = [
      [grantee, {}, [own], [id]],
      [grantee, { permission_scope: 'OWNER' }, [own], [id]],
      [grantee, { permission_scope: 'SHARED' }, [id], [own]],
      [owner, {}, [id], [own]],
      [owner, { permission_scope: 'SHARED' }, [], [id, own]],
    ];
    for (const [who, params, within, without] of scopes) {
      const found = await listOf(who, params);
      for (const each of within) assert.ok(found.includes(each), JSON.stringify(params));
      for (const each of without) assert.ok(!found.includes(each), JSON.stringify(params));
    }
    const named = await grantee.call('GET', '/custom_audiences', {
      permission_scope: 'SHARED',
      custom_audience_ids: `${id},${own}`,
      q: 'list',
      with_total_count: 'true',
    });
    assert.deepEqual([named.body.data[0].id, named.body.total_count], [id, 1]);
    const former = await world.sandbox.call('GET', `/5/accounts/${grantee.account}/tailored_audiences`, {
      params: { permission_scope: 'SHARED', tailored_audience_ids: id },
    });
    assert.deepEqual(
      former.body.data.map((row: { id: string; is_owner: boolean }) => [row.id, row.is_owner]),
      [[id, false]],
    );
    const bad = await grantee.call('GET', '/custom_audiences', { permission_scope: 'ALL' });
    assert.equal(refusal(bad), '400 INVALID_PARAMETER permission_scope');
  });

  test('pages through granted ones in the requested order', async () => {
    const reader = await openOwner(world);
    const ids: string[] = [];
    for (const name of ['P1', 'P2', 'P3']) {
      const id = await owner.audience(name);
      await owner.grant(id, reader);
      ids.push(id);
    }
    const params = { permission_scope: 'SHARED', sort_by: 'name-desc', count: '2' };
    const first = await reader.call('GET', '/custom_audiences', params);
    const second = await reader.call('GET', '/custom_audiences', { ...params, cursor: first.body.next_cursor });
    const found = [...first.body.data, ...second.body.data].map((row: { id: string }) => row.id);
    assert.deepEqual([found, second.body.next_cursor], [ids.reverse(), null]);
  });

  for (const [level, status] of [
    ['READ_ONLY', '403 ACTION_NOT_ALLOWED'],
    ['READ_WRITE', '200'],
  ] as const) {
    test(`${level} lets the grantee read, and change: ${status}; only the owner can delete or grant`, async () => {
      const id = await shared(`Of ${level}`, level);
      const read = await grantee.call('GET', `/custom_audiences/${id}`);
      assert.deepEqual(
        [read.body.data.permission_level, read.body.data.is_owner, read.body.data.owner_account_id],
        [level, false, owner.account],
      );
      const changed = await grantee.call('PUT', `/custom_audiences/${id}`, { description: 'theirs' });
      assert.equal(refusal(changed), status);
      const json = [{ operation_type: 'Update', params: { custom_audience_id: id, description: 'by batch' } }];
      const batch = await grantee.batch(json);
      if (status === '200') assert.equal(batch.body.data[0].description, 'by batch');
      else assert.deepEqual(batch.body.operation_errors[0][0].code, 'ACTION_NOT_ALLOWED');
      const kept = (await owner.call('GET', `/custom_audiences/${id}`)).body.data.description;
      assert.equal(kept, status === '200' ? 'by batch' : null);
      assert.equal(refusal(await grantee.call('DELETE', `/custom_audiences/${id}`)), '403 ACTION_NOT_ALLOWED');
      assert.equal(refusal(await grantee.grant(id, owner)), '403 ACTION_NOT_ALLOWED');
      assert.equal(refusal(await grantee.call('GET', `/custom_audiences/${id}/permissions`)), '403 ACTION_NOT_ALLOWED');
    });
  }

  test('has a unique name among those of its owner, whoever changes it', async () => {
    const id = await shared('Theirs to name', 'READ_WRITE');
    await owner.audience('Of the owner');
    await grantee.audience('Of the grantee');
    const put = (name: string) => grantee.call('PUT', `/custom_audiences/${id}`, { name });
    assert.equal(refusal(await put('Of the owner')), '400 INVALID_PARAMETER name');
    assert.equal(refusal(await put('Of the grantee')), '200');
  });

  test('is not found by the grantee once it is deleted', async () => {
    const id = await shared('Gone', 'READ_WRITE');
    assert.equal((await owner.call('DELETE', `/custom_audiences/${id}`)).status, 200);
    const gone = '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id';
    assert.equal(refusal(await grantee.call('GET', `/custom_audiences/${id}`, { with_deleted: 'true' })), gone);
    assert.equal(refusal(await grantee.call('PUT', `/custom_audiences/${id}`, { name: 'x' })), gone);
    assert.ok(!(await listOf(grantee, { permission_scope: 'SHARED', with_deleted: 'true' })).includes(id));
    assert.ok((await listOf(owner, { with_deleted: 'true' })).includes(id));
  });
});
