// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Network } from '../../src/http/sending/network.ts';
import { newPerson, SUBSCRIPTIONS } from '../rig/activity.ts';
import type { Reply } from '../rig/client.ts';
import { type BearerClient, bearerClient, changeBio } from '../rig/events.ts';
import { outcomeOf, outcomesOf } from '../rig/outcomes.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver, status } from '../rig/receiver.ts';
import { openStream, refused, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';

/**
 * Requests about activity that are refused, and how: one test for each. All windows are as they come.
 * @source activity 23.9
 */
let world: World;
/** Sends to webhooks as in production does; what a name leads to is said here. */
let careful: World;
const network: Network = {
  resolve: async () => ['10.0.0.1'],
  unreachable_ms: 0,
  dial: () => {
    throw new Error('nothing is to be sent');
  },
};
before(async () => {
  world = await openWorld();
  careful = await openWorld({ flags: { webhook_allow_private: false }, seams: { network } });
});
after(async () => {
  await world.close();
  await careful.close();
});

/** Refused for its address: the status, the type and the reason. */
function saidOfWebhook(reply: Reply): [string, string] {
  return [outcomeOf(reply), reply.body.errors[0].message.split(':')[0]];
}

/** Registers a webhook where nothing is sent to by itself. */
async function webhookTo(url: string): Promise<[string, string]> {
  const client = await bearerClient(careful, await register(careful));
  return saidOfWebhook(await client.call('POST', '/2/webhooks', { url }));
}

/** An application with a webhook that an event is on its way to. */
interface Replaying {
  readonly receiver: Receiver;
  /** Asks for a replay between two times, in seconds from now. */
  readonly replay: (from_s: number, to_s: number) => Promise<Reply>;
}

async function replaying(): Promise<Replaying> {
  const own = await register(world);
  const client: BearerClient = await bearerClient(world, own);
  const receiver = await openReceiver(own.consumer_secret);
  const { id: webhook_id } = (await client.call('POST', '/2/webhooks', { url: receiver.url })).body.data;
  const filter = { user_id: own.user };
  await client.call('POST', SUBSCRIPTIONS, { event_type: 'profile.update.bio', filter, webhook_id });
  // Whoever does not answer keeps a replay from ending.
  receiver.answer = () => {};
  await changeBio(world, own.user, ['held']);
  await receiver.came(1);
  const minute = (offset_s: number): string =>
    new Date(world.clock.now() + offset_s * 1000).toISOString().replace(/\D/g, '').slice(0, 12);
  return {
    receiver,
    replay: (from_s, to_s) =>
      client.call('POST', '/2/webhooks/replay', { webhook_id, from_date: minute(from_s), to_date: minute(to_s) }),
  };
}

const rows: readonly (readonly [request: string, send: () => Promise<unknown>, expect: unknown])[] = [
  [
    'POST subscription dm.received with bearer',
    async () => {
      const { app, user } = await newPerson(world);
      return outcomeOf(await app.call('POST', SUBSCRIPTIONS, { event_type: 'dm.received', filter: { user_id: user } }));
    },
    '403/unsupported-authentication',
  ],
  [
    'POST subscription dm.sent with direction received',
    async () => {
      const { own, user } = await newPerson(world);
      const filter = { user_id: user, direction: 'received' };
      return outcomeOf(await own.call('POST', SUBSCRIPTIONS, { event_type: 'dm.sent', filter }));
    },
    '400/invalid-request',
  ],
  [
    'POST subscription ProfileBioUpdate',
    async () => {
      const { app, user } = await newPerson(world);
      const body = { event_type: 'ProfileBioUpdate', filter: { user_id: user } };
      const reply = await app.call('POST', SUBSCRIPTIONS, body);
      return [outcomeOf(reply), reply.body.data.subscription.event_type, reply.headers.has('deprecation')];
    },
    ['ok', 'profile.update.bio', true],
  ],
  [
    'third stream connection',
    async () => {
      const who = await subscriber(world);
      const streams = [await openStream(world, who.bearer), await openStream(world, who.bearer)];
      const reply = await refused(world, who.bearer);
      for (const stream of streams) stream.close();
      return [outcomeOf(reply), reply.body.connection_issue];
    },
    ['429/streaming-connection', 'TooManyConnections'],
  ],
  [
    'webhook `http://`',
    () => webhookTo('http://hooks.example.test/in'),
    ['400/invalid-request', 'UrlValidationFailed'],
  ],
  [
    'webhook with port',
    () => webhookTo('https://hooks.example.test:8443/in'),
    ['400/invalid-request', 'UrlValidationFailed'],
  ],
  ['webhook to 127.0.0.1', () => webhookTo('https://127.0.0.1/in'), ['400/invalid-request', 'UrlValidationFailed']],
  [
    'webhook to a name that resolves to 10.0.0.1',
    () => webhookTo('https://hooks.example.test/in'),
    ['400/invalid-request', 'UrlValidationFailed'],
  ],
  [
    'webhook to a redirecting URL',
    async () => {
      const own = await register(world);
      const receiver = await openReceiver(own.consumer_secret);
      const elsewhere = await openReceiver(own.consumer_secret);
      receiver.answerChallenge = status(302, { location: elsewhere.url });
      const reply = await (await bearerClient(world, own)).call('POST', '/2/webhooks', { url: receiver.url });
      await receiver.close();
      await elsewhere.close();
      return [...saidOfWebhook(reply), receiver.challenges.length, elsewhere.challenges.length];
    },
    ['400/invalid-request', 'CrcValidationFailed', 1, 0],
  ],
  [
    'replay with from_date 25 h ago; to_date before from_date',
    async () => {
      const { replay, receiver } = await replaying();
      const outcomes = await outcomesOf(
        () => replay(-25 * 3600, -60),
        () => replay(-60, -120),
      );
      await receiver.close();
      return outcomes;
    },
    ['400/invalid-request', '400/invalid-request'],
  ],
  [
    'replay, second job while one runs',
    async () => {
      const { replay, receiver } = await replaying();
      const outcomes = await outcomesOf(
        () => replay(-60, 0),
        () => replay(-60, 0),
      );
      await receiver.close();
      return outcomes;
    },
    ['ok', '409/conflict'],
  ],
];

for (const [request, sendIt, expected] of rows) {
  test(`${request} -> ${JSON.stringify(expected)}`, async () => assert.deepEqual(await sendIt(), expected));
}
