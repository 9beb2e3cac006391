// On either database: what the clock does with both is in laws/clock-advance.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { request } from 'undici';
import type { ClockState } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { clockStateOf, startClock } from '../../src/cli/dev/start-clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { addPerson, browserOf, logIn, outlineOf } from '../rig/browser.ts';
import { clientOf, protocol } from '../rig/client.ts';
import { type DevReply, devCall } from '../rig/dev-calls.ts';
import { bearerClient } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { openReceiver, status } from '../rig/receiver.ts';
import { openWorld, testClock, type World } from '../rig/world.ts';

const START = Date.parse('2026-03-02T17:04:55Z');
const HOUR_MS = 3_600_000;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const clock = (method: 'GET' | 'PUT', body?: unknown): Promise<DevReply> => devCall(world, method, '/clock', body);
const advance = (body: unknown): Promise<DevReply> => devCall(world, 'POST', '/clock/advance', body);
const shown_ms = async (): Promise<number> => Date.parse((await clock('GET')).body.now);

describe('the clock', () => {
  test('shows the time of the machine until it is moved', async () => {
    const fresh = await openWorld();
    try {
      const { status: code, headers, body } = await devCall(fresh, 'GET', '/clock');
      assert.equal(code, 200);
      assert.deepEqual(body, {
        now: '2026-03-02T17:04:55.000Z',
        mode: 'running',
        offset_s: 0,
        status: 'ready',
        until: null,
        steps_done: 0,
        next_due: null,
      });
      assert.equal(headers['x-barker-clock'], undefined);
      const reply = await fresh.production.call('GET', '/12/accounts');
      assert.equal(reply.headers.get('x-barker-clock'), null);
    } finally {
      await fresh.close();
    }
  });

  test('is frozen, moved and let run', async () => {
    const before_ms = await shown_ms();
    const frozen = await clock('PUT', { mode: 'frozen', now: new Date(before_ms + HOUR_MS).toISOString() });
    assert.equal(frozen.status, 200);
    assert.deepEqual([frozen.body.mode, Date.parse(frozen.body.now)], ['frozen', before_ms + HOUR_MS]);
    world.clock.advance(60);
    assert.equal(await shown_ms(), before_ms + HOUR_MS);
    const running = await clock('PUT', { mode: 'running' });
    assert.equal(running.body.mode, 'running');
    world.clock.advance(60);
    assert.equal(await shown_ms(), before_ms + HOUR_MS + 60_000);
  });

  const refusals: [call: '' | '/advance', body: unknown, status: number, code: string, field: string | undefined][] = [
    ['', {}, 400, 'MEMBER_MISSING', 'now'],
    ['', [], 400, 'NOT_AN_OBJECT', 'body'],
    ['', { mode: 'stopped' }, 400, 'MEMBER_INVALID', 'mode'],
    ['', { now: 'tomorrow' }, 400, 'MEMBER_INVALID', 'now'],
    ['', { now: 1_772_471_095 }, 400, 'MEMBER_INVALID', 'now'],
    ['', { now: '2999-01-01T00:00:00Z' }, 400, 'MEMBER_INVALID', 'now'],
    ['', { now: '2026-03-02T09:00:00Z' }, 409, 'CLOCK_BACKWARDS', 'now'],
    ['', { time: '2027-01-01T00:00:00Z' }, 400, 'MEMBER_UNKNOWN', 'time'],
    ['/advance', {}, 400, 'MEMBER_MISSING', 'by'],
    ['/advance', { by: 'P1D', to: '2027-01-01T00:00:00Z' }, 400, 'MEMBER_MISSING', 'by'],
    ['/advance', { by: 'P1M' }, 400, 'MEMBER_INVALID', 'by'],
    ['/advance', { by: 86_400 }, 400, 'MEMBER_INVALID', 'by'],
    ['/advance', { by: 'P99999D' }, 400, 'MEMBER_INVALID', 'by'],
    ['/advance', { to: '2026-03-02T09:00:00Z' }, 409, 'CLOCK_BACKWARDS', 'to'],
    ['/advance', { by: 'P1D', wait_ms: -1 }, 400, 'MEMBER_INVALID', 'wait_ms'],
    ['/advance', { by: 'P1D', wait_s: 1 }, 400, 'MEMBER_UNKNOWN', 'wait_s'],
  ];
  for (const [call, body, code, name, field] of refusals) {
    test(`refuses ${JSON.stringify(body)} for /clock${call}`, async () => {
      const before_ms = await shown_ms();
      const reply = await devCall(world, call === '' ? 'PUT' : 'POST', `/clock${call}`, body);
      assert.deepEqual([reply.status, reply.body.error.code, reply.body.error.field], [code, name, field]);
      assert.equal(await shown_ms(), before_ms);
    });
  }

  test('says why months are refused', async () => {
    const { body } = await advance({ by: 'P1M' });
    assert.match(body.error.message, /months and years differ in length: use days/);
  });
});

describe('an advance', () => {
  test('is answered once the clock is there, and dates what comes next', async () => {
    const before_ms = await shown_ms();
    const { status: code, body } = await advance({ by: 'P1DT2H' });
    assert.equal(code, 200);
    assert.deepEqual([body.status, Date.parse(body.now)], ['ready', before_ms + 26 * HOUR_MS]);
    const made = await world.sandbox.call('POST', '/12/accounts');
    assert.equal(made.body.data[0].created_at, formatInstant(before_ms + 26 * HOUR_MS));
  });

  test('by nothing does what is due', async () => {
    const { store } = world.service;
    const { body } = await advance({ by: 'PT0S' });
    assert.equal(body.status, 'ready');
    const now = formatInstant(Date.parse(body.now));
    assert.deepEqual(await store.read((tx) => tx.jobs.listBacklogs(now)), []);
  });

  test('that takes long is answered before its end, and excludes others', async () => {
    const receiver = await openReceiver(world.keys.consumer_secret);
    try {
      const bearer = await bearerClient(world, world.keys);
      const { body } = await bearer.call('POST', '/2/webhooks', { url: receiver.url });
      await bearer.call('POST', '/2/activity/subscriptions', {
        event_type: 'profile.update.bio',
        filter: { user_id: world.keys.user_id },
        webhook_id: body.data.id,
      });
      let release = (): void => {};
      receiver.answer = (arrived, response) => {
        release = () => status(200)(arrived, response);
      };
      await world.production.call('POST', '/1.1/account/update_profile.json', { params: { description: 'New' } });
      await receiver.came(1);
      const begun = await advance({ by: 'P1D', wait_ms: 0 });
      assert.deepEqual([begun.status, begun.body.status], [202, 'advancing']);
      assert.equal(Date.parse(begun.body.until), Date.parse(begun.body.now) + 24 * HOUR_MS);
      for (const reply of [
        await advance({ by: 'P1D' }),
        await clock('PUT', { mode: 'frozen' }),
        await devCall(world, 'PUT', '/snapshots/between', {}),
      ]) {
        assert.deepEqual([reply.status, reply.body.error.code], [409, 'CLOCK_ADVANCING']);
      }
      release();
      await until('the clock has advanced', async () => (await clock('GET')).body.status === 'ready');
      assert.equal(await shown_ms(), Date.parse(begun.body.until));
    } finally {
      await receiver.close();
    }
  });
});

describe('with a moved clock', () => {
  beforeEach(async () => {
    assert.equal((await advance({ by: 'P1D' })).status, 200);
  });

  test('replies are dated by it, whoever sends them', async () => {
    const { body } = await clock('GET');
    const replies = [
      await request(`${world.service.url}/12/accounts`),
      await request(`${world.service.url}/login`),
      await request(`${world.service.sandboxUrl}/`),
      await request(`${world.service.url}/nowhere`),
      await request(`${world.service.url}/_dev`),
    ];
    for (const { headers, body: content } of replies) {
      await content.dump();
      assert.equal(headers.date, new Date(Date.parse(body.now)).toUTCString());
      assert.equal(headers['x-barker-clock'], String(body.offset_s));
    }
  });

  test('clients sign by it or by their own, and by no other', async () => {
    const moved = { now: () => world.service.clock.now() };
    const between = { now: () => (world.service.clock.now() + world.clock.now()) / 2 };
    const path = '/12/accounts';
    for (const [by, code] of [
      [moved, 200],
      [world.clock, 200],
      [between, 401],
    ] as const) {
      assert.equal((await clientOf(world.service.url, world.keys, by).call('GET', path)).status, code);
    }
    const late = await clientOf(world.service.url, world.keys, between).call('GET', path);
    assert.match(late.headers.get('x-hint')!, /^The timestamp is \d+ s (behind|ahead of) the clock of the server/);
    const url = world.service.url + path;
    for (const by of [moved, world.clock]) {
      const oauth = protocol(world.keys, by);
      const { consumer_secret: consumerSecret, access_token_secret: tokenSecret } = world.keys;
      const { header } = sign({ method: 'GET', url, oauth, consumerSecret, tokenSecret });
      const codes: number[] = [];
      for (let count = 0; count < 2; count += 1) {
        const reply = await request(url, { headers: { authorization: header } });
        await reply.body.dump();
        codes.push(reply.statusCode);
      }
      assert.deepEqual(codes, [200, 401], 'a nonce is good once');
    }
  });

  test('rate windows end by the clock of the machine', async () => {
    const call = () => world.production.call('GET', '/12/accounts');
    const first = await call();
    await advance({ by: 'P1D' });
    const second = await call();
    const of = ({ headers }: typeof first, name: string) => Number(headers.get(`x-rate-limit-${name}`));
    assert.equal(of(second, 'reset'), of(first, 'reset'));
    assert.equal(of(second, 'remaining'), of(first, 'remaining') - 1);
    const left_s = of(first, 'reset') - world.clock.now() / 1000;
    assert.ok(left_s > 0 && left_s <= 900, `${left_s} s`);
  });

  test('people stay logged in', async () => {
    const browser = browserOf(world.service.url);
    await logIn(browser, await addPerson(world));
    await advance({ by: 'P60D' });
    assert.equal(outlineOf((await browser.get('/login')).html).heading, 'You are logged in');
    // The job that removes what has ended has run sixty times.
    world.clock.advance(31 * 86_400);
    assert.notEqual(outlineOf((await browser.get('/login')).html).heading, 'You are logged in');
  });
});

describe('a restored snapshot', () => {
  test('takes the clock back with it', async (t) => {
    const own = await openWorld({ which: 'sqlite' });
    t.after(() => own.close());
    const shown = async () => (await devCall(own, 'GET', '/clock')).body;
    await devCall(own, 'PUT', '/snapshots/running', {});
    await devCall(own, 'PUT', '/clock', { mode: 'frozen', now: '2026-04-01T00:00:00Z' });
    await devCall(own, 'PUT', '/snapshots/frozen', {});
    await devCall(own, 'POST', '/clock/advance', { by: 'P30D' });
    own.clock.advance(60);
    for (const [name, now, mode] of [
      ['frozen', '2026-04-01T00:00:00.000Z', 'frozen'],
      ['running', '2026-03-02T17:05:55.000Z', 'running'],
    ] as const) {
      assert.equal((await devCall(own, 'POST', `/snapshots/${name}/restore`, {})).status, 200);
      const { now: is, mode: how, offset_s } = await shown();
      assert.deepEqual([is, how, mode === 'running' && offset_s !== 0], [now, mode, false]);
    }
    // Jobs are done as before.
    const { body } = await devCall(own, 'POST', '/clock/advance', { by: 'P1D' });
    assert.deepEqual([body.status, body.now], ['ready', '2026-03-03T17:05:55.000Z']);
  });
});

test('an imported snapshot never shows a time before its own', () => {
  const notes = { clock: '2026-03-02T17:04:55Z', mark: '', keys: {} };
  const behind = testClock('2026-03-02T16:04:55Z');
  const stateOf = (clock_state: ClockState) => clockStateOf({ ...notes, clock_state }, behind);
  assert.deepEqual(stateOf({ mode: 'running', offset_ms: 0 }), { mode: 'running', offset_ms: HOUR_MS });
  assert.deepEqual(stateOf({ mode: 'running', offset_ms: 2 * HOUR_MS }), { mode: 'running', offset_ms: 2 * HOUR_MS });
  assert.deepEqual(stateOf({ mode: 'frozen', now_ms: START }), { mode: 'frozen', now_ms: START });
});

describe('the clock of a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-clock-'));
  after(() => rmSync(folder, { recursive: true }));
  const wall = testClock();
  const start = (at?: string, { isFrozen, isEmpty = false }: { isFrozen?: boolean; isEmpty?: boolean } = {}) =>
    startClock(folder, wall, { at_ms: at === undefined ? undefined : Date.parse(at), isFrozen, isEmpty });

  test('starts anywhere while there are no rows, and goes on from there after a restart', () => {
    const past = start('2026-01-01T00:00:00Z', { isEmpty: true });
    assert.deepEqual([past.now(), past.mode], [Date.parse('2026-01-01T00:00:00Z'), 'running']);
    wall.advance(60);
    assert.equal(start().now(), Date.parse('2026-01-01T00:01:00Z'));
  });

  test('stays frozen', () => {
    const frozen = start(undefined, { isFrozen: true });
    wall.advance(60);
    assert.deepEqual([start().now(), start().mode], [frozen.now(), 'frozen']);
    const later = start('2026-02-01T00:00:00Z');
    assert.deepEqual([later.now(), later.mode], [Date.parse('2026-02-01T00:00:00Z'), 'frozen']);
  });

  test('never starts before what it showed', () => {
    const message = `the clock of ${folder} shows 2026-02-01T00:00:00.000Z and goes forward only; leave --clock out, or give another folder with --data`;
    assert.throws(() => start('2026-01-31T00:00:00Z'), { message });
  });

  test('whose file is damaged starts at the time that is given', () => {
    writeFileSync(join(folder, 'clock.json'), '{');
    assert.throws(start, {
      message: /clock\.json does not have the state of a clock; start with --clock and the time/,
    });
    assert.equal(start('2026-01-15T00:00:00Z').now(), Date.parse('2026-01-15T00:00:00Z'));
  });

  test('of rows that are dated by the machine never starts before its time', () => {
    const other = mkdtempSync(join(tmpdir(), 'barker-clock-'));
    try {
      const begin = (ms: number) => startClock(other, testClock(), { at_ms: ms });
      assert.throws(() => begin(START - 1), /shows 2026-03-02T17:04:55\.000Z/);
      assert.equal(begin(START + 1).now(), START + 1);
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});
