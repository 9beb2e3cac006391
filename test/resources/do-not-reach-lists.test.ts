import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { openOwner, refusal } from './audience-calls.ts';
import { persons, update } from './people-calls.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 2 } });
});
after(() => world.close());

describe('a do-not-reach list', () => {
  test('exists at most once for each account, and can be created again after deletion', async () => {
    const owner = await openOwner(world);
    assert.deepEqual((await owner.call('GET', '/do_not_reach_lists')).body.data, []);
    const made = (await owner.call('POST', '/do_not_reach_lists', { description: 'Asked to be left alone' })).body.data;
    assert.deepEqual(made, {
      id: made.id,
      name: 'Do Not Reach List',
      description: 'Asked to be left alone',
      targetable: false,
      reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
      list_size: null,
      created_at: made.created_at,
      updated_at: made.created_at,
      deleted: false,
    });
    assert.equal(refusal(await owner.call('POST', '/do_not_reach_lists')), '400 INVALID_PARAMETER');
    assert.equal((await (await openOwner(world)).call('POST', '/do_not_reach_lists')).status, 200, 'another account');
    const deleted = await owner.call('DELETE', `/do_not_reach_lists/${made.id}`);
    assert.equal(deleted.body.data.deleted, true);
    const second = (await owner.call('POST', '/do_not_reach_lists')).body.data;
    assert.equal(second.description, null);
    const shown = async (params: Record<string, string>) =>
      (await owner.call('GET', '/do_not_reach_lists', params)).body.data.map((row: { id: string }) => row.id);
    assert.deepEqual(await shown({}), [second.id]);
    assert.deepEqual((await shown({ with_deleted: 'true' })).sort(), [made.id, second.id].sort());
  });

  test('is created once by two concurrent calls', async () => {
    const owner = await openOwner(world);
    const replies = await Promise.all([1, 2, 3].map(() => owner.call('POST', '/do_not_reach_lists')));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400]);
  });

  test('is counted once enough people are on it', async () => {
    const owner = await openOwner(world);
    const { id } = (await owner.call('POST', '/do_not_reach_lists')).body.data;
    const path = `/12/batch/accounts/${owner.account}/do_not_reach_lists/${id}/users`;
    const standing = async () => {
      await world.service.jobs.runDue();
      const [{ targetable, reasons_not_targetable, list_size }] = (await owner.call('GET', '/do_not_reach_lists')).body
        .data;
      return [targetable, reasons_not_targetable, list_size];
    };
    for (const [people, expected] of [
      [1, [false, ['TOO_SMALL'], null]],
      [2, [true, [], 2]],
    ] as const) {
      const reply = await world.sandbox.call('POST', path, { json: [update(persons(0, people))] });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(await standing(), expected);
    }
  });
});
