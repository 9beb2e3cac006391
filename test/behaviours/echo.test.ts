// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { sampledOperations } from '../rig/shapes.ts';
import { openWorld, type World } from '../rig/world.ts';
import { accountOperations, goodCall, goodValue, openTestAccount, send, type TestAccount } from './test-account.ts';

let world: World;
let setup: TestAccount;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  setup = await openTestAccount(world);
});
after(() => world.close());

/** What the echo of a sample looks like. */
function typed(field: Field, text: string): unknown {
  const kinds: Record<string, () => unknown> = {
    micros: () => Number(text),
    integer: () => Number(text),
    'number enum': () => Number(text),
    boolean: () => text === 'true',
    list: () => [text],
    sort: () => [text],
  };
  return kinds[field.kind.name]?.() ?? text;
}

/** A sample of a parameter of a request; those that only continue a list are left out. */
function sampleOfParameter(operation: Operation, name: string, field: Field): string | undefined {
  if (name === 'cursor' || ['refused', 'card uri'].includes(field.kind.name) || field.target) return undefined;
  if (name === 'sort_by') return 'created_at-asc';
  if (name === 'start_time' || name === 'end_time') return name === 'end_time' ? '2027-01-01T00:00:00Z' : undefined;
  return goodValue(operation, name);
}

/** Path parameters under their full names. */
function named(template: string, path: string): Record<string, string> {
  const values = path.split('/');
  const names = template.split('/');
  return Object.fromEntries(
    names.flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), values[index]!] as const] : [])),
  );
}

/** They repeat the request as they understood it. */
const UNDERSTOOD = ['stats.get', 'stats_jobs.create'];

const echoing = accountOperations.filter(
  (each) => each.body === 'form' && each.id !== 'accounts.remove' && !UNDERSTOOD.includes(each.id),
);

for (const operation of sampledOperations(echoing)) {
  describe(`the echo of ${operation.id}`, () => {
    test('has the parameters that were sent, typed, with those of the path, and no defaults', async () => {
      const { method, path, sent } = await goodCall(setup, operation);
      const bare = await send(world.sandbox, { method, path, sent });
      assert.equal(bare.status, 200, bare.text);
      const input = Object.entries((sent.params ?? {}) as Record<string, string>);
      assert.deepEqual(bare.body.request, {
        params: {
          ...named(operation.path, path),
          ...operation.extraEcho,
          ...Object.fromEntries(input.map(([name, text]) => [name, typed(operation.parameters[name]!, text)])),
        },
      });
    });

    test('has every parameter', async () => {
      const { method, path, sent } = await goodCall(setup, operation);
      const params: Record<string, string> = { ...(sent.params as Record<string, string>) };
      for (const [name, field] of Object.entries(operation.parameters)) {
        const sample = sampleOfParameter(operation, name, field);
        // Of some filters a call has one.
        const isAnother = operation.id === 'active_entities.list' && /^(funding_instrument|line_item)_ids$/.test(name);
        if (sample !== undefined && !isAnother) params[name] ??= sample;
      }
      const reply = await send(world.sandbox, { method, path, sent: { params } });
      assert.equal(reply.status, 200, reply.text);
      const expected = Object.entries(params).map(([name, text]) => [name, typed(operation.parameters[name]!, text)]);
      assert.deepEqual(reply.body.request.params, {
        ...named(operation.path, path),
        ...operation.extraEcho,
        ...Object.fromEntries(expected),
      });
    });
  });
}

/** Where it is not simply request and data. */
const MEMBERS: Readonly<Partial<Record<Operation['shape'], readonly string[]>>> = {
  list: ['data', 'next_cursor', 'request'],
  message: ['message', 'request'],
};

/** Members beside request and data. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'stats.get': ['data_type', 'time_series_length'],
  'reach.campaigns': ['data_type'],
  'reach.funding_instruments': ['data_type'],
};

describe('the envelope', () => {
  test('has exactly the members of its shape', async () => {
    for (const operation of sampledOperations(accountOperations.filter((each) => each.id !== 'accounts.remove'))) {
      const reply = await send(world.sandbox, await goodCall(setup, operation));
      const expected = MEMBERS[operation.shape] ?? ['data', 'request', ...(MORE[operation.id] ?? [])].sort();
      assert.deepEqual(Object.keys(reply.body).sort(), expected, operation.id);
      const isSeveral = operation.shape === 'batch' || operation.id === 'do_not_reach_lists.users';
      assert.equal(Array.isArray(reply.body.request), isSeveral, operation.id);
    }
  });

  test('of an error has what could be parsed, and nothing when the caller is unknown', async () => {
    const path = `/12/accounts/${setup.account}/campaigns`;
    const reply = await world.sandbox.call('GET', path, {
      params: { count: 'x', q: 'a', sort_by: 'name-desc', nothing: 1 },
    });
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.request, {
      params: { account_id: setup.account, q: 'a', sort_by: ['name-desc'] },
    });
    const unsigned = await fetch(`${world.service.sandboxUrl}${path}?count=5`);
    assert.equal(unsigned.status, 401);
    assert.deepEqual(await unsigned.json(), {
      errors: [{ code: 'UNAUTHORIZED_ACCESS', message: 'This request is not properly authenticated' }],
      request: { params: {} },
    });
    assert.equal(unsigned.headers.get('www-authenticate'), `OAuth realm="${world.service.sandboxUrl}"`);
  });

  test('echoes what was received, not what was parsed', async () => {
    const path = `/12/accounts/${setup.account}`;
    const list = await world.sandbox.call('GET', `${path}/campaigns`, {
      params: { sort_by: 'name', campaign_ids: 'ZZ9, zz8 ,,zz8', count: '007', with_deleted: 't' },
    });
    assert.equal(list.status, 200, list.text);
    assert.deepEqual(list.body.request.params, {
      account_id: setup.account,
      ...{ campaign_ids: ['ZZ9', 'zz8'], count: 7, sort_by: ['name'], with_deleted: true },
    });
    const funded = { currency: 'usd', start_time: '2026-01-01', type: 'CREDIT_CARD' };
    const instrument = await world.sandbox.call('POST', `${path}/funding_instruments`, { params: funded });
    assert.equal(instrument.body.data.start_time, '2026-01-01T00:00:00Z');
    assert.deepEqual(instrument.body.request.params, { account_id: setup.account, ...funded });
    const campaign = {
      name: 'Sample',
      funding_instrument_id: instrument.body.data.id.toUpperCase(),
      ...{ purchase_order_number: '', total_budget_amount_local_micro: '', daily_budget_amount_local_micro: '1000000' },
    };
    const typed = { ...campaign, daily_budget_amount_local_micro: 1_000_000 };
    const made = await world.sandbox.call('POST', `${path}/campaigns`, { params: campaign });
    assert.equal(made.body.data.purchase_order_number, null);
    assert.deepEqual(made.body.request.params, { account_id: setup.account, ...typed });
    const item = { operation_type: 'Create', params: { ...typed, purchase_order_number: null } };
    const batch = `/12/batch/accounts/${setup.account}/campaigns`;
    const batched = await world.sandbox.call('POST', batch, { json: [item] });
    assert.deepEqual(batched.body.request, [{ ...item, params: { account_id: setup.account, ...item.params } }]);
  });

  test('has every attribute of a resource, and escapes what JSON requires', async () => {
    const name = 'a "quoted" \\ / \u2028 \u{1f600} </script> é';
    const reply = await world.sandbox.call('PUT', `/12/accounts/${setup.account}`, { params: { name } });
    assert.equal(reply.body.data.name, name);
    assert.equal(reply.body.request.params.name, name);
    for (const row of [reply.body.data]) assert.ok(Object.values(row).every((value) => value !== undefined));
  });
});
