// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accounts } from '../../src/features/ads/accounts.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

type Change = { change_type: string; change_time: string; changes: Record<string, unknown>; entity_data: object };

async function openHistory() {
  const place = await openAccount(world.sandbox);
  const made = await world.sandbox.call('POST', `${place.path}/campaigns`, {
    params: { name: 'Spring launch', funding_instrument_id: place.instrument, entity_status: 'PAUSED' },
  });
  const id = made.body.data.id as string;
  const list = (params: Record<string, string | number> = {}) =>
    world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'CAMPAIGN', entity_id: id, ...params },
    });
  const put = (params: Record<string, string | number>) =>
    world.sandbox.call('PUT', `${place.path}/campaigns/${id}`, { params });
  return { ...place, id, list, put, created: made.body.data };
}

describe('account_history', () => {
  test('lists every change of an entity, newest first, with old and new values', async () => {
    const { id, list, put, path, account } = await openHistory();
    const times = [new Date(world.clock.now()).toISOString().replace('.000', '')];
    const tick = () => {
      world.clock.advance(10);
      times.push(new Date(world.clock.now()).toISOString().replace('.000', ''));
    };
    tick();
    await put({ entity_status: 'ACTIVE', daily_budget_amount_local_micro: 2_000_000 });
    tick();
    await put({ name: 'Spring launch' });
    tick();
    const { data: deleted } = (await world.sandbox.call('DELETE', `${path}/campaigns/${id}`)).body;

    const reply = await list();
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.request, { params: { account_id: account, entity_type: 'CAMPAIGN', entity_id: id } });
    assert.equal(reply.body.next_cursor, null);
    const changes: (Change & { change_by: object; entity: string; entity_id: string })[] = reply.body.data;
    assert.deepEqual(
      changes.map((change) => [change.change_type, change.change_time]),
      [
        ['DELETE', times[3]],
        ['UPDATE', times[2]],
        ['UPDATE', times[1]],
        ['CREATE', times[0]],
      ],
    );
    assert.deepEqual(
      changes.map((change) => change.changes),
      [
        {},
        {},
        {
          daily_budget_amount_local_micro: { old: null, new: 2_000_000 },
          entity_status: { old: 'PAUSED', new: 'ACTIVE' },
        },
        {},
      ],
    );
    for (const change of changes) {
      assert.deepEqual(change.change_by, { user_id: world.keys.user_id, platform: 'API_OTHER' });
      assert.deepEqual([change.entity, change.entity_id], ['CAMPAIGN', id]);
      assert.ok(!('id' in change.entity_data) && !('account_id' in change.entity_data));
    }
    const { id: _, currency, effective_status, servable, reasons_not_servable, ...snapshot } = deleted;
    assert.deepEqual(changes[0]!.entity_data, snapshot);
  });

  test('records one change per batch item, and none for a failed batch', async () => {
    const { id, account, list } = await openHistory();
    const batch = (json: unknown) => world.sandbox.call('POST', `/12/batch/accounts/${account}/campaigns`, { json });
    const rename = (name: string) => ({ operation_type: 'Update', params: { campaign_id: id, name } });
    assert.equal((await batch([rename('A'), rename('B'), rename('C')])).status, 200);
    assert.equal((await batch([rename('D'), rename('')])).status, 400);
    const { data } = (await list()).body;
    assert.deepEqual(
      data.map((change: Change) => change.changes.name ?? null),
      [{ old: 'B', new: 'C' }, { old: 'A', new: 'B' }, { old: 'Spring launch', new: 'A' }, null],
    );
  });

  test('pages, and rejects cursors of other lists', async () => {
    const { list, put } = await openHistory();
    for (let index = 0; index < 6; index++) {
      if (index % 2 === 0) world.clock.advance(10);
      await put({ name: `Name ${index}` });
    }
    const whole = (await list()).body.data;
    assert.equal(whole.length, 7);
    for (const count of [1, 2, 3, 7]) {
      const found: Change[] = [];
      let cursor: string | null = null;
      do {
        const page: { data: Change[]; next_cursor: string | null } = (
          await list({ count, ...(cursor === null ? {} : { cursor }) })
        ).body;
        found.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null && found.length < 20);
      assert.deepEqual(found, whole, `pages of ${count}`);
    }
    const { next_cursor: cursor } = (await list({ count: 1 })).body;
    const foreign: Record<string, string>[] = [
      { cursor, user_id: '900000001' },
      { cursor: `${cursor}x` },
      { cursor, start_time: '2026-01-01' },
    ];
    for (const params of foreign) {
      const reply = await list(params);
      assert.deepEqual([reply.status, reply.body.errors[0].parameter], [400, 'cursor']);
    }
  });

  test('filters by user', async () => {
    const { list, account, path, id } = await openHistory();
    const user_id = world.keys.other_user_id!;
    await world.service.store.write(async (tx) => {
      await tx.accountMembers.add({ account_id: account, user_id, role: 'AD_MANAGER', post_composer: 0 });
      tx.invalidate(`account:${account}`);
    });
    await world.other.call('PUT', `${path}/campaigns/${id}`, { params: { name: 'Theirs' } });
    const of = async (user: string) =>
      (await list({ user_id: user })).body.data.map((change: Change) => change.change_type);
    assert.deepEqual(await of(user_id), ['UPDATE']);
    assert.deepEqual(await of(world.keys.user_id!), ['CREATE']);
    assert.deepEqual(await of('123'), []);
  });

  test('filters by hours, or by dates in the time zone of the account', async () => {
    const { list, account } = await openHistory();
    const hour = (ms: number) => new Date(Math.floor(ms / 3_600_000) * 3_600_000).toISOString().replace('.000', '');
    const now = world.clock.now();
    const found = async (params: Record<string, string>) => {
      const reply = await list(params);
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.length;
    };
    assert.equal(await found({ start_time: hour(now) }), 1);
    assert.equal(await found({ start_time: hour(now + 3_600_000) }), 0);
    assert.equal(await found({ end_time: hour(now + 3_600_000) }), 1);
    assert.equal(await found({ end_time: hour(now) }), 0);
    // 17:04 in UTC is still the morning of the same day in the time zone of the account, and the next day further east.
    const day = hour(now).slice(0, 10);
    assert.equal(await found({ start_time: day }), 1);
    await world.service.store.write(async (tx) => {
      await tx.records.update(accounts, { account: undefined, id: account }, { timezone: 'Pacific/Kiritimati' });
      tx.invalidate(`account:${account}`);
    });
    assert.equal(await found({ end_time: day }), 0);
    const next = hour(now + 86_400_000).slice(0, 10);
    assert.equal(await found({ start_time: next }), 1, 'it is tomorrow there already');
    assert.equal(await found({ end_time: next }), 0);
  });

  test('returns 200 changes per page by default', async () => {
    const { id, account, list } = await openHistory();
    const rename = (name: number) => ({ operation_type: 'Update', params: { campaign_id: id, name: String(name) } });
    for (let batch = 0; batch < 5; batch++) {
      const json = Array.from({ length: 40 }, (_, index) => rename(index));
      await world.sandbox.call('POST', `/12/batch/accounts/${account}/campaigns`, { json });
    }
    const first = (await list()).body;
    const rest = (await list({ cursor: first.next_cursor })).body;
    assert.deepEqual([first.data.length, rest.data.length, rest.next_cursor], [200, 1, null]);
    assert.equal((await list({ count: 1000 })).body.data.length, 201);
  });

  const refused: [string, Record<string, string>, string[]][] = [
    ['a page of nothing', { count: '0' }, ['count Expected int between 1 and 1000, got "0" for count']],
    ['a page of 1001', { count: '1001' }, ['count Expected int between 1 and 1000, got "1001" for count']],
    ['what is no id', { entity_id: 'a_b' }, ['entity_id Expected an id, got "a_b" for entity_id']],
    ['minutes', { start_time: '2026-03-02T17:30:00Z' }, ['start_time Time cannot be fractional hours']],
    ['half an hour of offset', { end_time: '2026-03-02T17:00:00+05:30' }, ['end_time Time cannot be fractional hours']],
    [
      'an end before its start',
      { start_time: '2026-03-02T17:00:00Z', end_time: '2026-03-02T17:00:00Z' },
      ['end_time Expected end_time to be after start_time'],
    ],
    ['no time at all', { start_time: 'noon' }, ['start_time Expected time, got "noon" for start_time']],
    [
      'another kind of entity',
      { entity_type: 'ACCOUNT' },
      [
        'entity_type Expected a value in CAMPAIGN, LINE_ITEM, PROMOTED_ACCOUNT, PROMOTED_POST, TARGETING_CRITERIA, got "ACCOUNT" for entity_type',
      ],
    ],
  ];
  for (const [what, params, expected] of refused) {
    test(`${what} is refused`, async () => {
      const { list } = await openHistory();
      const reply = await list(params);
      assert.equal(reply.status, 400);
      assert.deepEqual(
        reply.body.errors.map((error: { parameter: string; message: string }) => `${error.parameter} ${error.message}`),
        expected,
      );
    });
  }

  test('requires an entity', async () => {
    const { path } = await openHistory();
    const reply = await world.sandbox.call('GET', `${path}/account_history`);
    assert.deepEqual(
      reply.body.errors.map((error: { code: string; parameter: string }) => `${error.code} ${error.parameter}`),
      ['MISSING_PARAMETER entity_type', 'MISSING_PARAMETER entity_id'],
    );
  });

  test('finds no changes of entities of other accounts', async () => {
    const [mine, theirs] = [await openHistory(), await openHistory()];
    assert.deepEqual((await mine.list({ entity_id: theirs.id })).body.data, []);
    assert.deepEqual((await mine.list({ entity_type: 'LINE_ITEM' })).body.data, []);
  });
});
