import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Row } from '../../src/contract/declare/resource.ts';
import type { Sent } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { visible } from './lists.ts';
import { fill, goodCall, goodValue, openTestAccount, operationOf, resources, seed } from './test-account.ts';

let world: World;
before(async () => {
  // What was made stays as it is told while it is read.
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_sandbox_s: 3600 } });
});
after(() => world.close());

for (const resource of resources.filter((each) => operationOf(each, 'update'))) {
  describe(`what is read of ${resource.plural} can be written back`, () => {
    const update = operationOf(resource, 'update')!;

    test('PUT of what GET returned changes only updated_at', async () => {
      const setup = await openTestAccount(world);
      const rows: { id: string }[] =
        resource.scope === 'user'
          ? [{ id: setup.account }]
          : visible(resource, await seed(setup, resource, 12)).filter(isSound);
      assert.ok(rows.length > 0);
      world.clock.advance(30);
      for (const { id } of rows) {
        const names = { account_id: setup.account, [resource.idParameter]: id };
        const path = fill(update.path, names);
        const before = (await setup.client.call('GET', path)).body.data;
        // What is refused from anybody is no part of what can be written.
        const refused = Object.keys(update.parameters).filter(
          (name) => update.parameters[name]!.kind.name === 'refused',
        );
        const sent = Object.fromEntries(Object.entries(before).filter(([name]) => !refused.includes(name)));
        const whole = await setup.client.call('PUT', path, { json: sent });
        assert.equal(whole.status, 200, whole.text);
        const { updated_at, ...same } = before;
        const { updated_at: changed, ...after } = whole.body.data;
        assert.deepEqual(after, same);
        assert.notEqual(changed, updated_at);
        if (update.body === 'object') continue;
        const form = Object.entries(sent).filter(([name]) => name in update.parameters);
        const params = Object.fromEntries(form.map(([name, value]) => [name, value === null ? '' : String(value)]));
        const subset = await setup.client.call('PUT', path, { params });
        assert.equal(subset.status, 200, subset.text);
        assert.deepEqual({ ...subset.body.data, updated_at }, before);
      }
    });

    test('PUT of nothing, or of the required fields unchanged, changes only updated_at', async () => {
      const setup = await openTestAccount(world);
      const { path, sent } = await goodCall(setup, update);
      const before = (await setup.client.call('GET', path)).body.data;
      const params = Object.fromEntries(Object.keys(sent.params ?? {}).map((name) => [name, before[name]]));
      world.clock.advance(30);
      const reply = await setup.client.call('PUT', path, update.body === 'object' ? { json: params } : { params });
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual({ ...reply.body.data, updated_at: before.updated_at }, before);
      const isUnchanged = resource.requests?.ignoresEmptyUpdate && Object.keys(params).length === 0;
      assert.equal(reply.body.data.updated_at === before.updated_at, isUnchanged ?? false);
    });
  });
}

/** Records that an account has from the beginning: what is written to the path is what is read from it. */
const records = operations.filter(({ method, path, id }) => {
  const isOfRows = resources.some((each) => operationOf(each, 'update')?.id === id);
  return method === 'PUT' && !isOfRows && operations.some((each) => each.method === 'GET' && each.path === path);
});

for (const update of records) {
  describe(`what is read of ${update.group} can be written back`, () => {
    for (const isWritten of [false, true]) {
      test(`${isWritten ? 'after every value was written' : 'before anything was'}, and changes nothing`, async () => {
        const setup = await openTestAccount(world);
        const { path } = await goodCall(setup, update);
        const put = async (sent: Sent) => {
          const reply = await setup.client.call('PUT', path, sent);
          assert.equal(reply.status, 200, reply.text);
          return reply.body.data;
        };
        const names = Object.keys(update.parameters);
        if (isWritten) await put({ params: Object.fromEntries(names.map((name) => [name, goodValue(update, name)])) });
        const before = (await setup.client.call('GET', path)).body.data;
        const isUnset = (name: string) => [null, 'NOT_SET'].includes(before[name]) || before[name]?.length === 0;
        const members = names.filter((name) => name in before);
        assert.ok(members.length > 0 && members.every((name) => isUnset(name) !== isWritten), JSON.stringify(before));
        assert.deepEqual(await put({ json: before }), before);
        const params = Object.fromEntries(members.map((name) => [name, String(before[name] ?? '')]));
        assert.deepEqual(await put({ params }), before);
        assert.deepEqual((await setup.client.call('GET', path)).body.data, before);
      });
    }
  });
}

test('these are all the PUTs with a GET', () => {
  const others = operations.filter(
    ({ method, id }) =>
      method === 'PUT' &&
      !records.some((each) => each.id === id) &&
      !resources.some((each) => operationOf(each, 'update')?.id === id),
  );
  // A subscription takes no more than what can be changed of it, and the check of a webhook takes nothing.
  const taken = ['subscriptions.update', 'webhooks.validate'];
  assert.deepEqual(
    others.map(({ id }) => id),
    ['campaigns.activate', 'line_items.activate', 'posts.name', ...taken],
  );
});

/** Seeded rows are made past the rules; only those that the rules allow are written back. */
function isSound(row: Row): boolean {
  const { daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total } = row;
  const isDerived =
    row.budget_optimization === undefined ||
    (row.budget_optimization !== 'LINE_ITEM' ? row.standard_delivery !== null : row.standard_delivery === null);
  return (daily == null || total == null || daily <= total) && isDerived;
}
