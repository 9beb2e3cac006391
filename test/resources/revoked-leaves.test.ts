import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { largeAudience, type Owner, openOwner, refusal } from './audience-calls.ts';
import { errors } from './post-calls.ts';

let world: World;
let owner: Owner;
let grantee: Owner;
let other: Owner;
/** Shared by the owner with the grantee. */
let leaf: string;
let permission: string;
/** Built by the grantee, and shared with the other. */
let built: string;
let line: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 1 } });
  [owner, grantee, other] = [await openOwner(world), await openOwner(world), await openOwner(world)];
  leaf = await largeAudience(world, owner.path);
  permission = (await owner.grant(leaf, grantee)).body.data.id;
  const segments = { boolean_operator: 'OR', child_segments: [{ custom_audience_id: leaf, negate: false }] };
  const params = { name: 'Built', audience_type: 'FLEXIBLE', segments };
  built = (await grantee.batch([{ operation_type: 'Create', params }])).body.data[0].id;
  await world.service.jobs.runDue();
  await grantee.grant(built, other);
  line = await lineOf(grantee);
});
after(() => world.close());

async function lineOf(account: Owner): Promise<string> {
  const [instrument] = (await account.call('GET', '/funding_instruments')).body.data;
  const campaign = await account.call('POST', '/campaigns', { name: 'Autumn', funding_instrument_id: instrument.id });
  const made = await account.call('POST', '/line_items', {
    ...{ campaign_id: campaign.body.data.id, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: 'ALL_ON_SERVICE', start_time: '2026-03-01', end_time: '2026-04-01' },
  });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

const target = (account: Owner, line_item_id: string, targeting_value: string, operator_type = 'EQ') => {
  const criterion = { line_item_id, targeting_type: 'CUSTOM_AUDIENCE', targeting_value, operator_type };
  return account.call('POST', '/targeting_criteria', criterion);
};

async function standing(account: Owner): Promise<unknown[]> {
  const { targetable, reasons_not_targetable, audience_size } = (
    await account.call('GET', `/custom_audiences/${built}`)
  ).body.data;
  return [targetable, reasons_not_targetable, audience_size];
}

describe('an audience that is built from a shared one', () => {
  test('can be targeted while the share lasts', async () => {
    assert.equal((await target(grantee, line, built)).status, 200);
    assert.deepEqual(await standing(grantee), [true, [], 1]);
    assert.deepEqual(await standing(other), [true, [], 1]);
  });

  test('cannot be targeted any more once it is revoked, by nobody, and what targets it stays', async () => {
    await owner.call('DELETE', `/custom_audiences/${leaf}/permissions/${permission}`);
    for (const account of [grantee, other]) {
      assert.deepEqual(await standing(account), [false, ['PERMISSION_REVOKED'], null]);
      for (const operator of ['EQ', 'NE']) {
        const refused = await target(account, await lineOf(account), built, operator);
        assert.deepEqual([refused.status, ...errors(refused)], [400, 'INVALID']);
        assert.equal(refused.body.errors[0].message, `Custom audience ${built} is not targetable`);
      }
    }
    const estimate = await world.sandbox.call('POST', `${grantee.path}/audience_estimate`, {
      json: { targeting_criteria: [{ targeting_type: 'CUSTOM_AUDIENCE', targeting_value: built }] },
    });
    assert.equal(refusal(estimate), '400 INVALID targeting_criteria[0].targeting_value');
    const kept = await grantee.call('GET', '/targeting_criteria', { line_item_ids: line });
    assert.deepEqual([kept.body.data[0].targeting_value, kept.body.data[0].deleted], [built, false]);
  });

  test('can be targeted again when it is granted again, or when the shared one is gone', async () => {
    permission = (await owner.grant(leaf, grantee)).body.data.id;
    assert.deepEqual(await standing(grantee), [true, [], 1]);
    await owner.call('DELETE', `/custom_audiences/${leaf}/permissions/${permission}`);
    assert.deepEqual((await standing(grantee))[1], ['PERMISSION_REVOKED']);
    await owner.call('DELETE', `/custom_audiences/${leaf}`);
    await world.service.jobs.runDue();
    assert.deepEqual(await standing(grantee), [false, ['TOO_SMALL'], null], 'it is empty, as the deleted one');
  });
});
