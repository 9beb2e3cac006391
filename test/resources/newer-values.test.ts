import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bio, callAs, happen, numbersOf, openStream, row, subscribe, subscriber } from '../rig/streams.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

/** What a server finds that works beside one of the next version. @source decision 833 */
describe('a value that only a newer version knows', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  const now = (): string => new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const change = (sql: string): Promise<number> => world.service.driver.write((session) => session.runRaw(sql));

  test('a job of an unknown kind is left, and the others run', async () => {
    const { store, jobs } = world.service;
    await store.write(async (tx) => {
      await tx.jobs.plan({ kind: 'a kind of the future', key: 'x', run_at: '2020-01-01T00:00:00Z' });
      await tx.jobs.plan({ kind: 'audit-expiry', key: 'y', run_at: '2020-01-01T00:00:00Z' });
    });
    await jobs.runDue();
    const due = (kind: string, key: string) => store.read((tx) => tx.jobs.find(kind, key));
    assert.equal(await due('a kind of the future', 'x'), '2020-01-01T00:00:00Z');
    assert.equal(await due('audit-expiry', 'y'), undefined);
  });

  test('subscriptions to an unknown type of events, and such events, disturb no others', async () => {
    const who = await subscriber(world);
    await subscribe(world, who);
    const other = await subscribe(world, who, { type: 'profile.update.screenname' });
    await change(`update subscriptions set event_type = 'future.type' where id = '${other}'`);
    world.service.store.clearCaches();
    const stream = await openStream(world, who.bearer);
    await happen(world, who.user, [1]);
    const future = { ...bio(who.user, 99), event_type: 'future.type' as 'profile.update.bio' };
    await world.service.store.write((tx) => tx.events.append([future], now()));
    await happen(world, who.user, [2]);
    assert.deepEqual(numbersOf(await stream.until(2)), row(1, 2));
    stream.close();
    const removed = await callAs(world, who, 'DELETE', `/2/activity/subscriptions/${other}`);
    assert.equal(removed.status, 200, removed.text);
  });

  test('an unknown role on an account permits nothing', async () => {
    const { path } = await openAccount(world.sandbox);
    const account = path.split('/').at(-1)!;
    assert.equal((await world.sandbox.call('GET', `${path}/campaigns`)).status, 200);
    await change(`update account_users set role = 'FUTURE_ROLE' where account_id = '${account}'`);
    world.service.store.clearCaches();
    const { status } = await world.sandbox.call('GET', `${path}/campaigns`);
    assert.ok(status === 403 || status === 404, `${status}`);
  });
});
