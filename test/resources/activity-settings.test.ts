// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { asApplication, asUser, happen, listen, registerForMessages } from '../rig/activity.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = '/2/activity/subscriptions';
let world: World;
before(async () => {
  world = await openWorld({
    flags: {
      event_include_subscription_id: true,
      allow_bearer_private_subscriptions: true,
      application_subscriptions_max: 2,
      event_retention_s: 3600,
    },
  });
});
after(() => world.close());

describe('by settings', () => {
  test('envelopes name the subscription', async () => {
    const keys = await register(world);
    const app = await asApplication(world, keys);
    const filter = { user_id: keys.user };
    const made = await app.call('POST', PATH, { event_type: 'spaces.end', filter, tag: 'a' });
    const heard = listen(world);
    await happen(world, { event_type: 'spaces.end', user_id: keys.user, payload: { x: 1 } });
    const [envelope] = await heard.envelopes();
    const { subscription_id } = made.body.data.subscription;
    assert.deepEqual(envelope!.data.subscription_id, subscription_id);
    assert.deepEqual(Object.keys(envelope!.data), [
      'event_uuid',
      'event_type',
      'filter',
      'tag',
      'subscription_id',
      'payload',
    ]);
  });

  test('an application can subscribe to message events of users who consented', async () => {
    const [ada, ben] = [await registerForMessages(world), await registerForMessages(world)];
    const app = await asApplication(world, ada);
    const subscribe = (user_id: string) => app.call('POST', PATH, { event_type: 'dm.received', filter: { user_id } });
    assert.equal((await subscribe(ada.user)).status, 200);
    const other = await subscribe(ben.user);
    assert.deepEqual([other.status, other.body.reason], [403, 'user-not-authorized']);
    const heard = listen(world);
    const send = () => asUser(world, ben).call('POST', `/2/dm_conversations/with/${ada.user}/messages`, { text: 'x' });
    await send();
    assert.equal((await heard.envelopes()).length, 1);
    // The user takes the application's access back.
    await rawCall(world.service.url, world.clock, { method: 'POST', target: '/1.1/oauth/invalidate_token', keys: ada });
    await send();
    assert.equal((await heard.envelopes()).length, 1);
    assert.equal((await subscribe(ada.user)).status, 403);
  });

  test('limit the subscriptions of an application', async () => {
    const keys = await register(world);
    const app = await asApplication(world, keys);
    const statuses = [];
    for (const event_type of ['spaces.end', 'spaces.start', 'profile.update.bio']) {
      const reply = await app.call('POST', PATH, { event_type, filter: { user_id: keys.user } });
      statuses.push(reply.body.errors?.[0].message ?? reply.status);
    }
    assert.deepEqual(statuses, [200, 200, 'Subscription limit of 2 reached.']);
  });

  test('limit how long events are kept', async () => {
    const { store } = world.service;
    const { user } = await register(world);
    const emit = () => happen(world, { event_type: 'spaces.end', user_id: user, payload: {} });
    const kept = async () => (await store.read((tx) => tx.events.list({ after: 0, limit: 1000 }))).length;
    await emit();
    world.clock.advance(3000);
    await emit();
    await world.service.jobs.runDue();
    const all = await kept();
    assert.ok(all > 1);
    world.clock.advance(601);
    await world.service.jobs.runDue();
    assert.equal(await kept(), 1);
    // What is gone leaves its positions behind.
    const last = await store.read((tx) => tx.events.findLast());
    world.clock.advance(3600);
    await world.service.jobs.runDue();
    assert.equal(await kept(), 0);
    assert.equal(await store.read((tx) => tx.events.findLast()), last);
    await emit();
    assert.deepEqual(
      (await store.read((tx) => tx.events.list({ after: 0, limit: 10 }))).map(({ position }) => position),
      [last + 1],
    );
  });
});

describe('from the day on from which names are deprecated', () => {
  test('replies have a human-readable warning too', async () => {
    world.clock.advance((Date.parse('2026-03-18T00:00:00Z') - world.clock.now()) / 1000 - 1);
    const keys = await register(world);
    const app = await asApplication(world, keys);
    const warned = async (event_type: string) => {
      const reply = await app.call('POST', PATH, { event_type, filter: { user_id: keys.user } });
      assert.equal(reply.headers.get('deprecation'), '@1773792000', reply.text);
      return reply.headers.get('x-api-warn');
    };
    assert.equal(await warned('SpacesEnd'), null);
    world.clock.advance(1);
    assert.equal(await warned('SpacesStart'), 'PascalCase event types are deprecated; use the dot-separated names');
  });
});
