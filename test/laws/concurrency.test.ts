import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { protocol, type Reply, read } from '../rig/client.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const ACTIVE_MAX = 20;

let world: World;
let home: { account: string; path: string; instrument: string };
let all: string;
let batch: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', active_campaigns_max: ACTIVE_MAX } });
});
after(() => world.close());

describe('the limit of active campaigns holds', () => {
  before(fresh);

  test('under 60 creates at once', async () => {
    const { entity_status: _, ...active } = campaign('ACTIVE');
    // Without a status, a campaign is active too.
    const replies = await atOnce(60, (number) => post(all, number % 2 === 0 ? campaign('ACTIVE') : active));
    assert.equal(good(replies).length, ACTIVE_MAX);
    for (const reply of bad(replies)) assertFull(reply);
    assert.equal(await countActive(), ACTIVE_MAX);
  });
});

describe('the limit of active campaigns, when paused ones are switched on,', () => {
  before(fresh);

  test('holds under 50 updates at once', async () => {
    const ids = await paused(50);
    const replies = await Promise.all(ids.map((id) => put(`${all}/${id}`, { entity_status: 'ACTIVE' })));
    assert.equal(good(replies).length, ACTIVE_MAX);
    for (const reply of bad(replies)) assertFull(reply);
    assert.equal(await countActive(), ACTIVE_MAX);
  });
});

describe('the limit of active campaigns, when singles and batches compete,', () => {
  before(fresh);

  test('holds, and each batch is stored whole or not at all', async () => {
    const [singles, batches] = await Promise.all([
      atOnce(25, () => post(all, campaign('ACTIVE', 'single'))),
      atOnce(25, (number) => postBatch(Array.from({ length: 3 }, () => create('ACTIVE', `batch ${number}`)))),
    ]);
    const stored = good(singles).length + 3 * good(batches).length;
    assert.equal(await countActive(), stored);
    assert.ok(stored <= ACTIVE_MAX && stored > ACTIVE_MAX - 3, `${stored} are active`);
    assert.ok(bad(batches).length > 0);
    const counted = new Map<string, number>();
    for (const { name } of await everyCampaign()) counted.set(name, (counted.get(name) ?? 0) + 1);
    counted.delete('single');
    assert.deepEqual([...counted.values()], Array(good(batches).length).fill(3));
  });
});

describe('the limit of active campaigns counts the net effect of a batch', () => {
  before(fresh);

  test(`when every batch swaps one campaign for another, all of ${ACTIVE_MAX} batches at once succeed`, async () => {
    const running = good(await atOnce(ACTIVE_MAX, () => post(all, campaign('ACTIVE'))));
    const ids = running.map((reply) => reply.body.data.id);
    const idle = await paused(ACTIVE_MAX);
    const swap = (number: number): Item[] => [
      update(idle[number]!, { entity_status: 'ACTIVE' }),
      update(ids[number]!, { entity_status: 'PAUSED' }),
    ];
    const replies = await atOnce(ACTIVE_MAX, (number) => postBatch(swap(number)));
    assert.equal(good(replies).length, ACTIVE_MAX, bad(replies)[0]?.text);
    assert.equal(await countActive(), ACTIVE_MAX);
  });
});

describe('writes of one campaign at once', () => {
  before(fresh);

  test('of 20 deletes exactly one succeeds', async () => {
    const [id] = await paused(1);
    const replies = await atOnce(20, () => world.sandbox.call('DELETE', `${all}/${id}`));
    assert.equal(good(replies).length, 1);
    for (const reply of bad(replies)) {
      assert.equal(reply.status, 404);
      assert.equal(reply.body.errors[0].code, 'CAMPAIGN_NOT_FOUND');
    }
  });

  test('a delete and updates: no update succeeds on a deleted campaign, and the history has one order', async () => {
    const [id] = await paused(1);
    const replies = await atOnce(24, (number) =>
      number === 12 ? world.sandbox.call('DELETE', `${all}/${id}`) : put(`${all}/${id}`, { name: `n${number}` }),
    );
    assert.equal(replies[12]!.status, 200);
    const changes = await history(id!);
    assert.equal(changes.filter((change) => change.change_type === 'UPDATE').length, good(replies).length - 1);
    const last = (await world.sandbox.call('GET', `${all}/${id}?with_deleted=true`)).body.data;
    assert.equal(last.deleted, true);
    // Each update starts from the name that another one left: the changes make one chain.
    const names = changes.filter((change) => change.changes.name).map((change) => change.changes.name);
    const olds = new Set(names.map((name) => name.old));
    assert.equal(olds.size, names.length, 'no two updates started from the same name');
    assert.ok(!olds.has(last.name));
  });

  test('budgets changed at once: the daily budget is never above the total', async () => {
    const [id] = await paused(1);
    await put(`${all}/${id}`, {
      daily_budget_amount_local_micro: 1_000_000,
      total_budget_amount_local_micro: 50_000_000,
    });
    const seen: Reply[] = [];
    const replies = await atOnce(50, async (number) => {
      const amount = (1 + ((number * 17) % 50)) * 1_000_000;
      const name = number % 2 ? 'daily_budget_amount_local_micro' : 'total_budget_amount_local_micro';
      const reply = await put(`${all}/${id}`, { [name]: amount });
      seen.push(await world.sandbox.call('GET', `${all}/${id}`));
      return reply;
    });
    assert.ok(good(replies).length > 0 && bad(replies).length > 0, 'some fit and some do not');
    for (const reply of bad(replies)) assert.equal(reply.body.errors[0].code, 'INVALID');
    for (const { body } of [...good(replies), ...seen]) {
      const { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total } = body.data;
      assert.ok(daily <= total, `${daily} a day of ${total}`);
    }
  });

  test('changes of different fields at once are all kept', async () => {
    const [id] = await paused(1);
    const changes: Record<string, string | number>[] = [
      { name: 'changed' },
      { purchase_order_number: 'PO 7' },
      { standard_delivery: 'false' },
      { daily_budget_amount_local_micro: 1_000_000 },
      { total_budget_amount_local_micro: 5_000_000 },
      { entity_status: 'ACTIVE' },
    ];
    const replies = await Promise.all(changes.map((each) => put(`${all}/${id}`, each)));
    assert.equal(good(replies).length, changes.length, bad(replies)[0]?.text);
    const wanted = { ...Object.assign({}, ...changes), standard_delivery: false };
    const { body } = await world.sandbox.call('GET', `${all}/${id}`);
    assert.deepEqual({ ...body.data, ...wanted }, body.data);
  });

  test('batches that change the same campaigns in opposite orders all end', async () => {
    const ids = await paused(10);
    const replies = await atOnce(20, (number) => {
      const order = number % 2 ? ids : [...ids].reverse();
      return postBatch(order.map((id) => update(id, { name: `by ${number}` })));
    });
    assert.equal(good(replies).length, 20, bad(replies)[0]?.text);
    const left = new Set((await everyCampaign()).filter(({ id }) => ids.includes(id)).map(({ name }) => name));
    assert.equal(left.size, 1, 'the last batch has named them all');
  });
});

describe('a list that is paged through during writes', () => {
  before(fresh);

  for (const sort_by of ['created_at-desc', 'name-asc', 'name-desc']) {
    test(`has remaining rows exactly once, and deleted rows at most once: ${sort_by}`, async () => {
      const ids = await paused(60);
      const stays = new Set(ids.filter((_, number) => number % 3 > 0));
      const leaves = ids.filter((id) => !stays.has(id));
      const writes = atOnce(leaves.length, async (number) => {
        await post(all, campaign('PAUSED', `another ${number}`));
        return world.sandbox.call('DELETE', `${all}/${leaves[number]}`);
      });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const params = { count: 7, sort_by, ...(cursor && { cursor }) };
        const { body } = await world.sandbox.call('GET', all, { params });
        seen.push(...body.data.map((row: { id: string }) => row.id));
        cursor = body.next_cursor ?? undefined;
      } while (cursor);
      assert.equal(good(await writes).length, leaves.length);
      assert.equal(new Set(seen).size, seen.length, 'nothing is shown twice');
      for (const id of stays) assert.ok(seen.includes(id), `${id} was there all the time`);
    });
  }
});

describe('one signed request sent 20 times at once', () => {
  before(fresh);

  test('is performed once', async () => {
    const body = new URLSearchParams(campaign('PAUSED', 'only once'));
    const url = world.service.sandboxUrl + all;
    const { header } = sign({
      method: 'POST',
      url,
      form: [...body],
      oauth: protocol(world.keys, world.clock),
      consumerSecret: world.keys.consumer_secret,
      tokenSecret: world.keys.access_token_secret,
    });
    const replies = await atOnce(20, async () =>
      read(await fetch(url, { method: 'POST', headers: { authorization: header }, body })),
    );
    assert.equal(good(replies).length, 1);
    for (const reply of bad(replies)) assert.equal(reply.status, 401);
    assert.equal((await everyCampaign()).length, 1);
  });
});

interface Item {
  readonly operation_type: string;
  readonly params: Readonly<Record<string, unknown>>;
}

async function fresh(): Promise<void> {
  home = await openAccount(world.sandbox);
  all = `${home.path}/campaigns`;
  batch = `/12/batch/accounts/${home.account}/campaigns`;
}

function campaign(entity_status: 'ACTIVE' | 'PAUSED', name = 'one of many'): Record<string, string> {
  return { name, funding_instrument_id: home.instrument, entity_status };
}

const create = (status: 'ACTIVE', name: string): Item => ({ operation_type: 'Create', params: campaign(status, name) });
const update = (campaign_id: string, changes: object): Item => ({
  operation_type: 'Update',
  params: { campaign_id, ...changes },
});
const post = (path: string, params: Record<string, string>) => world.sandbox.call('POST', path, { params });
const put = (path: string, params: Record<string, string | number>) => world.sandbox.call('PUT', path, { params });
const postBatch = (items: readonly Item[]) => world.sandbox.call('POST', batch, { json: items });
const good = (replies: readonly Reply[]) => replies.filter((reply) => reply.status === 200);
const bad = (replies: readonly Reply[]) => replies.filter((reply) => reply.status !== 200);

function atOnce(count: number, send: (number: number) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => send(number)));
}

async function paused(count: number): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({ operation_type: 'Create', params: campaign('PAUSED') }));
  const ids: string[] = [];
  while (items.length > 0) {
    const made = await postBatch(items.splice(0, 40));
    ids.push(...made.body.data.map((row: { id: string }) => row.id));
  }
  return ids;
}

function assertFull(reply: Reply): void {
  assert.equal(reply.status, 400);
  assert.equal(reply.body.errors[0].code, 'TOO_MANY_CAMPAIGNS');
}

async function everyCampaign(): Promise<{ id: string; name: string; entity_status: string }[]> {
  return (await world.sandbox.call('GET', all, { params: { count: 1000 } })).body.data;
}

async function countActive(): Promise<number> {
  return (await everyCampaign()).filter((row) => row.entity_status === 'ACTIVE').length;
}

interface Recorded {
  readonly change_type: string;
  readonly changes: { readonly name?: { readonly old: string; readonly new: string } };
}

async function history(id: string): Promise<(Recorded & { changes: { name: { old: string; new: string } } })[]> {
  const params = { entity_type: 'CAMPAIGN', entity_id: id };
  return (await world.sandbox.call('GET', `${home.path}/account_history`, { params })).body.data;
}
