import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Sent } from '../rig/client.ts';
import { sampler } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { visible } from './lists.ts';
import { fill, goodCall, goodValue, openTestAccount, operationOf, resources, seed } from './test-account.ts';

let world: World;
before(async () => {
  // What was made stays as it is told while it is read.
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_sandbox_s: 3600 } });
});
after(() => world.close());

/** What was written back so far. */
const tried = { resources: 0, members: 0, calls: 0 };

/** Members written back alone; every run writes back all together. */
const isTriedAlone = sampler();

for (const resource of resources.filter((each) => operationOf(each, 'update'))) {
  describe(`what is read of ${resource.plural} can be written back`, () => {
    const update = operationOf(resource, 'update')!;
    const batch = operationOf(resource, 'batch');
    const isForm = update.body !== 'object';

    test('PUT of what GET returned changes only updated_at, whole, by member and in batches', async () => {
      const setup = await openTestAccount(world);
      const rows: { id: string }[] =
        resource.scope === 'user' ? [{ id: setup.account }] : visible(resource, await seed(setup, resource, 12));
      assert.ok(rows.length > 0);
      world.clock.advance(30);
      const names = { account_id: setup.account };
      const items: { id: string; path: string; before: Members }[] = [];
      const changesNothing = async (method: string, path: string, sent: Sent, written = items.slice(-1)) => {
        tried.calls++;
        const reply = await setup.client.call(method, path, sent);
        assert.equal(reply.status, 200, `${JSON.stringify(sent)}: ${reply.text}`);
        for (const { path: own, before } of written) {
          const { updated_at: at, ...after } = (await setup.client.call('GET', own)).body.data;
          const { updated_at, ...same } = before;
          assert.deepEqual(after, same, JSON.stringify(sent));
          assert.notEqual(at, updated_at);
        }
      };
      for (const { id } of rows) {
        const path = fill(update.path, { ...names, [resource.idParameter]: id });
        const before: Members = (await setup.client.call('GET', path)).body.data;
        items.push({ id, path, before });
        await changesNothing('PUT', path, { json: turned(before) });
        if (isForm) await changesNothing('PUT', path, { params: inForm(before) });
        const needed = pick(before, (name) => update.parameters[name]?.isRequired ?? false);
        for (const name of Object.keys(before)) {
          const kind = update.parameters[name]?.kind.name;
          if (!isTriedAlone(`${update.body} ${kind}`, `${resource.plural} ${id} ${name}`)) continue;
          const alone = { ...needed, ...pick(before, (each) => each === name) };
          // An update of nothing may leave updated_at as it is.
          if (kind === undefined && resource.requests?.ignoresEmptyUpdate) continue;
          await changesNothing('PUT', path, { json: alone });
          if (isForm) await changesNothing('PUT', path, { params: inForm(alone) });
        }
      }
      for (const written of batch ? [(each: Members) => each, inForm] : []) {
        const some = items.slice(0, resource.batch!.max);
        const json = some.map(({ id, before }) => ({
          operation_type: 'Update',
          params: { ...written(before), [resource.idParameter]: id },
        }));
        await changesNothing('POST', fill(batch!.path, names), { json }, some);
      }
      tried.resources++;
      tried.members += Object.keys(items[0]!.before).length;
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

test('these are all the PUTs with a GET', (t) => {
  t.diagnostic(`${tried.resources} resources with ${tried.members} members, written back in ${tried.calls} calls`);
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

/** Members of a row as replies show them. */
type Members = Readonly<Record<string, unknown>>;

function pick(members: Members, isWanted: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)));
}

/** As client libraries write members in forms: lists with commas, nothing as an empty text. */
function inForm(members: Members): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value ?? '')]));
}

/** The same value, with the members of each object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, turned(each)]),
  );
}
