import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Keys, Reply } from '../rig/client.ts';
import { type BearerClient, bearerClient } from '../rig/events.ts';
import { register } from '../rig/people.ts';
import { type Answering, openReceiver, type Receiver, responseToken, said, status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let keys: Keys;
let client: BearerClient;
let receiver: Receiver;
before(async () => {
  world = await openWorld();
  keys = await register(world);
  client = await bearerClient(world, keys);
  receiver = await openReceiver(keys.consumer_secret);
});
after(async () => {
  await receiver.close();
  await world.close();
});

const HOOKS = '/2/webhooks';
const sign = (text: string, encoding: 'base64' | 'hex' | 'base64url' = 'base64'): string =>
  createHmac('sha256', keys.consumer_secret).update(text).digest(encoding);

async function made(path = ''): Promise<string> {
  const reply = await client.call('POST', HOOKS, { url: receiver.url + path });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

function refused(reply: Reply, message: string, url?: string): void {
  assert.equal(reply.status, 400, reply.text);
  const errors = [{ parameters: url === undefined ? {} : { url: [url] }, message }];
  assert.deepEqual(reply.body.errors, errors);
}

describe('a webhook', () => {
  test('is registered once it has answered a challenge, listed, challenged again and removed', async () => {
    const url = `${receiver.url}?team=a`;
    const reply = await client.call('POST', HOOKS, { url });
    assert.equal(reply.status, 200, reply.text);
    const { id } = reply.body.data;
    const shown = `{"id":"${id}","url":"${url}","valid":true,"created_at":"2026-03-02T17:04:55.000Z"}`;
    assert.equal(reply.text, `{"data":${shown}}`);
    const { target, headers } = receiver.challenges.at(-1)!;
    const query = target.slice(target.indexOf('?') + 1);
    assert.match(query, /^team=a&crc_token=[0-9a-f]{64}&nonce=[\w-]{20,}$/);
    assert.equal(headers['x-ext-webhooks-signature'], `sha256=${sign(query)}`);
    assert.equal(headers['user-agent'], 'barker-webhooks/1');
    const list = await client.call('GET', HOOKS);
    assert.equal(list.text, `{"data":[${shown}],"meta":{"result_count":1}}`);
    const validated = await client.call('PUT', `${HOOKS}/${id}`);
    assert.equal(validated.text, '{"data":{"valid":true}}');
    const removed = await client.call('DELETE', `${HOOKS}/${id}`);
    assert.equal(removed.text, '{"data":{"deleted":true}}');
    const limits = [reply, list, validated, removed].map(({ headers }) => headers.get('x-rate-limit-limit'));
    assert.deepEqual(limits, Array(4).fill('450'));
    assert.equal((await client.call('GET', HOOKS)).text, '{"data":[],"meta":{"result_count":0}}');
  });

  test('that does not exist or belongs to another application is not found', async () => {
    const id = await made('/own');
    const other = await bearerClient(world, await register(world));
    for (const [caller, wanted] of [
      [client, '19'],
      [other, id],
    ] as const) {
      for (const method of ['PUT', 'DELETE']) {
        const reply = await caller.call(method, `${HOOKS}/${wanted}`);
        assert.equal(reply.status, 404, reply.text);
        const { detail, parameter, resource_type, resource_id } = reply.body.errors[0];
        assert.equal(detail, `WebhookIdInvalid: Could not find webhook with webhook_id: [${wanted}].`);
        assert.deepEqual([parameter, resource_type, resource_id], ['webhook_id', 'webhook', wanted]);
      }
    }
    await client.call('DELETE', `${HOOKS}/${id}`);
  });

  test('is not for users: only the application itself has any', async () => {
    const { sandbox } = world;
    const replies = await Promise.all([
      sandbox.call('GET', HOOKS),
      sandbox.call('POST', HOOKS, { json: { url: receiver.url } }),
      sandbox.call('PUT', `${HOOKS}/19`),
      sandbox.call('DELETE', `${HOOKS}/19`),
    ]);
    for (const reply of replies) {
      assert.equal(reply.status, 403, reply.text);
      assert.match(reply.body.type, /\/2\/problems\/unsupported-authentication$/);
    }
  });

  test('is unique, however its URL is written', async () => {
    const id = await made('/once');
    const same = receiver.url.replace('http:', 'HTTP:');
    const reply = await client.call('POST', HOOKS, { url: `${same}/once` });
    assert.match(reply.body.errors[0].message, /^DuplicateUrlFailed: /);
    assert.deepEqual(reply.body.errors[0].parameters, { url: [`${same}/once`] });
    const other = await bearerClient(world, await register(world, { consumerSecret: keys.consumer_secret }));
    const others = await other.call('POST', HOOKS, { url: `${receiver.url}/once` });
    assert.equal(others.status, 200, others.text);
    await other.call('DELETE', `${HOOKS}/${others.body.data.id}`);
    await client.call('DELETE', `${HOOKS}/${id}`);
  });

  test('is limited to five, for twenty concurrent registrations', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => client.call('POST', HOOKS, { url: `${receiver.url}/at/${index}` })),
    );
    const good = replies.filter((reply) => reply.status === 200);
    const bad = replies.filter((reply) => reply.status === 400);
    assert.deepEqual([good.length, bad.length], [5, 15]);
    for (const reply of bad) {
      refused(reply, 'WebhookLimitExceeded: this application may have at most 5 webhooks');
    }
    for (const { body } of good) await client.call('DELETE', `${HOOKS}/${body.data.id}`);
  });

  test('is registered once, for ten concurrent registrations of one URL', async () => {
    const url = `${receiver.url}/same`;
    const replies = await Promise.all(Array.from({ length: 10 }, () => client.call('POST', HOOKS, { url })));
    const good = replies.filter((reply) => reply.status === 200);
    assert.equal(good.length, 1);
    for (const reply of replies) {
      if (reply.status !== 200) assert.match(reply.body.errors[0].message, /^DuplicateUrlFailed: /);
    }
    await client.call('DELETE', `${HOOKS}/${good[0]!.body.data.id}`);
  });
});

describe('a body', () => {
  const bodies: readonly (readonly [what: string, json: unknown, messages: readonly string[]])[] = [
    ['that is no object', ['x'], ['$: is not an object']],
    ['without url', {}, ['$.url: is missing but it is required']],
    ['with more than the url', { url: '7', mail: 'a@b.c' }, ['$.mail: is not one of [url]']],
    ['with a url that is empty', { url: '' }, ['The `url` value is empty']],
    ['with a url that is no text', { url: ['x'] }, ['The `url` value is not a text']],
    [
      'with a url of control characters',
      { url: 'http://a\u0000b/' },
      ['The `url` value has characters that a text cannot have'],
    ],
    [
      'with a url without end',
      { url: `http://a/${'b'.repeat(2048)}` },
      ['The `url` value has 2057 characters; the most are 2048'],
    ],
  ];
  for (const [what, json, messages] of bodies) {
    test(`${what} is refused`, async () => {
      const reply = await client.call('POST', HOOKS, json);
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(
        reply.body.errors.map(({ message }: { message: string }) => message),
        messages,
      );
    });
  }
});

describe('a challenge', () => {
  const right =
    (text: (token: string) => string): Answering =>
    (arrived, response) => {
      const token = new URL(arrived.target, 'http://receiver').searchParams.get('crc_token')!;
      said(text(token))(arrived, response);
    };
  const tokens = (token: string): string => JSON.stringify({ response_token: token });
  const cases: readonly (readonly [answered: string, answer: Answering, reason: string, hint: RegExp])[] = [
    ['without a body', status(200), 'The answer is not JSON', /not JSON/],
    ['with text', said('ok'), 'The answer is not JSON', /not JSON/],
    ['with another member', said('{"token":"x"}'), 'No response_token', /members: token$/],
    ['with a list', said('[]'), 'No response_token', /members/],
    ['with anything', said(tokens('sha256=x')), 'Invalid response_token', /signed with the consumer secret/],
    ['in hex', right((token) => tokens(`sha256=${sign(token, 'hex')}`)), 'Invalid response_token', /hex/],
    ['in base64url', right((token) => tokens(`sha256=${sign(token, 'base64url')}`)), 'Invalid response_token', /./],
    ['without sha256=', right((token) => tokens(sign(token))), 'Invalid response_token', /prefix sha256= is missing/],
    ['with the token itself', right(tokens), 'Invalid response_token', /unsigned/],
    ['with a redirect', status(302, { location: 'https://a.example/' }), 'A redirect', /redirects are not followed/],
    ['with 204', status(204), 'Status 204', /expected status 200/],
    ['with 404', status(404), 'Status 404', /does the receiver accept GET/],
    ['with 500', status(500), 'Status 500', /500/],
    [
      'without end',
      (_, response) => {
        const more = (): void =>
          void (response.destroyed || response.write('x'.repeat(65_536), () => setImmediate(more)));
        more();
      },
      'The answer did not end',
      /truncated/,
    ],
    [
      'with what is no HTTP',
      (_, response) => void response.socket!.end('hello\r\n\r\n'),
      'The answer is not HTTP',
      /./,
    ],
  ];
  for (const [answered, answer, reason, hint] of cases) {
    test(`answered ${answered} registers nothing`, async () => {
      receiver.answerChallenge = answer;
      const url = `${receiver.url}/refused`;
      const reply = await client.call('POST', HOOKS, { url });
      refused(reply, `CrcValidationFailed: Crc validation failed for webhook url. Reason: ${reason}`, url);
      // What the receiver said is for its developer alone.
      assert.match(reply.headers.get('x-hint')!, hint);
      assert.equal((await client.call('GET', HOOKS)).body.meta.result_count, 0);
    });
  }

  test('without a response registers nothing', async () => {
    const gone = await openReceiver(keys.consumer_secret);
    await gone.close();
    const reply = await client.call('POST', HOOKS, { url: gone.url });
    refused(reply, 'UrlValidationFailed: the host of the url cannot be reached', gone.url);
    receiver.answerChallenge = (_, response) => void response.destroy();
    const url = `${receiver.url}/closing`;
    refused(
      await client.call('POST', HOOKS, { url }),
      'UrlValidationFailed: the host of the url cannot be reached',
      url,
    );
  });

  const answers: Answering = (arrived, response) =>
    said(JSON.stringify({ response_token: responseToken(keys.consumer_secret, arrived) }))(arrived, response);
  const isValid = async (): Promise<boolean> => (await client.call('GET', HOOKS)).body.data[0].valid;

  test('answered incorrectly makes a webhook invalid at once, and answered correctly valid again', async () => {
    receiver.answerChallenge = answers;
    const id = await made('/turns');
    receiver.answerChallenge = said(tokens('sha256=x'));
    const wrong = await client.call('PUT', `${HOOKS}/${id}`);
    assert.equal(wrong.status, 400, wrong.text);
    const message = 'CrcValidationFailed: Crc validation failed for webhook url. Reason: Invalid response_token';
    assert.deepEqual(wrong.body.errors, [{ parameters: { webhook_id: [id] }, message }]);
    assert.equal(await isValid(), false);
    receiver.answerChallenge = answers;
    assert.equal((await client.call('PUT', `${HOOKS}/${id}`)).status, 200);
    assert.equal(await isValid(), true);
    await client.call('DELETE', `${HOOKS}/${id}`);
  });

  test('of a webhook that is removed meanwhile is not found', async () => {
    receiver.answerChallenge = answers;
    const id = await made('/short');
    receiver.answerChallenge = (arrived, response) => {
      void client.call('DELETE', `${HOOKS}/${id}`).then(() => answers(arrived, response));
    };
    const reply = await client.call('PUT', `${HOOKS}/${id}`);
    assert.equal(reply.status, 404, reply.text);
    assert.match(reply.body.errors[0].detail, /^WebhookIdInvalid: /);
  });

  test('is repeated daily, and every half hour while unanswered; after 28 hours the webhook is invalid', async () => {
    receiver.answerChallenge = answers;
    const id = await made('/daily');
    const run = async (seconds: number): Promise<number> => {
      const before = receiver.challenges.length;
      world.clock.advance(seconds);
      await world.service.jobs.runDue();
      return receiver.challenges.length - before;
    };
    assert.equal(await run(24 * 3600 - 1), 0);
    assert.equal(await run(1), 1);
    assert.equal(await run(24 * 3600 - 1), 0);
    receiver.answerChallenge = status(503);
    assert.equal(await run(1), 1);
    assert.equal(await run(1799), 0);
    assert.equal(await run(1), 1);
    assert.equal(await isValid(), true);
    // One answer ends the series.
    receiver.answerChallenge = answers;
    assert.equal(await run(1800), 1);
    receiver.answerChallenge = status(503);
    assert.equal(await run(24 * 3600), 1);
    for (let half = 1; half <= 55; half++) assert.equal(await run(1800), 1);
    assert.equal(await isValid(), true);
    assert.equal(await run(1800), 1);
    assert.equal(await isValid(), false);
    // Who is invalid is left alone.
    assert.equal(await run(48 * 3600), 0);
    receiver.answerChallenge = answers;
    assert.equal((await client.call('PUT', `${HOOKS}/${id}`)).status, 200);
    await client.call('DELETE', `${HOOKS}/${id}`);
    assert.equal(await run(48 * 3600), 0);
  });
});
