import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { eventUuid } from '../../src/contract/store/events.ts';
import { LeaseLost } from '../../src/features/platform/job-leases.ts';
import type { Keys, Reply } from '../rig/client.ts';
import { type BearerClient, bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { openReceiver, type Receiver, said, status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  // 17:04:55 is when every world begins.
  world = await openWorld({ flags: { legacy_replay_sunset: '2026-09-01T00:00:00Z' } });
});
after(() => world.close());

const PATH = '/2/webhooks/replay';
const oldPath = (webhook: string, query: string): string =>
  `/2/account_activity/replay/webhooks/${webhook}/subscriptions/all${query}`;

let keys: Keys & { readonly user: string };
let client: BearerClient;
let receiver: Receiver;
let webhook: string;
beforeEach(async () => {
  keys = await register(world);
  client = await bearerClient(world, keys);
  receiver = await openReceiver(keys.consumer_secret);
  const made = await client.call('POST', '/2/webhooks', { url: receiver.url });
  webhook = made.body.data.id;
});
afterEach(() => receiver.close());

const subscribe = (tag: string): Promise<Reply> =>
  client.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: keys.user },
    webhook_id: webhook,
    tag,
  });
const minute = (offset_s = 0): string =>
  new Date(world.clock.now() + offset_s * 1000).toISOString().replace(/\D/g, '').slice(0, 12);
const emit = async (...texts: string[]): Promise<number[]> => {
  const positions = await changeBio(world, keys.user, texts);
  await world.service.services.activity.feed.waitUntilCaughtUp();
  return positions;
};
const afters = (): string[] =>
  receiver.messages.map(({ body }) => JSON.parse(body)).flatMap(({ data }) => (data ? [data.payload.after] : []));
const completion = async (): Promise<{ job_state: string; job_id: string }> => {
  const told = () => receiver.messages.map(({ body }) => JSON.parse(body)).find((each) => each.replay_job_status);
  await until('a replay has ended', () => told() !== undefined);
  return told().replay_job_status;
};
/** The job is stored as ended after its last message has gone out. */
const ended = (id: string): Promise<void> =>
  until('the job is stored as ended', async () => {
    const row = await world.service.store.read((tx) => tx.replays.find(id));
    return row!.state !== 'Running';
  });

describe('a replay', () => {
  test('resends missed events to current subscriptions, and reports completion', async () => {
    const [first, second] = await emit('one', 'two');
    // Whoever subscribes later is not told of what was before; a replay tells.
    await subscribe('late');
    const reply = await client.call('POST', PATH, { webhook_id: webhook, from_date: minute(-3600), to_date: minute() });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.headers.get('x-rate-limit-limit'), '100');
    const { job_id, created_at } = reply.body.data;
    assert.equal(created_at, new Date(world.clock.now()).toISOString());
    await completion();
    assert.equal(receiver.messages.length, 3);
    const [one, two, last] = receiver.messages.map(({ body }) => body);
    const envelope = (uuid: string, text: string): string =>
      `{"data":{"event_uuid":"${uuid}","event_type":"profile.update.bio","filter":{"user_id":"${keys.user}"},"tag":"late","payload":{"before":"","after":"${text}"}},"meta":{"replay":true}}`;
    assert.deepEqual([one, two], [envelope(eventUuid(first!), 'one'), envelope(eventUuid(second!), 'two')]);
    const told = `{"replay_job_status":{"webhook_id":"${webhook}","job_state":"Complete","job_state_description":"Job completed successfully","job_id":"${job_id}"}}`;
    assert.equal(last, told);
    const signature = createHmac('sha256', keys.consumer_secret).update(told).digest('base64');
    assert.equal(receiver.messages[2]!.headers['x-ext-webhooks-signature'], `sha256=${signature}`);
    await ended(job_id);
    const row = await world.service.store.read((tx) => tx.replays.find(job_id));
    assert.deepEqual([row!.state, row!.delivered, row!.failed], ['Complete', 2, 0]);
  });

  test('sends events one after the other in log order, however slow the responses are', async () => {
    const texts = Array.from({ length: 12 }, (_, number) => `text ${number}`);
    await emit(...texts);
    await subscribe('late');
    receiver.open.most = 0;
    let turns = texts.length;
    receiver.answer = (arrived, response) => {
      // The first takes longest.
      const wait = (left: number): unknown =>
        left > 0 ? setImmediate(wait, left - 1) : status(200)(arrived, response);
      wait(10 * turns--);
    };
    await client.call('POST', PATH, { webhook_id: webhook, from_date: minute(-60), to_date: minute() });
    await completion();
    assert.deepEqual(afters(), texts);
    assert.equal(receiver.open.most, 1);
  });

  test('makes one attempt, and reports incomplete deliveries', async () => {
    await subscribe('a');
    await emit('good', 'bad');
    await receiver.came(2);
    receiver.messages.length = 0;
    receiver.answer = (arrived, response) => status(arrived.body.includes('"bad"') ? 500 : 200)(arrived, response);
    const reply = await client.call('POST', PATH, { webhook_id: webhook, from_date: minute(-60), to_date: minute() });
    const told = await completion();
    assert.deepEqual(told, {
      webhook_id: webhook,
      job_state: 'Incomplete',
      job_state_description: 'Job failed to deliver all events, please retry your replay job',
      job_id: reply.body.data.job_id,
    });
    world.clock.advance(300);
    await world.service.jobs.runDue();
    assert.deepEqual(afters().sort(), ['bad', 'good']);
  });

  test('runs one job at a time for a webhook', async () => {
    await subscribe('a');
    receiver.answer = () => {};
    await emit('held');
    const body = { webhook_id: webhook, from_date: minute(-60), to_date: minute() };
    const replies = await Promise.all(Array.from({ length: 5 }, () => client.call('POST', PATH, body)));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409, 409, 409]);
    const conflict = replies.find((reply) => reply.status === 409)!;
    const { title, detail, type, status: code } = conflict.body;
    assert.deepEqual([title, code], ['Conflict', 409]);
    assert.equal(detail, 'ReplayConflictError: a replay job of this webhook is running');
    assert.match(type, /\/2\/problems\/conflict$/);
    const old = await client.call('POST', oldPath(webhook, `?from_date=${minute(-60)}&to_date=${minute()}`));
    assert.equal(old.status, 409, old.text);
    receiver.answer = status(200);
    await receiver.close();
  });

  const minutes: readonly (readonly [what: string, from: number, to: number, sent: string[]])[] = [
    ['both minutes are included', 0, 60, ['first', 'second']],
    ['what is before does not belong to it', 60, 120, ['second', 'third']],
    ['what comes later does not belong to it', -60, 0, ['first']],
  ];
  for (const [what, from, to, sent] of minutes) {
    test(`covers whole minutes: ${what}`, async () => {
      await subscribe('a');
      const begun = world.clock.now();
      for (const text of ['first', 'second', 'third']) {
        await emit(text);
        world.clock.advance(60);
      }
      await receiver.came(3);
      receiver.messages.length = 0;
      const since = (begun - world.clock.now()) / 1000;
      const body = { webhook_id: webhook, from_date: minute(since + from), to_date: minute(since + to) };
      const reply = await client.call('POST', PATH, body);
      assert.equal(reply.status, 200, reply.text);
      await completion();
      assert.deepEqual(afters().sort(), sent);
    });
  }

  test('can be longer than one read of the log', async () => {
    await subscribe('a');
    const texts = Array.from({ length: 620 }, (_, index) => `text ${index}`);
    await emit(...texts);
    await receiver.came(620);
    receiver.messages.length = 0;
    await client.call('POST', PATH, { webhook_id: webhook, from_date: minute(-60), to_date: minute() });
    assert.equal((await completion()).job_state, 'Complete');
    assert.deepEqual(afters().sort(), texts.sort());
  });
});

describe('a part of a replay whose lease is lost', () => {
  test('ends before its next request, and stores nothing', async () => {
    const [first, second] = await emit('one', 'two');
    await subscribe('late');
    const { store, webhooks } = world.service;
    const [id, held, lease] = ['1700000000000000077', Promise.withResolvers<void>(), new AbortController()];
    receiver.answer = (arrived, response) => void held.promise.then(() => status(200)(arrived, response));
    await store.write(async (tx) => {
      await tx.replays.add({
        ...{ id, webhook_id: webhook, application_id: (await tx.webhooks.find(webhook))!.application_id },
        ...{ state: 'Running', position: first! - 1, last_position: second!, delivered: 0, failed: 0 },
        ...{ created_at: '2026-03-02T17:04:55Z', ended_at: null },
      });
    });
    const part = webhooks.replay(id, lease.signal);
    await receiver.came(1);
    lease.abort(new LeaseLost('another server has the job'));
    held.resolve();
    await assert.rejects(part, { name: 'LeaseLost', message: 'another server has the job' });
    assert.equal(receiver.messages.length, 1);
    const row = await store.read((tx) => tx.replays.find(id));
    assert.deepEqual([row!.state, row!.position, row!.delivered], ['Running', first! - 1, 0]);
  });
});

describe('a replay is refused', () => {
  const day = 86_400;
  const cases: readonly (readonly [what: string, from: () => unknown, to: () => unknown, says: readonly string[]])[] = [
    ['older than the log', () => minute(-25 * 3600), () => minute(), ['from_date: is too old']],
    ['that ends before it begins', () => minute(-60), () => minute(-120), ['to_date: is not later than from_date']],
    ['that ends when it begins', () => minute(-60), () => minute(-60), ['to_date: is not later than from_date']],
    [
      'of the future',
      () => minute(60),
      () => minute(120),
      ['from_date: is in the future', 'to_date: is in the future'],
    ],
    ['that ends in the future', () => minute(-60), () => minute(60), ['to_date: is in the future']],
    [
      'of other times',
      () => '2026-03-02',
      () => '202613010000',
      ['from_date: is not a time', 'to_date: is not a time'],
    ],
    ['of 31 February', () => '202602310000', () => minute(), ['from_date: is not a time']],
    ['of objects', () => ({}), () => [day], ['from_date: is not a time', 'to_date: is not a time']],
  ];
  const found = ({ body, text, status: code }: Reply): string[] => {
    assert.equal(code, 400, text);
    return body.errors.map(({ parameters, message }: { parameters: object; message: string }) => {
      assert.match(message, /^QueryParamInvalid: /);
      return `${Object.keys(parameters)[0]}: ${message.replace(/^.*?\] /, '')}`;
    });
  };
  for (const [what, from, to, says] of cases) {
    test(what, async () => {
      const [from_date, to_date] = [from(), to()];
      const replies = [await client.call('POST', PATH, { webhook_id: webhook, from_date, to_date })];
      if (typeof from_date === 'string') {
        replies.push(await client.call('POST', oldPath(webhook, `?from_date=${from_date}&to_date=${to_date}`)));
      }
      for (const reply of replies) {
        const seen = found(reply);
        assert.equal(seen.length, says.length, reply.text);
        for (const [index, start] of says.entries()) assert.ok(seen[index]!.startsWith(start), reply.text);
      }
    });
  }

  test('without its members', async () => {
    const reply = await client.call('POST', PATH, { mail: 1 });
    const messages = reply.body.errors.map(({ message }: { message: string }) => message);
    assert.deepEqual(messages, [
      '$.mail: is not one of [webhook_id, from_date, to_date]',
      '$.webhook_id: is missing but it is required',
      '$.from_date: is missing but it is required',
      '$.to_date: is missing but it is required',
    ]);
    const old = await client.call('POST', oldPath(webhook, ''));
    const said = old.body.errors.map(({ message }: { message: string }) => message);
    assert.deepEqual(said, [
      'QueryParamInvalid: the parameter `from_date` is missing',
      'QueryParamInvalid: the parameter `to_date` is missing',
    ]);
    const list = await client.call('POST', PATH, []);
    assert.equal(list.body.errors[0].message, '$: is not an object');
    for (const query of ['?from_date=&to_date=', `?from_date=&to_date=${minute()}`]) {
      const nothing = await client.call('POST', oldPath(webhook, query));
      assert.equal(nothing.status, 400);
      assert.equal(nothing.body.errors[0].message, 'QueryParamInvalid: the parameter `from_date` is missing');
    }
    const empty = await client.call('POST', PATH, { webhook_id: '', from_date: minute(-60), to_date: minute() });
    assert.equal(empty.body.errors[0].message, 'The `webhook_id` value is empty');
  });

  test('to a webhook that is not the application’s', async () => {
    const body = { webhook_id: '19', from_date: minute(-60), to_date: minute() };
    const reply = await client.call('POST', PATH, body);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.body.errors[0].message, /^WebhookIdInvalid: /);
    const number = await client.call('POST', PATH, { ...body, webhook_id: 19 });
    assert.equal(number.status, 400, number.text);
    const old = await client.call('POST', oldPath('19', `?from_date=${minute(-60)}&to_date=${minute()}`));
    assert.equal(old.status, 404, old.text);
    assert.match(old.body.errors[0].detail, /^WebhookIdInvalid: /);
  });

  test('to a webhook that does not answer its challenge, or is not valid', async () => {
    const body = { webhook_id: webhook, from_date: minute(-60), to_date: minute() };
    receiver.answerChallenge = status(500);
    const unanswered = await client.call('POST', PATH, body);
    const reason = 'CrcValidationFailed: Crc validation failed for webhook url. Reason: ';
    assert.deepEqual(unanswered.body.errors, [
      { parameters: { webhook_id: [webhook] }, message: `${reason}Status 500` },
    ]);
    receiver.answerChallenge = said('{}');
    const wrong = await client.call('POST', PATH, body);
    assert.equal(wrong.body.errors[0].message, `${reason}No response_token`);
    const invalid = await client.call('POST', oldPath(webhook, `?from_date=${minute(-60)}&to_date=${minute()}`));
    assert.equal(invalid.body.errors[0].message, `${reason}The webhook is not valid`);
    assert.deepEqual(receiver.messages, []);
  });

  test('to a user', async () => {
    const json = { webhook_id: webhook, from_date: minute(-60), to_date: minute() };
    const replies = [
      await world.sandbox.call('POST', PATH, { json }),
      await world.sandbox.call('POST', oldPath(webhook, '?from_date=1&to_date=2')),
    ];
    for (const reply of replies) assert.match(reply.body.type, /unsupported-authentication$/);
  });
});

describe('the old path', () => {
  test('does the same, is marked as deprecated, warns from that day on, and is finally gone', async () => {
    await subscribe('a');
    await emit('one');
    await receiver.came(1);
    receiver.messages.length = 0;
    const call = () => client.call('POST', oldPath(webhook, `?from_date=${minute(-60)}&to_date=${minute()}`));
    const early = await call();
    assert.equal(early.status, 200, early.text);
    await ended(early.body.data.job_id);
    assert.deepEqual(afters(), ['one']);
    const { headers } = early;
    assert.equal(headers.get('deprecation'), '@1774454400');
    assert.equal(headers.get('link'), `<${world.service.sandboxUrl}/2/webhooks/replay>; rel="successor-version"`);
    assert.equal(headers.get('sunset'), 'Tue, 01 Sep 2026 00:00:00 GMT');
    assert.equal(headers.get('x-api-warn'), null);
    world.clock.advance((Date.parse('2026-03-25T16:00:00Z') - world.clock.now()) / 1000);
    const late = await call();
    assert.equal(late.status, 200, late.text);
    assert.equal(late.headers.get('x-api-warn'), 'This path is deprecated; use POST /2/webhooks/replay');
    await ended(late.body.data.job_id);
    world.clock.advance((Date.parse('2026-09-01T00:00:00Z') - world.clock.now()) / 1000);
    const gone = await call();
    assert.equal(gone.status, 410, gone.text);
    const detail = 'This endpoint has been retired and should not be used.';
    const errors = [{ code: 251, message: detail }];
    assert.deepEqual(gone.body, { title: 'Gone', type: 'about:blank', status: 410, detail, errors });
    const successor = await client.call('POST', PATH, {
      webhook_id: webhook,
      from_date: minute(-60),
      to_date: minute(),
    });
    assert.equal(successor.status, 200, successor.text);
    await ended(successor.body.data.job_id);
  });

  test('excludes the last minute when so configured', async () => {
    const strict = await openWorld({ flags: { legacy_replay_exclusive_end: true } });
    const own = await register(strict);
    const other = await openReceiver(own.consumer_secret);
    try {
      const caller = await bearerClient(strict, own);
      const made = await caller.call('POST', '/2/webhooks', { url: other.url });
      const id = made.body.data.id as string;
      await caller.call('POST', '/2/activity/subscriptions', {
        event_type: 'profile.update.bio',
        filter: { user_id: own.user },
        webhook_id: id,
      });
      const at = (): string => new Date(strict.clock.now()).toISOString().replace(/\D/g, '').slice(0, 12);
      const from = at();
      await changeBio(strict, own.user, ['first']);
      strict.clock.advance(60);
      await changeBio(strict, own.user, ['second']);
      await other.came(2);
      other.messages.length = 0;
      const reply = await caller.call('POST', oldPath(id, `?from_date=${from}&to_date=${at()}`));
      assert.equal(reply.status, 200, reply.text);
      await until('it has ended', async () => {
        return (await strict.service.store.read((tx) => tx.replays.find(reply.body.data.job_id)))!.state !== 'Running';
      });
      const texts = other.messages.flatMap(({ body }) => JSON.parse(body).data?.payload.after ?? []);
      assert.deepEqual(texts, ['first']);
    } finally {
      await other.close();
      await strict.close();
    }
  });
});
