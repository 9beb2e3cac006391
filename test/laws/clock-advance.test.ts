import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { audienceOn, persons, update } from '../resources/people-calls.ts';
import { devCall } from '../rig/dev-calls.ts';
import { bearerClient } from '../rig/events.ts';
import { begin, take } from '../rig/login.ts';
import { type Arrived, openReceiver, status } from '../rig/receiver.ts';
import { openStream } from '../rig/streams.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const START = Date.parse('2026-04-01T00:00:00Z');
const DAY_S = 86_400;
const at = (seconds: number): string => formatInstant(START + seconds * 1000);

/** When posts are to be published, in seconds from the start; some at the same time. */
const PUBLICATIONS = [DAY_S, DAY_S + 7200, DAY_S + 7200, 7 * DAY_S, 14 * DAY_S + 60, 29 * DAY_S + 86_340];
/** Seconds before each attempt to deliver an event again. */
const RETRIES = [60, 3600, 2 * DAY_S];

/** What was seen by whom, in the order in which it was seen, and the facts in it. */
interface Seen {
  readonly log: string;
  readonly attempts: readonly { readonly id: string; readonly at_s: number; readonly published: number }[];
  readonly posts: readonly { readonly scheduled_at: string; readonly completed_at: string }[];
  readonly lines: readonly string[];
  readonly audiences: readonly number[];
  readonly exchanges: readonly number[];
}

/** Lives through thirty days of a frozen clock on a machine whose own clock shows another time. */
async function thirtyDays(machineTime: string): Promise<Seen> {
  const world = await openWorld({
    start: machineTime,
    clockStart: { at_ms: START, isFrozen: true },
    flags: { webhook_retry_schedule: RETRIES.join(','), audience_size_min: 1 },
  });
  const closing = [() => world.close()];
  try {
    return await liveThrough(world, (close) => closing.unshift(close));
  } finally {
    for (const close of closing) await close();
  }
}

async function liveThrough(world: World, onClose: (close: () => Promise<void>) => void): Promise<Seen> {
  const log: string[] = [];
  const attempts: { id: string; at_s: number; published: number }[] = [];
  const { path } = await openAccount(world.sandbox);
  for (const [index, seconds] of PUBLICATIONS.entries()) {
    const params = { text: `Post ${index}`, scheduled_at: at(seconds) };
    const made = await world.sandbox.call('POST', `${path}/scheduled_posts`, { params });
    assert.equal(made.status, 200, made.text);
  }
  const list = () => world.sandbox.call('GET', `${path}/scheduled_posts`, { params: { count: 50 } });
  const posts = async (): Promise<Seen['posts']> => (await list()).body.data;

  const receiver = await openReceiver(world.keys.consumer_secret);
  onClose(() => receiver.close());
  /** Each event is refused three times, after a look at the service from the time of the attempt. */
  const receive = async ({ headers, body }: Arrived): Promise<number> => {
    const reply = await list();
    const id = String(headers['webhook-id']);
    const at_s = Date.parse(reply.headers.get('date')!) / 1000;
    // Receivers refuse messages that are old by their own clocks.
    assert.equal(Number(headers['webhook-timestamp']), world.clock.now() / 1000);
    const published = (reply.body.data as Seen['posts']).filter(({ completed_at }) => completed_at).length;
    const code = attempts.filter((each) => each.id === id).length < RETRIES.length ? 500 : 200;
    attempts.push({ id, at_s, published });
    log.push(`webhook ${id} at ${at_s}: ${body} -> ${code}`, `GET: ${reply.text}`);
    return code;
  };
  receiver.answer = (arrived, response) =>
    void receive(arrived).then(
      (code) => status(code)(arrived, response),
      (error) => response.destroy(error),
    );
  const bearer = await bearerClient(world, world.keys);
  const webhook = await bearer.call('POST', '/2/webhooks', { url: receiver.url });
  assert.equal(webhook.status, 200, webhook.text);
  const subscribed = await bearer.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter: { user_id: world.keys.user_id },
    webhook_id: webhook.body.data.id,
  });
  assert.equal(subscribed.status, 200, subscribed.text);
  const stream = await openStream(world, bearer.bearer);
  onClose(async () => stream.close());

  const audience = await audienceOn(world.sandbox, path);
  const uploaded = await audience.upload([
    update(persons(0, 3)),
    update(persons(3, 5), { expires_at: at(10 * DAY_S) }),
    update(persons(5, 9), { effective_at: at(12 * DAY_S), expires_at: at(20 * DAY_S) }),
  ]);
  assert.equal(uploaded.status, 200, uploaded.text);

  const audiences: number[] = [];
  const exchanges: number[] = [];
  const advance = async (by: string): Promise<void> => {
    const { status: code, body } = await devCall(world, 'POST', '/clock/advance', { by, wait_ms: 600_000 });
    assert.equal(code, 200, JSON.stringify(body));
    const { now, mode, next_due } = body;
    const { audience_size } = await audience.show();
    audiences.push(audience_size);
    log.push(JSON.stringify({ now, mode, next_due }), `audience: ${audience_size}`, (await list()).text);
  };
  /** The end of a login that was begun so long before, with a wrong verifier: what is wrong. */
  const exchange = async (minutes: number): Promise<void> => {
    const token = await begin(world, world.keys);
    await advance(`PT${minutes}M`);
    const oauth = { oauth_verifier: '0000000' };
    const reply = await take(world, { path: '/oauth/access_token', consumer: world.keys, token, oauth });
    exchanges.push(reply.body.errors[0].code);
    log.push(`exchange after ${minutes} min: ${reply.status} ${reply.text}`);
  };
  const change = async (description: string): Promise<void> => {
    const params = { description };
    assert.equal((await world.production.call('POST', '/1.1/account/update_profile.json', { params })).status, 200);
  };
  await exchange(10);
  await exchange(20);
  await change('First week');
  await advance('P7D');
  await change('Second week');
  await change('Second week, corrected');
  await advance('P1DT12H');
  await advance('P5D');
  await advance('P16DT11H30M');
  const lines = (await stream.until(3)).map(({ data }) => data.payload.after as string);
  log.push(`stream: ${stream.text().trim()}`);
  return { log: log.join('\n'), attempts, posts: await posts(), lines, audiences, exchanges };
}

describe('thirty days of a moved clock', () => {
  let seen: Seen;
  test('let everything happen at its time', async () => {
    seen = await thirtyDays('2026-03-02T17:04:55Z');
    assert.deepEqual(seen.posts.map(({ completed_at }) => completed_at).toReversed(), PUBLICATIONS.map(at));
    assert.deepEqual(seen.lines, ['First week', 'Second week', 'Second week, corrected']);
    // Members come and go; a request token is good for a quarter of an hour.
    assert.deepEqual(seen.audiences, [5, 5, 5, 5, 7, 3]);
    assert.deepEqual(seen.exchanges, [32, 89]);
    const events = [1800, 1800 + 7 * DAY_S, 1800 + 7 * DAY_S];
    const due = events.flatMap((event, index) => {
      const waits = [0, ...RETRIES.map((_, last) => RETRIES.slice(0, last + 1).reduce((sum, each) => sum + each))];
      return waits.map((wait) => ({ index, at: event + wait }));
    });
    due.sort((one, other) => one.at - other.at || one.index - other.index);
    const ids = [...new Set(seen.attempts.map(({ id }) => id))].sort();
    assert.deepEqual(
      seen.attempts.map(({ id, at_s }) => ({ index: ids.indexOf(id), at: at_s - START / 1000 })),
      due,
    );
    // Whoever looks from there sees what is published by then, and nothing that comes later.
    for (const { at_s, published } of seen.attempts) {
      const before = PUBLICATIONS.filter((seconds) => START / 1000 + seconds <= at_s);
      assert.equal(published, before.length, `at ${at_s}`);
    }
  });

  test('are the same for everybody each time, whatever the machine shows', async () => {
    const again = await thirtyDays('2031-11-30T23:59:59Z');
    assert.equal(again.log, seen.log);
  });
});
