import assert from 'node:assert/strict';
import type { Api } from '../api.ts';
import { expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { openReceiver, openWebhook, register, remove, signatureOf } from './receiver.ts';
import { changeBio, newSubscription, SUBSCRIPTIONS } from './steps.ts';

const NO_ID = '1';

/** Expects a failure with a reason. */
function expectReason(reply: Awaited<ReturnType<typeof register>>, status: number, reason: string): void {
  expectProblem(reply, status, status === 404 ? 'resource-not-found' : 'invalid-request');
  const message: string = reply.body.errors[0].message ?? reply.body.errors[0].detail;
  assert.ok(message.startsWith(`${reason}: `), `expected ${reason}, got ${message}`);
}

async function callAs(api: Api, method: string, path: string, json?: unknown) {
  return api.call({ method, path, json, as: await api.bearer() });
}

/** Registers a URL that is refused, whether or not the server reaches this machine. */
const refuse = (api: Api, url: string) => callAs(api, 'POST', '/2/webhooks', { url });

/** A minute as replays have it, some minutes from now. */
function minute(offset: number): string {
  return new Date(Date.now() + offset * 60_000).toISOString().replace(/\D/g, '').slice(0, 12);
}

/** A webhook to which an event of the user was sent, whose text has a word of its own. */
async function delivered(api: Api) {
  const { receiver, id } = await openWebhook(api);
  const { filter, subscription_id } = await newSubscription(api, { webhook_id: id, tag: 'of a check' });
  await changeBio(api, [`é ${filter.keyword}`]);
  const isMessage = ({ method, body }: { method: string; body: string }) =>
    method === 'POST' && body.includes(filter.keyword);
  const message = (await receiver.when((arrived) => arrived.some(isMessage))).find(isMessage)!;
  return { receiver, id, message, filter, subscription_id };
}

/** Checks of calls and challenges: 19.1 to 19.3. */
const registrationRules: readonly Rule[] = [
  rule('activity 19.1.1', async (api) => {
    expectProblem(await api.call({ path: '/2/webhooks' }), 403, 'unsupported-authentication');
    expectProblem(await api.call({ path: '/2/webhooks', as: null }), 401, 'about:blank');
  }),
  rule('activity 19.1.3', async (api) => {
    const { url } = await openReceiver(api);
    const { status, body } = await register(api, url);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data).sort(), ['created_at', 'id', 'url', 'valid']);
    assert.deepEqual([body.data.url, body.data.valid], [url, true]);
  }),
  rule('activity 19.1.4', async (api) => {
    const { id } = await openWebhook(api);
    const { status, body } = await callAs(api, 'GET', '/2/webhooks');
    assert.equal(status, 200);
    assert.ok(body.data.some((each: { id: string }) => each.id === id));
    assert.equal(body.meta.result_count, body.data.length);
  }),
  rule('activity 19.1.5', async (api) => {
    const { receiver, id } = await openWebhook(api);
    const { status, body } = await callAs(api, 'PUT', `/2/webhooks/${id}`);
    assert.deepEqual([status, body], [200, { data: { valid: true } }]);
    assert.equal(receiver.arrived.length, 2);
  }),
  rule('activity 19.1.6', async (api) => {
    const { id } = await openWebhook(api);
    const { subscription_id } = await newSubscription(api, { webhook_id: id });
    const { status, body } = await remove(api, id);
    assert.deepEqual([status, body], [200, { data: { deleted: true } }]);
    const list = await callAs(api, 'GET', `${SUBSCRIPTIONS}?max_results=1000`);
    const left = list.body.data.find((each: { subscription_id: string }) => each.subscription_id === subscription_id);
    assert.ok(left && !('webhook_id' in left));
  }),
  rule('activity 19.2.2', async (api) => {
    for (const url of ['not a url', 'ftp://hooks.example.test/in', `https://hooks.example.test/${'x'.repeat(200)}`]) {
      expectReason(await refuse(api, url), 400, 'UrlValidationFailed');
    }
    for (const url of ['https://user@hooks.example.test/in', 'https://hooks.example.test/in#part']) {
      expectReason(await refuse(api, url), 400, 'UrlValidationFailed');
    }
  }),
  rule('activity 19.2.3', async (api) => {
    const receiver = await openReceiver(api);
    receiver.isRight = false;
    expectReason(await register(api, receiver.url), 400, 'CrcValidationFailed');
  }),
  rule('activity 19.2.4', async (api) => {
    const { receiver } = await openWebhook(api);
    expectReason(await register(api, receiver.url), 400, 'DuplicateUrlFailed');
  }),
  rule('activity 19.2.6', async (api) => {
    for (const method of ['PUT', 'DELETE']) {
      const reply = await callAs(api, method, `/2/webhooks/${NO_ID}`);
      expectStatus(reply, 404);
      assert.match(reply.text, /WebhookIdInvalid: /);
    }
    const body = { webhook_id: NO_ID, from_date: minute(-5), to_date: minute(-1) };
    const replayed = await callAs(api, 'POST', '/2/webhooks/replay', body);
    expectReason(replayed, 400, 'WebhookIdInvalid');
  }),
  rule('activity 19.3.1', async (api) => {
    const { receiver } = await openWebhook(api);
    const [{ method, target, headers, body }] = receiver.arrived as [(typeof receiver.arrived)[number]];
    assert.deepEqual([method, body], ['GET', '']);
    const query = target.slice(target.indexOf('?') + 1);
    assert.deepEqual([...new URLSearchParams(query).keys()], ['crc_token', 'nonce']);
    assert.equal(headers['x-ext-webhooks-signature'], signatureOf(api.consumer.consumer_secret, query));
  }),
  rule('activity 19.3.2', async (api) => {
    const { receiver } = await openWebhook(api);
    const { searchParams } = new URL(receiver.arrived[0]!.target, 'http://receiver');
    assert.match(searchParams.get('crc_token') ?? '', /^[0-9a-f]{64}$/);
  }),
  rule('activity 19.3.6', async (api) => {
    const { receiver, id } = await openWebhook(api);
    receiver.isRight = false;
    expectReason(await callAs(api, 'PUT', `/2/webhooks/${id}`), 400, 'CrcValidationFailed');
    const { body } = await callAs(api, 'GET', '/2/webhooks');
    assert.equal(body.data.find((each: { id: string }) => each.id === id).valid, false);
  }),
  rule('activity 19.3.8', async (api) => {
    const { receiver, id } = await openWebhook(api);
    receiver.isRight = false;
    await callAs(api, 'PUT', `/2/webhooks/${id}`);
    receiver.isRight = true;
    expectStatus(await callAs(api, 'PUT', `/2/webhooks/${id}`), 200);
    const { body } = await callAs(api, 'GET', '/2/webhooks');
    assert.equal(body.data.find((each: { id: string }) => each.id === id).valid, true);
  }),
];

/** Checks of deliveries and replays: 19.4, 20 and 21.5. */
const deliveryRules: readonly Rule[] = [
  rule('activity 17.6.2', async (api) => {
    const { message, filter } = await delivered(api);
    assert.deepEqual(JSON.parse(message.body).data.filter, filter);
  }),
  rule('activity 19.4.1', async (api) => {
    const { message } = await delivered(api);
    assert.equal(message.headers['content-type'], 'application/json; charset=utf-8');
    const { data } = JSON.parse(message.body);
    assert.deepEqual(Object.keys(data), ['event_uuid', 'event_type', 'filter', 'tag', 'payload']);
  }),
  rule('activity 19.4.2', async (api) => {
    const { message } = await delivered(api);
    const { consumer_secret } = api.consumer;
    assert.equal(message.headers['x-ext-webhooks-signature'], signatureOf(consumer_secret, message.body));
  }),
  rule('activity 19.4.3', async (api) => {
    const { headers } = (await delivered(api)).message;
    assert.match(headers['user-agent'] ?? '', /^[\w.-]+-webhooks\/1$/);
    assert.match(String(headers['x-transaction-id']), /^[0-9a-f]{16}$/);
  }),
  rule('activity 20.1.1', async (api) => {
    for (const left of ['webhook_id', 'from_date', 'to_date']) {
      const body = { webhook_id: NO_ID, from_date: minute(-5), to_date: minute(-1), [left]: undefined };
      const reply = await callAs(api, 'POST', '/2/webhooks/replay', body);
      expectProblem(reply, 400, 'invalid-request');
      assert.match(reply.text, new RegExp(left));
    }
  }),
  rule('activity 20.1.2', async (api) => {
    const { id } = await openWebhook(api);
    for (const [from_date, to_date] of [
      [minute(-25 * 60), minute(-1)],
      [minute(-1), minute(-5)],
      [minute(-5), minute(10)],
      ['today', minute(-1)],
    ]) {
      const body = { webhook_id: id, from_date, to_date };
      expectReason(await callAs(api, 'POST', '/2/webhooks/replay', body), 400, 'QueryParamInvalid');
    }
  }),
  rule('activity 20.1.9', async (api) => {
    const { receiver, id, message } = await delivered(api);
    const { event_uuid } = JSON.parse(message.body).data;
    const body = { webhook_id: id, from_date: minute(-2), to_date: minute(0) };
    const reply = await callAs(api, 'POST', '/2/webhooks/replay', body);
    expectStatus(reply, 200);
    assert.deepEqual(Object.keys(reply.body.data).sort(), ['created_at', 'job_id']);
    const isLast = ({ body: text }: { body: string }) => text.includes('replay_job_status');
    const arrived = await receiver.when((all) => all.some(isLast));
    const again = arrived.map(({ body: text }) => text).filter((text) => text.includes('"replay":true'));
    assert.ok(again.some((text) => JSON.parse(text).data.event_uuid === event_uuid));
    for (const text of again) assert.deepEqual(JSON.parse(text).meta, { replay: true });
    assert.deepEqual(JSON.parse(arrived.find(isLast)!.body).replay_job_status, {
      webhook_id: id,
      job_state: 'Complete',
      job_state_description: 'Job completed successfully',
      job_id: reply.body.data.job_id,
    });
  }),
  rule('activity 20.2.2', async (api) => {
    const path = `/2/account_activity/replay/webhooks/${NO_ID}/subscriptions/all`;
    const reply = await callAs(api, 'POST', `${path}?from_date=${minute(-5)}&to_date=${minute(-1)}`);
    expectStatus(reply, 404);
    assert.equal(reply.headers.get('deprecation'), '@1774454400');
    assert.equal(reply.headers.get('link'), `<${api.url}/2/webhooks/replay>; rel="successor-version"`);
  }),
  rule('activity 21.5.1', async (api) => {
    const { message, subscription_id } = await delivered(api);
    const { event_uuid } = JSON.parse(message.body).data;
    assert.equal(message.headers['webhook-id'], `msg_${event_uuid}_${subscription_id}`);
    assert.match(String(message.headers['webhook-timestamp']), /^\d+$/);
    assert.match(String(message.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=/);
  }),
];

/** Checks of problems: section 21.2. */
const problemRules: readonly Rule[] = [
  rule('activity 21.2.2', async (api) => {
    const reply = await api.call({ path: '/2/users/me', as: { ...api.user, consumer_secret: 'wrong' } });
    expectStatus(reply, 401);
    const { title, type, status, detail, errors } = reply.body;
    assert.deepEqual([title, type, status, detail], ['Unauthorized', 'about:blank', 401, 'Unauthorized']);
    assert.deepEqual([errors[0].code, errors[0].message], [32, 'Could not authenticate you.']);
  }),
  rule('activity 21.2.3', async (api) => {
    const { body } = await api.call({ path: '/2/users/me', as: await api.bearer() });
    assert.equal(body.title, 'Unsupported Authentication');
    assert.match(body.detail, /Supported authentication types are \[OAuth 1\.0a User Context\]/);
  }),
  rule('activity 21.2.6', async (api) => {
    const { body } = await callAs(api, 'GET', `${SUBSCRIPTIONS}?max_results=0`);
    const detail = 'One or more parameters to your request was invalid.';
    assert.deepEqual([body.title, body.detail], ['Invalid Request', detail]);
    assert.equal(body.type, `${api.url}/2/problems/invalid-request`);
    assert.deepEqual(Object.keys(body.errors[0]).sort(), ['message', 'parameters']);
  }),
  rule('activity 21.2.10', async (api) => {
    const browser = api.browser();
    for (const slug of [
      'invalid-request',
      'resource-not-found',
      'unsupported-authentication',
      'streaming-connection',
    ]) {
      const { status, headers } = await browser.get(`/2/problems/${slug}`);
      assert.deepEqual([status, headers.get('content-type')?.split(';')[0]], [200, 'text/html']);
    }
  }),
];

/** Checks of webhooks, replays and problems. */
export const webhookRules: readonly Rule[] = [...registrationRules, ...deliveryRules, ...problemRules];
