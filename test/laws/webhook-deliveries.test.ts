import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import type { DeliveryTry, WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { settledPosition } from '../rig/deliverers.ts';
import { openLateWorld } from '../rig/distant.ts';
import { type BearerClient, bearerClient, changeBio } from '../rig/events.ts';
import { fc } from '../rig/laws.ts';
import { until } from '../rig/patience.ts';
import { register } from '../rig/people.ts';
import { type Arrived, openReceiver, type Receiver } from '../rig/receiver.ts';
import { rounds } from '../rig/sampling.ts';
import type { World } from '../rig/world.ts';

const PROGRAMS = rounds(15);
/** @source activity 19.4 */
const SCHEDULE_S = [3, 27, 242];
const TRIES_MAX = 1 + SCHEDULE_S.length;
const UNDER_WAY_MAX = 10;

let world: World;
before(async () => {
  world = await openLateWorld({ rate_limits: 'off', webhook_retry_schedule: SCHEDULE_S.join() }, 40);
});
after(() => world.close());

/** How a receiver answers one try, maybe after a while. */
interface Answer {
  readonly isHeld: boolean;
  /** `cut` and `noise` are no answers. */
  readonly says: number | 'cut' | 'noise';
  /** What a 429 or 503 asks for. */
  readonly retryAfter_s?: number;
}

/** The answers to the tries of one event, in their order. */
type Script = readonly Answer[];

/** Events that happen at once, seconds that pass, what is held let go, the webhook challenged anew, or as many under way as may be. */
type Step = { readonly emit: readonly Script[] } | { readonly pass_s: number } | 'release' | 'validate' | 'full';

const says = (...input: Answer['says'][]): fc.Arbitrary<Answer> =>
  fc.record({ isHeld: fc.constant(false), says: fc.constantFrom(...input) });
const busy = fc.record({
  isHeld: fc.constant(false),
  says: fc.constantFrom(429, 503),
  retryAfter_s: fc.constantFrom(0, 1, 30, 600, 3600),
});
const held = fc.record({ isHeld: fc.constant(true), says: fc.constantFrom<Answer['says']>(200, 500, 'cut') });
const answer = (isMortal: boolean): fc.Arbitrary<Answer> =>
  fc.oneof(
    { weight: 8, arbitrary: says(200, 204) },
    { weight: 8, arbitrary: says(500, 404, 307, 304) },
    { weight: 5, arbitrary: busy },
    { weight: 2, arbitrary: says('cut', 'noise') },
    { weight: 3, arbitrary: held },
    { weight: isMortal ? 1 : 0, arbitrary: says(410) },
  );
const script = (isMortal: boolean): fc.Arbitrary<Script> =>
  fc.array(answer(isMortal), { minLength: TRIES_MAX, maxLength: TRIES_MAX });
const program = fc.boolean().chain((isMortal) => {
  const emit = fc.array(script(isMortal), { minLength: 1, maxLength: 40, size: 'max' }).map((emit): Step => ({ emit }));
  const step = fc.oneof(
    { weight: 4, arbitrary: emit },
    { weight: 4, arbitrary: fc.constantFrom(1, 3, 27, 242, 600).map((pass_s): Step => ({ pass_s })) },
    { weight: 2, arbitrary: fc.constant<Step>('release') },
    { weight: isMortal ? 2 : 0, arbitrary: fc.constant<Step>('validate') },
  );
  return fc.array(step, { minLength: 2, maxLength: 10, size: 'max' });
});

/** More at once than may be under way, and nothing is answered for a while. */
const CROWD: readonly Step[] = [
  { emit: Array.from({ length: 25 }, () => Array<Answer>(TRIES_MAX).fill({ isHeld: true, says: 'cut' })) },
  'full',
  { pass_s: 600 },
];

/** An event that happened, and what was heard of it. */
interface Told {
  readonly script: Script;
  /** How often the webhook had been challenged by then. */
  readonly epoch: number;
  readonly came: Arrived[];
  isUnderWay: boolean;
}

const seen = { atOnce: 0, later: 0, failed: 0, gone: 0, underWay: 0 };

describe('deliveries to a webhook', () => {
  test('end with success or after all tries, whatever it answers; none is lost or sent twice at once', async (t) => {
    await fc.assert(fc.asyncProperty(program, run), {
      numRuns: PROGRAMS,
      endOnFailure: true,
      examples: [[[...CROWD]]],
    });
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.atOnce > 0 && seen.later > 0 && seen.failed > 0 && seen.gone > 0, 'everything came about');
    assert.equal(seen.underWay, UNDER_WAY_MAX, 'as many were under way as may be');
  });
});

async function run(steps: readonly Step[]): Promise<void> {
  const keys = await register(world);
  const client = await bearerClient(world, keys);
  const receiver = await openReceiver(keys.consumer_secret);
  const made = await client.call('POST', '/2/webhooks', { url: receiver.url });
  assert.equal(made.status, 200, made.text);
  const webhook: string = made.body.data.id;
  const filter = { user_id: keys.user };
  await client.call('POST', '/2/activity/subscriptions', {
    event_type: 'profile.update.bio',
    filter,
    webhook_id: webhook,
  });
  const desk = deskOf(receiver);
  try {
    for (const step of steps) {
      if (step === 'release') desk.release();
      else if (step === 'full') await until('it is full', () => seen.underWay === UNDER_WAY_MAX);
      else if (step === 'validate') await validate(client, webhook, desk);
      else if ('pass_s' in step) await pass(step.pass_s);
      else await changeBio(world, keys.user, desk.expect(step.emit));
    }
    await finish(client, webhook, desk);
    const rows = new Map((await stored(webhook)).map((row) => [textOf(row.body), row]));
    for (const [text, told] of desk.told) check(told, rows.get(text), desk);
    assert.deepEqual(desk.twiceAtOnce, [], 'a message is under way once at a time');
  } finally {
    desk.release();
    await receiver.close();
  }
  const elsewhere = receiver.messages.filter(({ target }) => target !== '/in');
  assert.deepEqual(elsewhere, [], 'no redirect is followed');
}

/** What stands behind a receiver: it answers as the scripts say. */
interface Desk {
  /** What happened, by its text. */
  readonly told: ReadonlyMap<string, Told>;
  /** During which epochs, counted by challenges, the receiver said that it is gone. */
  readonly goneIn: ReadonlySet<number>;
  /** What came while it was already under way. */
  readonly twiceAtOnce: readonly string[];
  /** The texts of events that are about to happen. */
  expect(scripts: readonly Script[]): string[];
  release(): void;
  nextEpoch(): void;
}

function deskOf(receiver: Receiver): Desk {
  const told = new Map<string, Told>();
  const goneIn = new Set<number>();
  const twiceAtOnce: string[] = [];
  let waiting: (() => void)[] = [];
  let epoch = 0;
  let underWay = 0;

  receiver.answer = (arrived, response) => {
    const each = told.get(textOf(arrived.body))!;
    const answer = each.script[each.came.length];
    if (each.isUnderWay) twiceAtOnce.push(arrived.body);
    each.came.push(arrived);
    each.isUnderWay = true;
    underWay += 1;
    seen.underWay = Math.max(seen.underWay, underWay);
    response.on('close', () => {
      each.isUnderWay = false;
      underWay -= 1;
    });
    const say = (): void => {
      if (answer?.says === 410) goneIn.add(epoch);
      give(answer ?? { isHeld: false, says: 500 }, response);
    };
    if (answer?.isHeld) waiting.push(say);
    else say();
  };
  return {
    told,
    goneIn,
    twiceAtOnce,
    expect: (scripts) =>
      scripts.map((script) => {
        const text = `event ${told.size}`;
        told.set(text, { script, epoch, came: [], isUnderWay: false });
        return text;
      }),
    release() {
      const all = waiting;
      waiting = [];
      for (const say of all) say();
    },
    nextEpoch() {
      epoch += 1;
    },
  };
}

function give({ says, retryAfter_s }: Answer, response: ServerResponse): void {
  if (says === 'cut') response.destroy();
  else if (says === 'noise') response.socket!.end('what?\r\n\r\n');
  else {
    const location = says === 307 ? { location: '/elsewhere' } : {};
    const retry = retryAfter_s === undefined ? {} : { 'retry-after': String(retryAfter_s) };
    response.writeHead(says, { ...location, ...retry }).end();
  }
}

async function pass(seconds: number): Promise<void> {
  world.clock.advance(seconds);
  await world.service.jobs.runDue();
}

async function validate(client: BearerClient, webhook: string, desk: Desk): Promise<void> {
  desk.nextEpoch();
  const reply = await client.call('PUT', `/2/webhooks/${webhook}`);
  assert.equal(reply.status, 200, reply.text);
}

/** Lets everything come to its end: nothing is held, the webhook is valid, and time passes up to whatever is due next. */
async function finish(client: BearerClient, webhook: string, desk: Desk): Promise<void> {
  const { store, clock } = world.service;
  await until('everything that happened has been sent as often as it may', async () => {
    desk.release();
    const last = await store.write((tx) => tx.events.assignPositions());
    const state = await store.read(async (tx) => ({
      valid: (await tx.webhooks.find(webhook))!.valid,
      next_at: (await tx.webhookDeliveries.listWaiting()).find(({ webhook_id }) => webhook_id === webhook)?.next_at,
    }));
    const isDerived = (await settledPosition(world, webhook)) >= last;
    if (isDerived && state.next_at === undefined && (await isAllStored(webhook, desk))) return true;
    if (!state.valid) await validate(client, webhook, desk);
    const wait_s = state.next_at === undefined ? 0 : (Date.parse(state.next_at) - clock.now()) / 1000;
    await pass(Math.max(0, wait_s));
    return false;
  });
}

/** Whether what came of everything that was sent is stored: what is given up while it is under way comes late. */
async function isAllStored(webhook: string, { told }: Desk): Promise<boolean> {
  const tries = new Map((await stored(webhook)).map((row) => [textOf(row.body), row.tries.length]));
  return [...told].every(([text, { came }]) => came.length === (tries.get(text) ?? 0));
}

function stored(webhook: string): Promise<WebhookDelivery[]> {
  const query = { webhook, state: undefined, after: undefined, limit: 10_000 };
  return world.service.store.read((tx) => tx.webhookDeliveries.page(query));
}

function textOf(body: string): string {
  return JSON.parse(body).data.payload.after;
}

/** Holds what became of an event against its script. */
function check({ script, epoch, came }: Told, row: WebhookDelivery | undefined, { goneIn }: Desk): void {
  // What is on its way to who says that he is gone is given up. That may be stored when he was just challenged anew.
  const mayBeGivenUp = [...goneIn].some((each) => each >= epoch - 1);
  if (row === undefined) {
    assert.ok(mayBeGivenUp, 'what happens while a webhook is valid is not lost');
    assert.equal(came.length, 0);
    seen.gone += 1;
    return;
  }
  const { tries, state, message_id } = row;
  assert.ok(tries.length <= TRIES_MAX, `${tries.length} tries`);
  assert.deepEqual(
    came.map(({ body, headers }) => [body, headers['webhook-id']]),
    tries.map(() => [row.body, message_id]),
    'each try is the same message',
  );
  for (const [index, each] of tries.entries()) {
    assert.ok(isWhatCame(each, script[index]!), `${JSON.stringify(each)} for ${JSON.stringify(script[index])}`);
    const isLast = index === tries.length - 1;
    const end = isTaken(each) ? 'delivered' : each.status === 410 || index === TRIES_MAX - 1 ? 'failed' : 'pending';
    const isGivenUp = isLast && state === 'failed' && mayBeGivenUp;
    if (!isGivenUp || end === 'delivered') {
      assert.equal(isLast ? state : 'pending', end, 'it is tried until it is taken, refused for good, or tried enough');
    }
    if (isLast) continue;
    const wait_s = Math.max(SCHEDULE_S[index]!, script[index]!.retryAfter_s ?? 0);
    const waited_s = (Date.parse(tries[index + 1]!.at) - Date.parse(each.at)) / 1000;
    assert.ok(waited_s >= wait_s, `it waits ${wait_s} s at least, and waited ${waited_s} s`);
  }
  assert.ok(tries.length > 0 || mayBeGivenUp, 'what is never tried was given up');
  seen[state === 'failed' ? 'failed' : tries.length > 1 ? 'later' : 'atOnce'] += 1;
}

function isTaken({ status = 0 }: DeliveryTry): boolean {
  return status >= 200 && status < 300;
}

/** Whether a try ended as the script says; who is held for very long is not waited for. */
function isWhatCame({ status, reason }: DeliveryTry, { says, isHeld }: Answer): boolean {
  if (isHeld && reason === 'timeout') return true;
  if (says === 'cut') return reason === 'connection closed';
  if (says === 'noise') return reason === 'not http';
  return status === says;
}
