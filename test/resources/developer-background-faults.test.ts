// On either database: faults are made between the network and what is stored.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { dev } from '../rig/developer-surface.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver } from '../rig/receiver.ts';
import { happen, openStream, type Subscriber, subscribe, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', stream_keep_alive_s: 1 } });
});
after(() => world.close());
afterEach(() => dev(world, 'DELETE', '/_dev/faults'));

async function fault(body: unknown): Promise<void> {
  const { status, text } = await dev(world, 'POST', '/_dev/faults', { body });
  assert.equal(status, 201, text);
}

describe('a stream', () => {
  let who: Subscriber;
  before(async () => {
    who = await subscriber(world);
    await subscribe(world, who);
    // A server may count those that have just ended for a moment longer.
    await world.service.store.write((tx) => tx.applicationLimits.set(who.application, 'stream_connections', 10));
  });

  test('stalls: after so many events nothing comes, and it stays open', async () => {
    await fault({ match: { operation: 'activity.stream' }, times: 1, do: { stall: { after_events: 2 } } });
    const [stalled, whole] = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    assert.equal(stalled.headers.get('x-barker-fault'), '1');
    await happen(world, who.user, [1, 2, 3]);
    await whole.until(3);
    // By then the other one would have had its heartbeats too.
    const length = whole.text().length;
    await whole.when((text) => text.length > length + 4);
    assert.equal((await stalled.until(2)).length, 2);
    assert.ok(stalled.text().endsWith('}\r\n'), 'no heartbeat follows');
    stalled.close();
    whole.close();
    await Promise.all([stalled.ended, whole.ended]);
  });

  test('breaks off within an event', async () => {
    await fault({ times: 1, do: { drop_mid_object: { after_events: 1 } } });
    const stream = await openStream(world, who.bearer);
    await happen(world, who.user, [4, 5]);
    const lines = await stream.ended;
    assert.equal(lines.length, 1);
    assert.match(stream.text(), /\{"data":[^\r]+$/);
    assert.equal(stream.isWhole(), false);
  });

  test('breaks off as a header of its request asks', async () => {
    const stream = await fetch(`${world.service.url}/2/activity/stream`, {
      headers: { authorization: `Bearer ${who.bearer}`, 'x-barker-fault': 'drop_mid_object' },
    });
    assert.equal(stream.headers.get('x-barker-fault'), 'header');
    const reading = stream.text();
    await happen(world, who.user, [6]);
    await assert.rejects(reading, /terminated/);
  });

  test('has no heartbeats, but events', async () => {
    await fault({ times: 1, do: { no_heartbeat: true } });
    const [silent, whole] = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
    await whole.when((text) => text.length > 4);
    await happen(world, who.user, [7]);
    await silent.until(1);
    assert.match(silent.text(), /^\r\n\{.*\}\r\n$/);
    silent.close();
    whole.close();
    await Promise.all([silent.ended, whole.ended]);
  });
});

describe('a message to a webhook', () => {
  let receiver: Receiver;
  let user: string;
  before(async () => {
    const keys = await register(world);
    const client = await bearerClient(world, keys);
    receiver = await openReceiver(keys.consumer_secret);
    const made = await client.call('POST', '/2/webhooks', { url: receiver.url });
    await client.call('POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: keys.user },
      webhook_id: made.body.data.id,
    });
    user = keys.user;
  });
  after(() => receiver.close());

  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  async function sent(count: number): Promise<any[]> {
    const match = { direction: 'out', kind: 'webhook', event_type: 'profile.update.bio' };
    const { status, body, text } = await dev(world, 'POST', '/_dev/requests/wait', { body: { match, count } });
    assert.equal(status, 200, text);
    return body.requests;
  }
  async function retried(): Promise<void> {
    await until('the message is sent again', async () => {
      world.clock.advance(60);
      await world.service.jobs.runDue();
      return receiver.messages.length === 1;
    });
  }

  for (const [what, webhook, status, failure] of [
    ['a status', { status: 503 }, 503, undefined],
    ['a timeout', 'timeout', null, 'timeout'],
    ['a reset', { reset: true }, null, 'connection closed'],
  ] as const) {
    test(`seems to end with ${what}, does not arrive, and is sent again`, async () => {
      await dev(world, 'DELETE', '/_dev/requests');
      receiver.messages.length = 0;
      await fault({ id: 'lost', match: { path: '/**' }, times: 1, do: { webhook } });
      await changeBio(world, user, [what]);
      const [first] = await sent(1);
      assert.deepEqual([first.status, first.failure, first.faults], [status, failure, ['lost']]);
      assert.equal(receiver.messages.length, 0);
      await retried();
      const [, second] = await sent(2);
      assert.deepEqual([second.status, second.faults], [200, undefined]);
      assert.equal(second.request.body, receiver.messages[0]!.body);
    });
  }

  test('that arrives although it seems lost arrives twice', async () => {
    await dev(world, 'DELETE', '/_dev/requests');
    receiver.messages.length = 0;
    await fault({ when: 'after', times: 1, do: { webhook: 'timeout' } });
    await changeBio(world, user, ['twice']);
    await sent(1);
    await receiver.came(1);
    await until('the message is sent again', async () => {
      world.clock.advance(60);
      await world.service.jobs.runDue();
      return receiver.messages.length === 2;
    });
    const [first, second] = receiver.messages;
    assert.equal(first!.body, second!.body);
  });
});

describe('a job', () => {
  test('fails as often as it was told, and is then done', async () => {
    const { store, jobs } = world.service;
    const job = { kind: 'media-removal', key: '1' };
    const run_at = formatInstant(world.clock.now());
    await fault({ id: 'job', do: { job: { kind: job.kind, fail: 2 } } });
    await store.write((tx) => tx.jobs.plan({ ...job, run_at }));
    const isLeft = async (): Promise<boolean> => {
      await jobs.runDue();
      const left = await store.read((tx) => tx.jobs.find(job.kind, job.key));
      world.clock.advance(3600);
      return left !== undefined;
    };
    assert.deepEqual([await isLeft(), await isLeft(), await isLeft()], [true, true, false]);
    const { body } = await dev(world, 'GET', '/_dev/faults/job');
    assert.deepEqual([body.hits, body.left], [2, 0]);
  });
});
