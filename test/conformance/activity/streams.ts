import assert from 'node:assert/strict';
import { basic } from '../api.ts';
import { expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { changeBio, newFilter, newSubscription, newWord, subscribe } from './steps.ts';
import { askStream, type OpenStream, openStream } from './stream.ts';

const CLOSED_WITHIN_MS = 5000;

/** Instants as parameters have them, some seconds from now. */
const at = (offset_s: number): string => new Date(Date.now() + offset_s * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

/** The events of a stream that a subscription with this keyword gets. */
function eventsOf(stream: OpenStream, keyword: string) {
  return stream.lines().filter(({ data }) => data?.filter.keyword === keyword);
}

/** The user of some keys. */
const userOf = ({ access_token }: { readonly access_token?: string }): string => access_token!.split('-', 1)[0]!;

/** Checks of events: section 16. */
const eventRules: readonly Rule[] = [
  rule('activity 16.2.1', async (api) => {
    const { filter } = await newSubscription(api, { tag: 'of a check' });
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [`é ${filter.keyword}`]);
    const [line] = await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    assert.deepEqual(Object.keys(line!), ['data']);
    assert.deepEqual(Object.keys(line!.data), ['event_uuid', 'event_type', 'filter', 'tag', 'payload']);
    assert.match(stream.text(), /é/);
  }),
  rule('activity 16.2.2', async (api) => {
    const [one, other] = [await newSubscription(api, { tag: 'one' }), await newSubscription(api)];
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [`${one.filter.keyword} ${other.filter.keyword}`]);
    const words = [one.filter.keyword, other.filter.keyword];
    await stream.when(() => words.every((word) => eventsOf(stream, word).length > 0));
    const [first, second] = words.map((word) => eventsOf(stream, word)[0]!.data);
    assert.equal(first.event_uuid, second.event_uuid);
    assert.match(first.event_uuid, /^\d+$/);
    assert.deepEqual([first.tag, second.tag], ['one', undefined]);
  }),
  rule('activity 16.2.3', async (api) => {
    const { filter } = await newSubscription(api);
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [filter.keyword]);
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    const [event] = eventsOf(stream, filter.keyword);
    assert.deepEqual(event!.data.filter, filter);
    assert.equal('tag' in event!.data, false);
  }),
  rule('activity 16.3.1', async (api) => {
    const { filter } = await newSubscription(api);
    const stream = await openStream(api, await api.bearer());
    const before = await changeBio(api, [filter.keyword]);
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    assert.deepEqual(eventsOf(stream, filter.keyword)[0]!.data.payload, { before, after: filter.keyword });
  }),
  rule('activity 16.3.3', async (api) => {
    const { filter } = await newSubscription(api);
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [`${filter.keyword} 1`, `${filter.keyword} 1`, `${filter.keyword} 2`]);
    await stream.when(() => eventsOf(stream, filter.keyword).length >= 2);
    const texts = eventsOf(stream, filter.keyword).map(({ data }) => data.payload.after);
    assert.deepEqual(texts, [`${filter.keyword} 1`, `${filter.keyword} 2`]);
  }),
  rule('activity 16.4.1', async (api) => {
    const [own, other] = [api.keysOf('messages_'), api.keysOf('messages_other_')];
    const keyword = newWord();
    for (const [event_type, as] of [
      ['dm.sent', own],
      ['dm.received', other],
    ] as const) {
      expectStatus(await subscribe(api, { event_type, filter: { user_id: userOf(as), keyword } }, { as }), 200);
    }
    const stream = await openStream(api, await api.bearer(own));
    const path = `/2/dm_conversations/with/${userOf(other)}/messages`;
    expectStatus(await api.call({ method: 'POST', path, as: own, json: { text: `Hello ${keyword}` } }), 201);
    await stream.when(() => eventsOf(stream, keyword).length >= 2);
    const types = eventsOf(stream, keyword).map(({ data }) => data.event_type);
    assert.deepEqual(types.sort(), ['dm.received', 'dm.sent']);
  }),
  rule('activity 16.4.2', async (api) => {
    const [own, other] = [api.keysOf('messages_'), api.keysOf('messages_other_')];
    const keyword = newWord();
    const filter = { user_id: userOf(own), keyword };
    expectStatus(await subscribe(api, { event_type: 'dm.sent', filter }, { as: own }), 200);
    const stream = await openStream(api, await api.bearer(own));
    const path = `/2/dm_conversations/with/${userOf(other)}/messages`;
    const sent = await api.call({ method: 'POST', path, as: own, json: { text: keyword } });
    assert.deepEqual(Object.keys(sent.body.data).sort(), ['dm_conversation_id', 'dm_event_id']);
    await stream.when(() => eventsOf(stream, keyword).length > 0);
    const { direct_message_events: events, users } = eventsOf(stream, keyword)[0]!.data.payload;
    const [{ type, id, created_timestamp, message_create }] = events;
    assert.deepEqual([type, id], ['message_create', sent.body.data.dm_event_id]);
    assert.match(created_timestamp, /^\d{13}$/);
    assert.equal(message_create.target.recipient_id, userOf(other));
    assert.deepEqual([message_create.sender_id, message_create.message_data.text], [userOf(own), keyword]);
    assert.deepEqual(Object.keys(users).sort(), [userOf(own), userOf(other)].sort());
  }),
  rule('activity 16.5.2', async (api) => {
    const [own, other] = [api.keysOf('messages_'), api.keysOf('messages_other_')];
    const filter = { user_id: userOf(own) };
    const reply = await subscribe(api, { event_type: 'dm.indicate_typing', filter }, { as: own });
    expectStatus(reply, 200);
    const stream = await openStream(api, await api.bearer(own));
    const typing = { method: 'POST', path: '/1.1/direct_messages/indicate_typing.json', as: other };
    expectStatus(await api.call({ ...typing, form: [['recipient_id', userOf(own)]] }), 204);
    const [line] = await stream.when((lines) => lines.length > 0);
    const [{ created_timestamp, sender_id, target }] = line!.data.payload.direct_message_indicate_typing_events;
    assert.match(created_timestamp, /^\d{13}$/);
    assert.deepEqual([sender_id, target.recipient_id], [userOf(other), userOf(own)]);
    assert.ok(userOf(other) in line!.data.payload.users);
  }),
  rule('activity 16.7.1', async (api) => {
    const reply = await subscribe(api, { event_type: 'no.such.type', filter: newFilter(api) });
    expectProblem(reply, 400, 'invalid-request');
  }),
  rule('activity 16.9.1', async (api) => {
    const { filter } = await newSubscription(api);
    const absent = (await newSubscription(api)).filter;
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [filter.keyword]);
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    assert.equal(eventsOf(stream, absent.keyword).length, 0);
  }),
  rule('activity 16.9.3', async (api) => {
    const { filter } = await newSubscription(api);
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [`${filter.keyword}s`, `A ${filter.keyword.toUpperCase()}!`]);
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    const texts = eventsOf(stream, filter.keyword).map(({ data }) => data.payload.after);
    assert.deepEqual(texts, [`A ${filter.keyword.toUpperCase()}!`]);
  }),
];

/** Checks of streams: section 18. */
const readingRules: readonly Rule[] = [
  rule('activity 18.1', async (api) => {
    await openStream(api, await api.bearer());
    expectProblem(await api.call({ path: '/2/activity/stream', as: null }), 401, 'about:blank');
  }),
  rule('activity 18.2', async (api) => {
    await openStream(api, await api.bearer(), '?backfill_minutes=5');
    for (const minutes of ['6', '-1', 'all']) {
      const path = `/2/activity/stream?backfill_minutes=${minutes}`;
      expectProblem(await api.call({ path, as: await api.bearer() }), 400, 'invalid-request');
    }
  }),
  rule('activity 18.3', async (api) => {
    const as = await api.bearer();
    for (const query of [
      'start_time=yesterday',
      `start_time=${at(-25 * 3600)}`,
      `start_time=${at(-60)}&end_time=${at(-120)}`,
      `start_time=${at(-60)}&end_time=${at(3600)}`,
    ]) {
      expectProblem(await api.call({ path: `/2/activity/stream?${query}`, as }), 400, 'invalid-request');
    }
  }),
  rule('activity 18.4', async (api) => {
    const path = `/2/activity/stream?backfill_minutes=1&start_time=${at(-60)}`;
    expectProblem(await api.call({ path, as: await api.bearer() }), 400, 'invalid-request');
  }),
  rule('activity 18.5', async (api) => {
    const { headers } = await openStream(api, await api.bearer());
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual([headers.get('transfer-encoding'), headers.get('content-length')], ['chunked', null]);
  }),
  rule('activity 18.6', async (api) => {
    const stream = await openStream(api, await api.bearer());
    await stream.when((_, text) => text !== '');
    assert.match(stream.text(), /^\r\n/);
  }),
  rule('activity 18.7', async (api) => {
    const { filter } = await newSubscription(api);
    const stream = await openStream(api, await api.bearer());
    await changeBio(api, [filter.keyword]);
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
    assert.match(stream.text(), /\r\n\{[^\n]*\}\r\n/);
  }),
  rule('activity 18.11', async (api) => {
    const { filter } = await newSubscription(api);
    await changeBio(api, [filter.keyword]);
    const stream = await openStream(api, await api.bearer(), '?backfill_minutes=1');
    await stream.when(() => eventsOf(stream, filter.keyword).length > 0);
  }),
  rule('activity 18.12', async (api) => {
    const { filter } = await newSubscription(api);
    const start = at(-60);
    await changeBio(api, [filter.keyword]);
    const open = await openStream(api, await api.bearer(), `?start_time=${start}`);
    await open.when(() => eventsOf(open, filter.keyword).length > 0);
    open.close();
    const past = await openStream(api, await api.bearer(), `?start_time=${start}&end_time=${at(-30)}`);
    await past.ended;
  }),
  rule('activity 18.13', async (api) => {
    const as = await api.bearer();
    await openStream(api, as);
    await openStream(api, as);
    const third = await askStream(api, as);
    if (!('status' in third)) return assert.fail('a third stream was opened');
    expectStatus(third, 429);
    assert.deepEqual(third.body, {
      title: 'ConnectionException',
      detail: 'This stream is currently at the maximum allowed connection limit.',
      connection_issue: 'TooManyConnections',
      type: `${api.url}/2/problems/streaming-connection`,
      status: 429,
    });
  }),
  rule('activity 18.15', async (api) => {
    const as = await api.bearer();
    const stream = await openStream(api, as);
    const form = [['access_token', as.slice('Bearer '.length)]] as const;
    const began_ms = performance.now();
    expectStatus(
      await api.call({ method: 'POST', path: '/oauth2/invalidate_token', as: basic(api.consumer), form }),
      200,
    );
    await stream.ended;
    assert.ok(performance.now() - began_ms < CLOSED_WITHIN_MS, 'the stream stayed open');
    assert.equal(stream.lines().at(-1)?.errors?.[0]?.disconnect_type, 'ForceDisconnect');
  }),
  rule('activity 18.18', async (api) => {
    const as = await api.bearer();
    const stream = await openStream(api, as);
    expectStatus(await api.call({ method: 'DELETE', path: '/2/connections/all', as }), 200);
    await stream.ended;
    const error = stream.lines().at(-1)?.errors?.[0];
    const type = `${api.url}/2/problems/operational-disconnect`;
    assert.deepEqual([error?.title, error?.type], ['operational-disconnect', type]);
  }),
];

/** Checks of connections: section 21.1. */
const connectionRules: readonly Rule[] = [
  rule('activity 21.1.1', async (api) => {
    expectProblem(await api.call({ path: '/2/connections' }), 403, 'unsupported-authentication');
  }),
  rule('activity 21.1.2', async (api) => {
    const as = await api.bearer();
    for (const query of ['status=all&endpoints=activity_stream&max_results=100', 'status=inactive', '']) {
      expectStatus(await api.call({ path: `/2/connections?${query}`, as }), 200);
    }
    for (const query of ['status=open', 'max_results=0', 'max_results=101', 'endpoints=none']) {
      expectProblem(await api.call({ path: `/2/connections?${query}`, as }), 400, 'invalid-request');
    }
  }),
  rule('activity 21.1.3', async (api) => {
    const as = await api.bearer();
    await openStream(api, as);
    const { body } = await api.call({ path: '/2/connections', as });
    const [connection] = body.data;
    const members = ['client_ip', 'connected_at', 'endpoint_name', 'id'];
    assert.deepEqual(Object.keys(connection).sort(), members);
    assert.match(connection.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(connection.endpoint_name, 'activity_stream');
    assert.equal(body.meta.result_count, body.data.length);
  }),
  rule('activity 21.1.5', async (api) => {
    const as = await api.bearer();
    const stream = await openStream(api, as);
    const [{ id }] = (await api.call({ path: '/2/connections', as })).body.data;
    const uuids = [id, '00000000-0000-4000-8000-000000000000'];
    const { status, body } = await api.call({ method: 'DELETE', path: '/2/connections', as, json: { uuids } });
    assert.equal(status, 200);
    const { successful_kills, failed_kills, results } = body.data;
    assert.deepEqual([successful_kills, failed_kills, results.length], [1, 1, 2]);
    assert.deepEqual(Object.keys(results[0]).sort(), ['error_message', 'success', 'uuid']);
    await stream.ended;
  }),
  rule('activity 21.1.6', async (api) => {
    const as = await api.bearer();
    const stream = await openStream(api, as);
    expectStatus(await api.call({ method: 'DELETE', path: '/2/connections/activity_stream', as }), 200);
    await stream.ended;
    assert.equal(stream.lines().at(-1)?.errors?.[0]?.disconnect_type, 'ForceDisconnect');
  }),
];

/** Checks of events, streams and connections. */
export const streamRules: readonly Rule[] = [...eventRules, ...readingRules, ...connectionRules];
