import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import type { ForeignClient, Sent, StartClient } from './foreign.ts';

const CAMPAIGNS = 1000;
const BATCH_MAX = 40;
const ACTIVE_MAX = 200;
/** Characters that clients and servers have encoded differently. */
const DIFFICULT = "é ~ ! * ' ( ) & = + % ; / ? # 漢 😀";

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly deleted: boolean;
  readonly daily_budget_amount_local_micro: number | null;
}

/**
 * The story of a client that was not written for this service: sandbox account, funding instrument, a thousand
 * campaigns in batches, pages of them, changes, deletions, limits. Each client tells all of it.
 */
export function tellStory(name: string, start: StartClient): void {
  let world: World;
  let client: ForeignClient;
  let account: string;
  let all: string;
  let batch: string;
  let instrument: string;
  const made: Shown[] = [];

  before(async () => {
    world = await openWorld({ seams: { clock: systemClock } });
    client = await start(world.keys);
  });
  after(async () => {
    await client?.close();
    await world?.close();
  });

  async function send(method: string, path: string, sent: Sent = {}) {
    const { status, text } = await client.send(method, world.service.sandboxUrl + path, sent);
    return { status, text, body: JSON.parse(text) };
  }
  async function good(method: string, path: string, sent: Sent = {}) {
    const reply = await send(method, path, sent);
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`);
    return reply.body;
  }
  const creates = (count: number, params: (number: number) => object) =>
    Array.from({ length: count }, (_, number) => ({
      operation_type: 'Create',
      params: { funding_instrument_id: instrument, ...params(number) },
    }));

  /** Follows a list to its end. */
  async function pages(query: Record<string, string>): Promise<Shown[][]> {
    const found: Shown[][] = [];
    let cursor: string | null = null;
    do {
      const page: { data: Shown[]; next_cursor: string | null } = await good('GET', all, {
        query: { ...query, ...(cursor && { cursor }) },
      });
      found.push(page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  }

  describe(`a client made with ${name}`, () => {
    test('creates a sandbox account and a funding instrument', async () => {
      account = (await good('POST', '/12/accounts')).data[0].id;
      all = `/12/accounts/${account}/campaigns`;
      batch = `/12/batch/accounts/${account}/campaigns`;
      const form = { currency: 'USD', start_time: '2026-01-01T00:00:00Z', type: 'CREDIT_CARD' };
      const funded = await good('POST', `/12/accounts/${account}/funding_instruments`, { form });
      assert.equal(funded.data.start_time, '2026-01-01T00:00:00Z');
      instrument = funded.data.id;
    });

    test(`creates ${CAMPAIGNS} campaigns in batches of ${BATCH_MAX}`, async () => {
      const items = creates(CAMPAIGNS, (number) => ({
        name: `${(number * 7) % 100} ${DIFFICULT} ${number}`,
        entity_status: 'PAUSED',
        ...(number % 3 && { daily_budget_amount_local_micro: (1 + ((number * 31) % 50)) * 1_000_000 }),
      }));
      const names = items.map((item) => (item.params as unknown as Shown).name);
      while (items.length > 0) {
        const reply = await good('POST', batch, { json: items.splice(0, BATCH_MAX) });
        made.push(...reply.data);
      }
      assert.deepEqual(
        made.map((campaign) => campaign.name),
        names,
      );
    });

    for (const { count, sort_by, keys } of WALKS) {
      test(`gets each of them once, in order: ${sort_by ?? 'no sort_by'}, ${count ?? 'no count'}`, async () => {
        const found = await pages({ ...(count && { count }), ...(sort_by && { sort_by }) });
        const sorted = [...made].sort(inOrder(keys));
        assert.deepEqual(
          found.flat().map((campaign) => campaign.id),
          sorted.map((campaign) => campaign.id),
        );
        const size = Number(count ?? 200);
        for (const page of found.slice(0, -1)) assert.equal(page.length, size);
      });
    }

    test('finds campaigns by the beginning of a difficult name, and by a comma list of ids', async () => {
      const prefix = `7 ${DIFFICULT}`;
      const byName = await good('GET', all, { query: { q: prefix, with_total_count: 'true' } });
      assert.equal(byName.total_count, made.filter((campaign) => campaign.name.startsWith(prefix)).length);
      assert.ok(byName.total_count > 0);
      const asked = [made[3]!, made[997]!, made[500]!].map((campaign) => campaign.id);
      const byIds = await good('GET', all, { query: { campaign_ids: asked.join(',') } });
      assert.deepEqual(byIds.data.map((campaign: Shown) => campaign.id).sort(), [...asked].sort());
    });

    test('changes a campaign, and finds the change in the history of that hour', async () => {
      const { id } = made[0]!;
      const changed = `changed ${DIFFICULT}`;
      const reply = await good('PUT', `${all}/${id}`, { form: { name: changed, purchase_order_number: DIFFICULT } });
      assert.equal(reply.data.name, changed);
      assert.deepEqual(reply.request.params, {
        account_id: account,
        campaign_id: id,
        name: changed,
        purchase_order_number: DIFFICULT,
      });
      assert.equal((await good('GET', `${all}/${id}`)).data.name, changed);
      const start_time = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
      const history = await good('GET', `/12/accounts/${account}/account_history`, {
        query: { entity_type: 'CAMPAIGN', entity_id: id, start_time },
      });
      assert.equal(history.request.params.start_time, start_time);
      assert.deepEqual(
        history.data.map((change: { change_type: string }) => change.change_type),
        ['UPDATE', 'CREATE'],
      );
      assert.deepEqual(history.data[0].changes.name, { old: made[0]!.name, new: changed });
    });

    test('deletes a campaign once, and then finds it only among the deleted ones', async () => {
      const { id } = made[1]!;
      assert.equal((await good('DELETE', `${all}/${id}`)).data.deleted, true);
      const again = await send('DELETE', `${all}/${id}`);
      assert.equal(again.status, 404);
      assert.deepEqual(again.body, {
        errors: [
          {
            code: 'CAMPAIGN_NOT_FOUND',
            message: `Campaign ${id} was not found`,
            parameter: 'campaign_id',
            value: id,
          },
        ],
        request: { params: { account_id: account, campaign_id: id } },
      });
      assert.equal((await send('GET', `${all}/${id}`)).status, 404);
      assert.deepEqual((await good('GET', all, { query: { campaign_ids: id } })).data, []);
      const shown = await good('GET', all, { query: { campaign_ids: id, with_deleted: 'true' } });
      assert.deepEqual([shown.data[0].id, shown.data[0].deleted], [id, true]);
      assert.equal((await good('GET', `${all}/${id}`, { query: { with_deleted: 'true' } })).data.deleted, true);
    });

    test('a batch with one bad item changes nothing and names the item', async () => {
      const total = async () =>
        (await good('GET', all, { query: { with_total_count: 'true', count: '1' } })).total_count;
      const before = await total();
      const { id } = made[2]!;
      const [first, third] = creates(2, (number) => ({ name: `not made ${number}`, entity_status: 'PAUSED' }));
      const refused = await send('POST', batch, {
        json: [
          first,
          { operation_type: 'Update', params: { campaign_id: id, name: 'not changed', entity_status: 'RUNNING' } },
          third,
        ],
      });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.operation_errors, [
        [],
        [
          {
            code: 'INVALID_PARAMETER',
            message: 'Expected a value in ACTIVE, DRAFT, PAUSED, got "RUNNING" for entity_status',
            parameter: 'entity_status',
          },
        ],
        [],
      ]);
      assert.equal('data' in refused.body, false);
      assert.equal(await total(), before);
      assert.equal((await good('GET', `${all}/${id}`)).data.name, made[2]!.name);
    });

    test(`campaign ${ACTIVE_MAX + 1} that is active is refused`, async () => {
      const items = creates(ACTIVE_MAX, (number) => ({ name: `active ${number}`, entity_status: 'ACTIVE' }));
      while (items.length > 0) await good('POST', batch, { json: items.splice(0, BATCH_MAX) });
      const form = { name: 'one too many', funding_instrument_id: instrument };
      const refused = await send('POST', all, { form });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body, {
        errors: [
          {
            code: 'TOO_MANY_CAMPAIGNS',
            message: `Account ${account} cannot have more than ${ACTIVE_MAX} active campaigns`,
            parameter: 'entity_status',
          },
        ],
        request: { params: { account_id: account, ...form } },
      });
      await good('POST', all, { form: { ...form, entity_status: 'PAUSED' } });
    });
  });
}

type Key = readonly [column: keyof Shown, direction: 'asc' | 'desc'];

/** Page sizes and orders. All were made in nearly one second: time alone orders few of them, their ids do. */
const WALKS: readonly { readonly count?: string; readonly sort_by?: string; readonly keys: readonly Key[] }[] = [
  { keys: [['id', 'desc']] },
  {
    count: '7',
    sort_by: 'name-asc',
    keys: [
      ['name', 'asc'],
      ['id', 'asc'],
    ],
  },
  {
    count: '1000',
    sort_by: 'name-desc',
    keys: [
      ['name', 'desc'],
      ['id', 'desc'],
    ],
  },
  {
    count: '333',
    sort_by: 'daily_budget_amount_local_micro-desc',
    keys: [
      ['daily_budget_amount_local_micro', 'desc'],
      ['id', 'desc'],
    ],
  },
  {
    count: '99',
    sort_by: 'daily_budget_amount_local_micro-asc,name-desc',
    keys: [
      ['daily_budget_amount_local_micro', 'asc'],
      ['name', 'desc'],
      ['id', 'desc'],
    ],
  },
];

/** Texts by their UTF-8 bytes, absent values last in either direction. */
function inOrder(keys: readonly Key[]) {
  return (one: Shown, other: Shown): number => {
    for (const [column, direction] of keys) {
      const [left, right] = [one[column], other[column]];
      if (left === right) continue;
      if (left === null || right === null) return left === null ? 1 : -1;
      const rising = typeof left === 'number' ? left - Number(right) : Buffer.compare(bytes(left), bytes(right));
      return direction === 'asc' ? rising : -rising;
    }
    return 0;
  };
}

function bytes(value: unknown): Buffer {
  return Buffer.from(String(value));
}
