import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { eventUuid } from '../../src/contract/store/events.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import type { WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { webhookKey } from '../../src/features/activity/webhooks/signing.ts';
import type { Keys } from '../rig/client.ts';
import { settledPosition } from '../rig/deliverers.ts';
import { type BearerClient, bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { type Answering, type Arrived, openReceiver, type Receiver, status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

/** An application with a webhook, subscribed to the bio of its owner. */
interface Listening {
  readonly keys: Keys & { readonly user: string };
  readonly client: BearerClient;
  readonly receiver: Receiver;
  readonly webhook: string;
  readonly subscription: string;
}

let here: Listening;
beforeEach(async () => {
  const keys = await register(world);
  const client = await bearerClient(world, keys);
  const receiver = await openReceiver(keys.consumer_secret);
  const made = await client.call('POST', '/2/webhooks', { url: receiver.url });
  assert.equal(made.status, 200, made.text);
  const webhook = made.body.data.id as string;
  const subscribed = await client.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: keys.user },
    tag: 'bio-watch',
    webhook_id: webhook,
  });
  assert.equal(subscribed.status, 200, subscribed.text);
  const subscription = subscribed.body.data.subscription.subscription_id as string;
  here = { keys, client, receiver, webhook, subscription };
});
afterEach(() => here.receiver.close());

/** What is stored of deliveries, newest first. */
const stored = (webhook = here.webhook): Promise<WebhookDelivery[]> =>
  world.service.store.read((tx) =>
    tx.webhookDeliveries.page({ webhook, state: undefined, after: undefined, limit: 1000 }),
  );
const settled = async (state: WebhookDelivery['state'], count = 1): Promise<WebhookDelivery[]> => {
  let rows: WebhookDelivery[] = [];
  await until(`${count} deliveries are ${state}`, async () => {
    rows = await stored();
    return rows.filter((row) => row.state === state && (state !== 'pending' || row.tries.length > 0)).length >= count;
  });
  return rows;
};
const emit = (...texts: string[]): Promise<number[]> => changeBio(world, here.keys.user, texts);
const pass = async (seconds: number): Promise<void> => {
  world.clock.advance(seconds);
  await world.service.jobs.runDue();
};

describe('an event', () => {
  test('is sent as its envelope with both signatures, and stored with its outcome', async () => {
    const { receiver, keys, webhook, subscription } = here;
    const [position] = await emit('New bio');
    const [message] = (await receiver.came(1)) as [Arrived];
    const uuid = eventUuid(position!);
    const body = `{"data":{"event_uuid":"${uuid}","event_type":"profile.update.bio","filter":{"user_id":"${keys.user}"},"tag":"bio-watch","payload":{"before":"","after":"New bio"}}}`;
    assert.equal(message.body, body);
    assert.deepEqual([message.method, message.target], ['POST', '/in']);
    const { headers } = message;
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(headers['user-agent'], 'barker-webhooks/1');
    assert.match(String(headers['x-transaction-id']), /^[0-9a-f]{16}$/);
    const signature = createHmac('sha256', keys.consumer_secret).update(body).digest('base64');
    assert.equal(headers['x-ext-webhooks-signature'], `sha256=${signature}`);
    assert.equal(headers['webhook-id'], `msg_${uuid}_${subscription}`);
    const { store, box } = world.service;
    const row = await store.read((tx) => tx.webhooks.find(webhook));
    const key = webhookKey(box.open(row!.secret, secretContext.webhook(webhook)));
    const timestamp = String(Math.floor(world.clock.now() / 1000));
    assert.equal(headers['webhook-timestamp'], timestamp);
    const signed = `msg_${uuid}_${subscription}.${timestamp}.${body}`;
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    assert.equal(headers.authorization, undefined);
    const [delivery] = await settled('delivered');
    assert.equal(delivery!.body, body);
    assert.deepEqual([delivery!.state, delivery!.tries.length, delivery!.tries[0]!.status], ['delivered', 1, 200]);
  });

  test('is sent once to every webhook with a matching subscription, and to no other', async () => {
    const { receiver, client, keys } = here;
    const second = await openReceiver(keys.consumer_secret);
    const made = await client.call('POST', '/2/webhooks', { url: second.url });
    const subscribe = (event_type: string, webhook_id: string) =>
      client.call('POST', '/2/activity/subscriptions', { event_type, filter: { user_id: keys.user }, webhook_id });
    await subscribe('profile.update.bio', made.body.data.id);
    await subscribe('profile.update.screenname', made.body.data.id);
    await emit('one', 'two', 'three');
    const [first, other] = await Promise.all([receiver.came(3), second.came(3)]);
    await settled('delivered', 3);
    for (const came of [first, other]) {
      const texts = came.map(({ body }) => JSON.parse(body).data.payload.after);
      assert.deepEqual(texts.sort(), ['one', 'three', 'two']);
    }
    assert.deepEqual([receiver.messages.length, second.messages.length], [3, 3]);
    await second.close();
  });

  test('is sent for actions of users', async () => {
    const { receiver, keys } = here;
    const { clientOf } = await import('../rig/client.ts');
    const owner = clientOf(world.service.url, keys, world.clock);
    const params = { description: 'Roasts coffee' };
    const reply = await owner.call('POST', '/1.1/account/update_profile.json', { params });
    assert.equal(reply.status, 200, reply.text);
    const [message] = (await receiver.came(1)) as [Arrived];
    assert.deepEqual(JSON.parse(message.body).data.payload, { before: '', after: 'Roasts coffee' });
  });

  test('is not sent after its webhook was removed; the subscription stays', async () => {
    const { client, receiver, webhook, subscription } = here;
    await client.call('DELETE', `/2/webhooks/${webhook}`);
    const list = await client.call('GET', '/2/activity/subscriptions');
    assert.deepEqual(
      list.body.data.map(({ subscription_id, webhook_id }: Record<string, string>) => [subscription_id, webhook_id]),
      [[subscription, undefined]],
    );
    await emit('unseen');
    await world.service.services.activity.feed.waitUntilCaughtUp();
    assert.deepEqual([receiver.messages.length, (await stored()).length], [0, 0]);
  });

  test('is not sent while its webhook is invalid', async () => {
    const { client, receiver, webhook } = here;
    const right = receiver.answerChallenge;
    receiver.answerChallenge = status(400);
    receiver.answerChallenge = (_, response) => void response.writeHead(200).end('{}');
    assert.equal((await client.call('PUT', `/2/webhooks/${webhook}`)).status, 400);
    const [position] = await emit('unseen');
    await until('it is settled', async () => (await settledPosition(world, webhook)) >= position!);
    receiver.answerChallenge = right;
    assert.equal((await client.call('PUT', `/2/webhooks/${webhook}`)).status, 200);
    await emit('seen');
    await settled('delivered');
    const texts = receiver.messages.map(({ body }) => JSON.parse(body).data.payload.after);
    assert.deepEqual(texts, ['seen']);
  });
});

describe('an answer', () => {
  const taken: readonly (readonly [what: string, answer: Answering])[] = [
    ['200', status(200)],
    ['202', status(202)],
    ['204', status(204)],
    ['299', status(299)],
    [
      '200 with a body without end',
      (_, response) => {
        response.writeHead(200);
        const more = (): void =>
          void (response.destroyed || response.write('x'.repeat(65_536), () => void setImmediate(more)));
        more();
      },
    ],
    [
      '200 whose body is cut off',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('x');
        setImmediate(() => response.destroy());
      },
    ],
  ];
  for (const [what, answer] of taken) {
    test(`of ${what} is a success`, async () => {
      here.receiver.answer = answer;
      await emit('x');
      const [row] = await settled('delivered');
      assert.equal(row!.tries.length, 1);
      await pass(3600);
      assert.equal(here.receiver.messages.length, 1);
    });
  }

  const failures: readonly (readonly [what: string, answer: Answering, seen: number | string])[] = [
    ['a redirect', status(307, { location: 'http://127.0.0.1:1/' }), 307],
    ['304', status(304), 304],
    ['400', status(400), 400],
    ['500', status(500), 500],
    ['no answer but an end', (_, response) => void response.destroy(), 'connection closed'],
    ['what is no HTTP', (_, response) => void response.socket!.end('what?\r\n\r\n'), 'not http'],
  ];
  for (const [what, answer, seen] of failures) {
    test(`of ${what} is a failure, which is retried`, async () => {
      here.receiver.answer = answer;
      await emit('x');
      const [row] = await settled('pending');
      const [first] = row!.tries;
      assert.equal(first!.status ?? first!.reason, seen);
      here.receiver.answer = status(200);
      await pass(3);
      const [done] = await settled('delivered');
      assert.equal(done!.tries.length, 2);
      const [one, two] = here.receiver.messages;
      assert.equal(one!.body, two!.body);
      assert.equal(one!.headers['webhook-id'], two!.headers['webhook-id']);
    });
  }

  test('that fails four times, with retries after 3, 27 and 242 seconds, is a permanent failure', async () => {
    const { receiver } = here;
    receiver.answer = status(500);
    await emit('x');
    await settled('pending');
    for (const [wait, count] of [
      [3, 2],
      [27, 3],
      [242, 4],
    ] as const) {
      await pass(wait - 1);
      assert.equal(receiver.messages.length, count - 1);
      await pass(1);
      await receiver.came(count);
      await until('it is stored', async () => (await stored())[0]!.tries.length === count);
    }
    assert.equal((await stored())[0]!.state, 'failed');
    await pass(86_400);
    assert.equal(receiver.messages.length, 4);
  });

  const waits: readonly (readonly [said: string, code: number, after: () => string, wait: number])[] = [
    ['seconds', 503, () => '60', 60],
    ['seconds', 429, () => '61', 61],
    ['a time', 429, () => new Date(world.clock.now() + 90_000).toUTCString(), 90],
    ['less than the schedule', 503, () => '1', 3],
    ['more than an hour', 503, () => '86400', 3600],
    ['nonsense', 503, () => 'soon', 3],
    ['something beside another status', 500, () => '60', 3],
  ];
  for (const [what, code, retryAfter, wait] of waits) {
    test(`of ${code} with Retry-After ${what} delays the retry by ${wait} s`, async () => {
      here.receiver.answer = status(code, { 'retry-after': retryAfter() });
      await emit('x');
      const [row] = await settled('pending');
      assert.equal(Date.parse(row!.next_at!) - Date.parse(row!.tries[0]!.at), wait * 1000);
    });
  }

  test('of 410 makes the webhook invalid at once', async () => {
    const { client, receiver } = here;
    receiver.answer = status(410);
    await emit('x');
    await until('the webhook is invalid', async () => !(await client.call('GET', '/2/webhooks')).body.data[0].valid);
    const [row] = await settled('failed');
    assert.equal(row!.tries.length, 1);
    await emit('y');
    await world.service.services.activity.feed.waitUntilCaughtUp();
    await pass(3600);
    assert.equal(receiver.messages.length, 1);
  });
});

describe('many events', () => {
  test('are sent ten at a time', async () => {
    const { receiver } = here;
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => void held.push(() => void response.end());
    await emit(...Array.from({ length: 25 }, (_, index) => `text ${index}`));
    await receiver.came(10);
    await until('ten are held', () => held.length === 10);
    assert.equal(receiver.messages.length, 10);
    receiver.answer = status(200);
    for (const release of held) release();
    await receiver.came(25);
    assert.equal(receiver.open.most, 10);
    await settled('delivered', 25);
  });

  test('beyond the memory limit wait in the database, and none is lost', async () => {
    const { receiver } = here;
    const held: (() => void)[] = [];
    receiver.answer = (_, response) => void held.push(() => void response.end());
    const texts = Array.from({ length: 1800 }, (_, index) => `text ${index}`);
    for (let from = 0; from < texts.length; from += 300) await emit(...texts.slice(from, from + 300));
    await world.service.services.activity.feed.waitUntilCaughtUp();
    await until('some wait', async () => (await stored()).filter(({ state }) => state === 'pending').length > 500);
    receiver.answer = status(200);
    for (const release of held) release();
    const came = await receiver.came(1800);
    const seen = new Set(came.map(({ body }) => JSON.parse(body).data.payload.after));
    assert.equal(seen.size, 1800);
    await until('all is stored', async () => {
      const waiting = await world.service.store.read((tx) => tx.webhookDeliveries.listWaiting());
      return waiting.every(({ webhook_id }) => webhook_id !== here.webhook);
    });
  });
});

describe('a suspended application', () => {
  test('receives pending deliveries once it is reinstated', async () => {
    const { receiver, keys } = here;
    receiver.answer = status(500);
    await emit('x');
    await settled('pending');
    const { store } = world.service;
    const suspend = (isSuspended: boolean): Promise<void> =>
      store.write(async (tx) => {
        const { id } = (await tx.credentials.findApplicationByKey(keys.consumer_key))!;
        await tx.credentials.changeApplication(id, { suspended: isSuspended ? 1 : 0 });
        tx.invalidate(`application:${id}`);
      });
    await suspend(true);
    receiver.answer = status(200);
    await pass(3600);
    assert.equal(receiver.messages.length, 1);
    await suspend(false);
    await receiver.came(2);
    await settled('delivered');
  });
});

describe('a new consumer secret', () => {
  test('signs from then on, and triggers a challenge at once', async () => {
    const { receiver, keys } = here;
    const { regenerateKeys } = await import('../../src/features/auth/applications/administration.ts');
    const { secureRandom } = await import('../../src/base/random.ts');
    const { recordSecret: plant } = await import('../rig/secrets.ts');
    const { store, box } = world.service;
    const challenges = receiver.challenges.length;
    const fresh = await store.write(async (tx) => {
      const { id } = (await tx.credentials.findApplicationByKey(keys.consumer_key))!;
      const registrar = { tx, box, random: secureRandom, now: '2026-03-02T17:04:55Z' };
      return regenerateKeys(registrar, id, keys.consumer_key);
    });
    plant('consumer secret', fresh!.consumerSecret);
    await emit('x');
    const [message] = (await receiver.came(1)) as [Arrived];
    const signature = createHmac('sha256', fresh!.consumerSecret).update(message.body).digest('base64');
    assert.equal(message.headers['x-ext-webhooks-signature'], `sha256=${signature}`);
    await world.service.jobs.runDue();
    // The receiver knows the former secret alone.
    assert.equal(receiver.challenges.length, challenges + 1);
    const row = await store.read((tx) => tx.webhooks.find(here.webhook));
    assert.deepEqual([row!.valid, row!.failure], [0, 'Invalid response_token']);
  });
});
