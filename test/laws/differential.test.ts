import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import type { EventType, LoggedEvent } from '../../src/contract/store/events.ts';
import type { Reply } from '../rig/client.ts';
import { engine } from '../rig/databases.ts';
import { logAfter } from '../rig/events.ts';
import { aliasFile } from '../rig/foreign-words.ts';
import { fc } from '../rig/laws.ts';
import { LONGEST_WINDOW_S } from '../rig/rate-windows.ts';
import { openReceiver, type Receiver } from '../rig/receiver.ts';
import { rounds } from '../rig/sampling.ts';
import { closeAll, openWorld, type World } from '../rig/world.ts';
import { type Callers, callersOf, SECRET_OF_CLEO, type Who } from './callers.ts';
import { found, type Met, nothingMet, remember, resolved, resolvedJson } from './met.ts';
import { programs } from './programs.ts';
import type { CallStep, Step, StreamStep } from './steps.ts';
import { DIFFICULT, type Value } from './values.ts';

/**
 * The two runs of the tests take different programs. To hunt with others:
 * `DIFFERENTIAL_SEED=7 DIFFERENTIAL_RUNS=2000 npm test differential`.
 */
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? (engine === 'sqlite' ? 20_260_302 : 5_849));
const RUNS = Number(process.env.DIFFERENTIAL_RUNS ?? rounds(aliasFile === undefined ? 25 : 10));
const STEPS_MAX = 60;

/** Small enough that programs come to them. */
const LIMITS = {
  active_campaigns_max: 4,
  active_line_items_max: 4,
  campaign_line_items_max: 3,
  rate_writes_per_min: 60,
  rate_account_reads_per_15min: 200,
  rate_reads_per_15min: 5,
  rate_total_count_per_15min: 4,
  audience_size_min: 1,
  // Both tell the same addresses.
  media_base_url: 'https://media.example',
  application_subscriptions_max: 10,
  application_webhooks_max: 2,
  // A stream that has ended is noted a moment later, and waits for no pace.
  application_stream_connections_max: 10_000,
  application_stream_events_per_s: 1_000_000,
};

/** Where clients speak foreign words, a service with an alias file is held against one without. */
const COMPARED: readonly { readonly which: 'sqlite' | 'postgres'; readonly aliases?: undefined }[] =
  aliasFile === undefined
    ? [{ which: 'sqlite' }, { which: 'postgres' }]
    : [{ which: 'sqlite' }, { which: 'sqlite', aliases: undefined }];

const worlds: World[] = [];
const callers = new Map<World, Callers>();
/** Is sent what both worlds send to webhooks. */
let receiver: Receiver;
before(async () => {
  receiver = await openReceiver(SECRET_OF_CLEO);
  for (const { which, ...own } of COMPARED) {
    const world = await openWorld({ which, flags: { ...LIMITS, ...own } });
    worlds.push(world);
    callers.set(world, await callersOf(world));
  }
});
after(async () => {
  await closeAll([...worlds, receiver]);
});

describe(aliasFile === undefined ? 'the two databases' : 'in foreign words and in own ones', () => {
  test('answer a random program of calls alike, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(programs({ stepsMax: STEPS_MAX, about: 'everything' }), async (program) => {
        const met = await prologue();
        for (const step of program) await take(step, met);
        await everythingAlike(met);
        await everythingThatHappenedAlike(met);
        await everythingWrittenBack(met);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test('answer a random program of calls about activity alike', async (t) => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(programs({ stepsMax: STEPS_MAX, about: 'activity' }), async (program) => {
        const met = await prologueOfActivity();
        for (const step of program) await take(step, met);
        told += await everythingThatHappenedAlike(met);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    t.diagnostic(`what happened was told in ${told} lines`);
    assert.ok(told > 0, 'somebody was told of something');
  });
});

/** Reads make nothing due, as long as the clock stands still. */
let mayBeDue = true;

/** Nobody is told of anything but what a program and a few subscriptions ask for, in fresh rate windows. */
async function prologueOfActivity(): Promise<Met> {
  const met = nothingMet(worlds[0]!.keys.user_id!, receiver.url);
  advance(LONGEST_WINDOW_S);
  await forgetActivity(met);
  for (const [who, event_type, filter] of SUBSCRIPTIONS) {
    await call({ who, method: 'POST', path: ['/2/activity/subscriptions'], json: { event_type, filter } }, met);
  }
  return met;
}

/** Both worlds get an account with instruments and campaigns to begin with, in fresh rate windows. */
async function prologue(): Promise<Met> {
  const met = await prologueOfActivity();
  // The second is there to be granted what the first has.
  for (const _ of [1, 2]) {
    const made = await call({ who: 'ada', method: 'POST', path: ['/12/accounts'] }, met);
    met.account.unshift(made.body.data[0].id);
  }
  const path = ['/12/accounts/', { pool: 'account', pick: 0 } as const];
  const feature_keys = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS';
  await call({ who: 'ada', method: 'POST', path: [...path, '/features'], params: { feature_keys } }, met);
  for (const params of INSTRUMENTS) {
    await call({ who: 'ada', method: 'POST', path: [...path, '/funding_instruments'], params }, met);
  }
  const start = met.account[0]!.charCodeAt(3);
  const json = Array.from({ length: 12 }, (_, number) => ({
    operation_type: 'Create',
    params: {
      name: DIFFICULT[(start * 7 + number * 5) % DIFFICULT.length]!,
      funding_instrument_id: met.instrument[0]!,
      entity_status: number % 3 ? 'PAUSED' : 'DRAFT',
    },
  }));
  await call({ who: 'ada', method: 'POST', path: ['/12/batch/accounts/', path[1]!, '/campaigns'], json }, met);
  for (const kind of LINES) {
    const params = {
      ...kind,
      campaign_id: { pool: 'campaign', pick: LINES.indexOf(kind) },
      placements: 'ALL_ON_SERVICE',
    };
    await call(
      { who: 'ada', method: 'POST', path: [...path, '/line_items'], params: params as CallStep['params'] },
      met,
    );
  }
  return met;
}

const LINES: readonly Record<string, Value>[] = [
  { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
  { objective: 'APP_INSTALLS', product_type: 'PROMOTED_POSTS', ios_store_identifier: '42' },
  { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' },
  { objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: 'IAB7', entity_status: 'PAUSED' },
];

/** So that somebody is told of what programs do; what they subscribe to themselves is rarely what happens then. */
const SUBSCRIPTIONS: readonly (readonly [Who, EventType, { readonly [name: string]: string }])[] = [
  ['application', 'profile.update.bio', { user_id: '900000001' }],
  ['cleo', 'profile.update.bio', { user_id: '900000002' }],
  ['application', 'profile.update.bio', { user_id: '900000003', keyword: 'coffee' }],
  ['cleo', 'dm.sent', { user_id: '900000003' }],
  ['cleo', 'dm.read', { user_id: '900000003', direction: 'both' }],
  ['friend', 'dm.received', { user_id: '900000002' }],
];

const INSTRUMENTS: readonly Record<string, Value>[] = [
  { currency: 'JPY', type: 'CREDIT_LINE', start_time: '2026-01-01', credit_limit_local_micro: 50_000_000 },
  { currency: 'USD', type: 'INSERTION_ORDER', start_time: '2026-01-01', end_time: '2026-03-05' },
  { currency: 'USD', type: 'CREDIT_CARD', start_time: '2026-01-01' },
];

/** What an application may have is counted: each run begins with nothing. */
async function forgetActivity(met: Met): Promise<void> {
  const ask = (method: string, path: string) => call({ who: 'application', method, path: [path] }, met);
  const { body } = await ask('GET', '/2/activity/subscriptions');
  const ids = body.data.map((each: { subscription_id: string }) => each.subscription_id);
  if (ids.length > 0) await ask('DELETE', `/2/activity/subscriptions?ids=${ids}`);
  for (const { id } of (await ask('GET', '/2/webhooks')).body.data) await ask('DELETE', `/2/webhooks/${id}`);
}

async function take(step: Step, met: Met): Promise<void> {
  if ('wait_s' in step) advance(step.wait_s);
  else if ('stream' in step) await stream(step.stream, met);
  else if ('walk' in step) await walk(step.walk, met);
  else await call(step, met);
}

function advance(seconds: number): void {
  mayBeDue = true;
  for (const world of worlds) world.clock.advance(seconds);
}

/** Follows a list to its end. Pages put together are the list in one page. */
async function walk(step: CallStep, met: Met): Promise<void> {
  const whole = await call({ ...step, params: { ...step.params, count: 1000 } }, met);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await call({ ...step, params: { ...step.params, ...(cursor && { cursor }) } }, met);
    if (page.status !== 200 || whole.status !== 200) return;
    seen.push(...page.body.data.map((row: { id: string }) => row.id));
    cursor = page.body.next_cursor;
  } while (cursor);
  assert.deepEqual(
    seen,
    whole.body.data.map((row: { id: string }) => row.id),
  );
}

/** Reads what was lately, as a stream that ends by itself. */
function stream({ from_s, until_s }: StreamStep, met: Met): Promise<Reply> {
  const before = (seconds: number): string => formatInstant(worlds[0]!.clock.now() - seconds * 1000);
  const params = { start_time: before(from_s), end_time: before(until_s) };
  return call({ who: 'application', method: 'GET', path: ['/2/activity/stream'], params }, met);
}

/** What happened in a program and before; the answer is in how many lines a stream tells of it. */
async function everythingThatHappenedAlike(met: Met): Promise<number> {
  // The last second has no end yet.
  advance(1);
  const { text } = await stream({ from_s: 86_000, until_s: 0 }, met);
  const logs = await Promise.all(worlds.map(eventsOf));
  assert.deepEqual(logs[1], logs[0]);
  const whole = await subscriptionsBy(1000, met);
  assert.deepEqual(await subscriptionsBy(3, met), whole, 'pages put together are the list in one page');
  return text.split('\r\n').filter((line) => line !== '').length;
}

/** The log of events of a world. Its times and places are those of the other world too. */
function eventsOf({ service }: World): Promise<LoggedEvent[]> {
  return logAfter(service, 0);
}

/** All subscriptions of the application, by pages of a size. */
async function subscriptionsBy(max_results: number, met: Met): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let token = ''; ; ) {
    const params = { max_results, ...(token && { pagination_token: token }) };
    const path = ['/2/activity/subscriptions'];
    const { body } = await call({ who: 'application', method: 'GET', path, params }, met);
    found.push(...body.data);
    token = body.meta.next_token;
    if (!token) return found;
  }
}

/** All that a program has left behind. */
async function everythingAlike(met: Met): Promise<void> {
  advance(LONGEST_WINDOW_S);
  const account = { pool: 'account', pick: 0 } as const;
  const params = { with_deleted: true, with_draft: true, count: 1000, sort_by: 'name-asc' };
  for (const list of ['campaigns', 'line_items', 'account_apps', 'funding_instruments', 'features']) {
    const path = ['/12/accounts/', account, `/${list}`];
    await call(
      { who: 'ada', method: 'GET', path, params: list === 'campaigns' || list === 'line_items' ? params : {} },
      met,
    );
  }
  for (const list of ['account_media', 'media_creatives', 'preroll_call_to_actions', 'media_library']) {
    const all: CallStep['params'] = list === 'media_library' ? { count: 50 } : { with_deleted: true, count: 1000 };
    await call({ who: 'ada', method: 'GET', path: ['/12/accounts/', account, `/${list}`], params: all }, met);
  }
  for (const list of ['custom_audiences', 'do_not_reach_lists', 'promoted_posts', 'scheduled_promoted_posts']) {
    const params = { with_deleted: true, count: 1000 };
    await call({ who: 'ada', method: 'GET', path: ['/12/accounts/', account, `/${list}`], params }, met);
  }
  for (const post_type of ['DRAFT', 'PUBLISHED', 'SCHEDULED']) {
    const params = { post_type, timeline_type: 'ALL', include_mentions_and_replies: true };
    await call({ who: 'ada', method: 'GET', path: ['/12/accounts/', account, '/posts'], params }, met);
  }
  const line_item_ids = met.line.slice(0, 50).map((_, pick) => ({ pool: 'line', pick }) as const);
  const all = { with_deleted: true, count: 1000, line_item_ids };
  for (const list of ['targeting_criteria', 'tracking_tags', 'line_item_curated_categories', 'promoted_accounts']) {
    await call({ who: 'ada', method: 'GET', path: ['/12/accounts/', account, `/${list}`], params: all }, met);
  }
}

/** Lists whose rows can be changed. */
const CHANGEABLE = [
  'campaigns',
  'line_items',
  'tracking_tags',
  'line_item_curated_categories',
  'preroll_call_to_actions',
  'media_library',
  'draft_posts',
  'scheduled_posts',
  'cards',
  'cards/video_conversation',
  'cards/image_conversation',
] as const;
/** What is changed by an object of JSON alone. */
const OBJECTS = /^\/cards\/\d+$/;
/** How many rows a page of theirs has at most, where that is not 1000. */
const MOST: Readonly<Record<string, number>> = {
  media_library: 50,
  draft_posts: 200,
  scheduled_posts: 200,
  cards: 200,
};

/**
 * Whatever a program came to: what can be read can be written back, and changes nothing but the time of change. Half of
 * it in a form, where nothing is an empty text.
 */
async function everythingWrittenBack(met: Met): Promise<void> {
  advance(LONGEST_WINDOW_S);
  const path = `/12/accounts/${met.account[0]}`;
  const read = (end: string, params = {}) => call({ who: 'ada', method: 'GET', path: [path, end], params }, met);
  const own = await read('');
  if (own.status !== 200) return;
  const rows: [end: string, data: Record<string, unknown>][] = [['', own.body.data]];
  for (const end of ['/tax_settings', `/user_settings/${worlds[0]!.keys.user_id}`]) {
    rows.push([end, (await read(end)).body.data]);
  }
  for (const list of CHANGEABLE) {
    const { body } = await read(`/${list}`, { count: MOST[list] ?? 1000, with_draft: true });
    for (const data of body.data) rows.push([`/${list}/${data.id ?? data.media_key}`, data]);
  }
  for (const [index, [end, data]] of rows.entries()) {
    if (index % 40 === 0) advance(LONGEST_WINDOW_S);
    const form = Object.entries(data).map(([name, value]) => [name, value === null ? '' : String(value)]);
    const sent = (index % 2 || OBJECTS.test(end) ? { json: data } : { params: Object.fromEntries(form) }) as Pick<
      CallStep,
      'json' | 'params'
    >;
    const reply = await call({ who: 'ada', method: 'PUT', path: [path, end], ...sent }, met);
    assert.equal(reply.status, 200, `${end} ${JSON.stringify(sent)}: ${reply.text}`);
    assert.deepEqual(
      { ...reply.body.data, updated_at: data.updated_at },
      { ...data, updated_at: data.updated_at },
      end,
    );
  }
}

/** Sends a call to both, demands one reply, and remembers what later calls can refer to. */
async function call(step: CallStep, met: Met): Promise<Reply> {
  const path = step.path.map((part) => (typeof part === 'string' ? part : found(part, met))).join('');
  const params = Object.fromEntries(
    Object.entries(step.params ?? {}).map(([name, value]) => [name, resolved(value, met)]),
  );
  const sent = step.json === undefined ? { params } : { json: resolvedJson(step.json, met) };
  // What is due is done in both before either is asked.
  if (mayBeDue) await Promise.all(worlds.map((world) => world.service.jobs.runDue()));
  mayBeDue = step.method !== 'GET';
  const replies = await Promise.all(worlds.map((world) => callers.get(world)![step.who].call(step.method, path, sent)));
  const [one, other] = replies.map((reply, index) => comparable(reply, worlds[index]!));
  assert.deepEqual(other, one, `${step.who} ${step.method} ${path} ${JSON.stringify(sent)}`);
  assert.ok(one!.status < 500, `${step.method} ${path} ${JSON.stringify(sent)}: ${one!.text}`);
  remember(path, replies[0]!, met);
  return replies[0]!;
}

/** Headers that differ from reply to reply. Foreign words are longer. */
const OWN = [
  ...(aliasFile === undefined ? [] : ['content-length']),
  'date',
  'x-transaction-id',
  'x-barker-trace',
  'x-response-time',
  'www-authenticate',
  'connection',
  'keep-alive',
];

interface Comparable {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

/** A reply without what names the ports of its world. */
function comparable({ status, headers, text }: Reply, { service }: World): Comparable {
  const alike = (said: string): string =>
    said.replaceAll(service.url, 'http://production').replaceAll(service.sandboxUrl, 'http://sandbox');
  const own = [...headers].filter(([name]) => !OWN.includes(name));
  // The length counts the digits of a port.
  const shorter = text.length - alike(text).length;
  return {
    status,
    headers: own.map(([name, value]) => [name, name === 'content-length' ? String(+value - shorter) : alike(value)]),
    text: alike(text),
  };
}
