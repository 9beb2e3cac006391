// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { eventUuid } from '../../src/contract/store/events.ts';
import { webhookKey } from '../../src/features/activity/webhooks/signing.ts';
import type { Keys } from '../rig/client.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver, said, status } from '../rig/receiver.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';
import { barkerApart, flagsOf, type Outcome } from './program.ts';

let world: World;
let keys: Keys & { readonly user: string };
let receiver: Receiver;
let webhook: string;
let subscription: string;
before(async () => {
  world = await openWorld();
  // Commands go by the clock of the machine.
  world.clock.advance((Date.now() - world.clock.now()) / 1000);
  keys = await register(world);
  receiver = await openReceiver(keys.consumer_secret);
  const client = await bearerClient(world, keys);
  webhook = (await client.call('POST', '/2/webhooks', { url: receiver.url })).body.data.id;
  const subscribed = await client.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: keys.user },
    webhook_id: webhook,
  });
  subscription = subscribed.body.data.subscription.subscription_id;
});
after(async () => {
  await receiver.close();
  await world.close();
});

// In a process of its own: this one serves the database, and a lock that it holds could not be given back while a command waits.
const run = (...args: string[]): Promise<Outcome> => barkerApart(['webhooks', ...args, ...flagsOf(world.place)]);
const failed = async (state: string): Promise<void> =>
  until(`a delivery is ${state}`, async () => {
    const query = { webhook, state: undefined, after: undefined, limit: 1 };
    const [row] = await world.service.store.read((tx) => tx.webhookDeliveries.page(query));
    return row?.state === state && row.tries.length > 0;
  });

describe('barker webhooks', () => {
  test('lists webhooks, also by application', async () => {
    const line = `${webhook}\tvalid\t${receiver.url}\n`;
    assert.deepEqual(await run('list'), { code: 0, stdout: line, stderr: '' });
    assert.equal((await run('list', '--app', keys.consumer_key)).stdout, line);
    assert.equal((await run('list', '--app', world.keys.consumer_key)).stdout, '');
    const unknown = await run('list', '--app', 'nobody');
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [1, 'barker: there is no application with this consumer key; see: barker app list\n'],
    );
  });

  test('lists and resends deliveries', async () => {
    receiver.answer = status(503);
    const [position] = (await changeBio(world, keys.user, ['x'])) as [number];
    await until('all tries are used up', async () => {
      world.clock.advance(1);
      await world.service.jobs.runDue();
      const query = { webhook, state: 'failed' as const, after: undefined, limit: 1 };
      return (await world.service.store.read((tx) => tx.webhookDeliveries.page(query))).length === 1;
    });
    const id = `msg_${eventUuid(position)}_${subscription}`;
    const { stdout, code } = await run('deliveries', webhook, '--state', 'failed', '--tries');
    const [first, ...tries] = stdout.trimEnd().split('\n');
    assert.match(first!, new RegExp(`^${id}\\tfailed\\tprofile.update.bio\\t\\S+Z\\t4 tries\\tstatus 503$`));
    assert.deepEqual([tries.length, code], [4, 0]);
    for (const line of tries) assert.match(line, /^ {2}\S+Z\tstatus 503\t\d+ ms$/);
    assert.equal((await run('deliveries', webhook, '--state', 'pending')).stdout, '');
    const before = receiver.messages.length;
    receiver.answer = status(200);
    const again = await run('resend', webhook, id);
    assert.deepEqual(again, { code: 0, stdout: 'resent=1\n', stderr: '' });
    world.clock.advance(3600);
    await receiver.came(before + 1);
    const [one, two] = [receiver.messages[0]!, receiver.messages.at(-1)!];
    assert.equal(one.body, two.body);
    assert.equal(one.headers['webhook-id'], two.headers['webhook-id']);
    await failed('delivered');
    assert.equal((await run('resend', webhook, '--failed')).stdout, 'resent=0\n');
  });

  test('rotates the secret; the old one signs for one more day', async () => {
    const master = { env: { BARKER_MASTER_KEY: world.service.settings.master_key } };
    const { stdout } = await barkerApart(['webhooks', 'secret', webhook, ...flagsOf(world.place)], master);
    const [, webhook_secret] = /^webhook_secret=(.*)\n$/.exec(stdout)!;
    recordSecret('webhook secret', webhook_secret);
    assert.match(webhook_secret!, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const last = async (): Promise<string[]> => {
      const count = receiver.messages.length;
      await changeBio(world, keys.user, ['y']);
      await receiver.came(count + 1);
      const { headers, body } = receiver.messages.at(-1)!;
      const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
      const own = createHmac('sha256', webhookKey(webhook_secret!)).update(text).digest('base64');
      const signatures = String(headers['webhook-signature']).split(' ');
      return signatures.map((each) => (each === `v1,${own}` ? 'own' : 'other'));
    };
    await until('the service knows it', async () => (await last())[0] === 'own');
    assert.deepEqual(await last(), ['own', 'other']);
    world.clock.advance(86_400 + 60);
    assert.deepEqual(await last(), ['own']);
  });

  const refusals: readonly (readonly [args: () => readonly string[], code: number, says: RegExp])[] = [
    [() => ['deliveries', '19'], 1, /there is no webhook 19; see: barker webhooks list/],
    [() => ['deliveries', webhook, '--count', 'x'], 2, /--count must be a number/],
    [() => ['resend', webhook], 2, /give either message ids or --failed/],
    [() => ['resend', webhook, 'msg_1', '--failed'], 2, /give either message ids or --failed/],
    [() => ['resend', webhook, 'msg_1'], 1, /there is no delivery of message msg_1/],
    [() => ['resend', '19', '--failed'], 1, /there is no webhook 19/],
  ];
  for (const [args, code, says] of refusals) {
    test(`rejects ${says.source}`, async () => {
      const outcome = await run(...args());
      assert.equal(outcome.code, code, outcome.stderr);
      assert.match(outcome.stderr, says);
    });
  }
});

describe('barker webhooks check', () => {
  const check = (url: string): Promise<Outcome> =>
    barkerApart(['webhooks', 'check', url, '--data', world.place.folder, '--consumer-key', keys.consumer_key], {
      env: { BARKER_CALL_CONSUMER_SECRET: keys.consumer_secret },
    });

  test('shows what was sent, expected and received', async () => {
    const { code, stdout } = await check(receiver.url);
    assert.equal(code, 0, stdout);
    const [sent] = stdout.split('\n');
    const [, token] = /^sent {6}GET http:\/\/127.0.0.1:\d+\/in\?crc_token=([0-9a-f]{64})&nonce=\S+$/.exec(sent!)!;
    const right = `sha256=${createHmac('sha256', keys.consumer_secret).update(token!).digest('base64')}`;
    assert.ok(stdout.includes(`\nexpected  200 {"response_token":"${right}"}\n`), stdout);
    assert.match(stdout, /\nreceived {2}200 from 127.0.0.1 after \d+ ms\n {10}content-type: application\/json\n/);
    assert.ok(stdout.includes(`\n          {"response_token":"${right}"}\nverdict   right\n`), stdout);
    assert.match(stdout, /\nnote {6}in production the url must begin with https:\/\/\n$/);
  });

  test('explains a failed check', async () => {
    receiver.answerChallenge = said('{"response_token":"\u001b[2Jx"}');
    const wrong = await check(receiver.url);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /\nverdict {3}wrong: The answer is not JSON; the body is not JSON/);
    assert.ok(!wrong.stdout.includes('\u001b'));
    const gone = await openReceiver('');
    await gone.close();
    const nothing = await check(gone.url);
    assert.equal(nothing.code, 1);
    assert.match(nothing.stdout, /\nreceived {2}nothing from 127.0.0.1 after \d+ ms: connection refused\n/);
    const unread = await check('ftp://x');
    assert.deepEqual([unread.code, unread.stderr], [2, 'barker: the url must begin with https://\n']);
  });
});
