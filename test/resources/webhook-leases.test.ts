import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { every } from '../../src/base/timers.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { WebhookDelivery } from '../../src/contract/store/webhooks.ts';
import { webhookCheck } from '../../src/features/activity/webhooks/webhook-jobs.ts';
import { LeaseLost } from '../../src/features/platform/job-leases.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { readTable } from '../../src/storage/transfer/read-rows.ts';
import { readTableSchemas } from '../../src/storage/transfer/table-schema.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { delivererOf, type Hooks, makeHooks, type NodeDeliverer } from '../rig/deliverers.ts';
import { changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { status } from '../rig/receiver.ts';
import { openWorldOver, type World } from '../rig/world.ts';

/** Requests to one webhook that may be in flight. */
const IN_FLIGHT_MAX = 10;
const EVENTS = 50;

let driver: Driver;
let world: World;
const statements: string[] = [];
before(async () => {
  const keep = (opened: Driver): Driver => {
    driver = opened;
    return driver;
  };
  world = await openWorldOver(keep, { probe: (sql) => void statements.push(sql) });
  // Only the deliverers of the tests deliver.
  await world.service.webhooks.stop();
});
after(() => world.close());

let running: NodeDeliverer[] = [];
let endLives: (() => Promise<void>)[] = [];
let hooks: Hooks;
beforeEach(() => {
  running = [];
  endLives = [];
});
afterEach(async () => {
  hooks.receiver.answer = status(200);
  for (const end of endLives) await end();
  await Promise.all(running.map((each) => each.stop()));
  await world.service.store.write(async (tx) => {
    for (const id of hooks.ids) await tx.webhooks.remove(id);
  });
  await hooks.receiver.close();
});

const deliverer = (id: string, options: { readonly store?: Store; readonly lease_s?: number } = {}): NodeDeliverer => {
  const { store, box, services } = world.service;
  const made = delivererOf(id, { store, box, clock: world.clock, feed: services.activity.feed, ...options });
  running.push(made);
  return made;
};
/** Lets a node count as alive until the test ends. */
const keepAlive = async (id: string, roles = 'api,stream,worker,search'): Promise<void> => {
  const { store } = world.service;
  await store.write((tx) =>
    tx.nodes.add({ id, hostname: 'here', version: '1.0.0', process: '', master_keys: '', roles, schema_level: '' }, 10),
  );
  const stop = every(500, () => void store.write((tx) => tx.nodes.beat(id, 10)).catch(() => undefined));
  endLives.push(async () => {
    stop();
    await store.write((tx) => tx.nodes.remove(id));
  });
};
const texts = (what: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${what} ${index}`);
const leases = () =>
  driver.read((session) =>
    session.allRaw<{ id: string; node: string | null; leased_until: string | null; settled_position: number }>(
      'select id, node, leased_until, settled_position from webhooks order by id',
    ),
  );
const stored = (webhook: string): Promise<WebhookDelivery[]> =>
  world.service.store.read((tx) =>
    tx.webhookDeliveries.page({ webhook, state: undefined, after: undefined, limit: 1000 }),
  );
const allStored = (webhook: string, count: number): Promise<void> =>
  until(`${count} deliveries are stored`, async () => {
    return (await stored(webhook)).filter(({ state }) => state === 'delivered').length === count;
  });
/** Answers nothing until it is let go, or one message. */
const holdAnswers = (): { readonly release: () => void; readonly answerOne: () => void } => {
  const held: ServerResponse[] = [];
  hooks.receiver.answer = (_, response) => void held.push(response);
  return {
    release() {
      hooks.receiver.answer = status(200);
      for (const response of held.splice(0)) response.writeHead(200).end();
    },
    answerOne: () => void held.shift()!.writeHead(200).end(),
  };
};

describe('two deliverers', () => {
  test('share the webhooks, and deliver each message once while shares change', async () => {
    hooks = await makeHooks(world, 4);
    await keepAlive('first');
    const first = deliverer('first');
    await first.start();
    await changeBio(world, hooks.user, texts('alone', 20));
    // Nobody else takes the share of the world’s own node, so that they are left over.
    await until('one has all', () => first.held().length === 4);
    await keepAlive('second');
    const second = deliverer('second');
    await second.start();
    let count = 0;
    await until('they share', async () => {
      await changeBio(world, hooks.user, [`meanwhile ${count++}`]);
      return first.held().length === 2 && second.held().length === 2;
    });
    await changeBio(world, hooks.user, texts('together', 20));
    const expected = [...texts('alone', 20), ...texts('meanwhile', count), ...texts('together', 20)].sort();
    for (const id of hooks.ids) await allStored(id, expected.length);
    for (const id of hooks.ids) {
      assert.deepEqual(
        hooks
          .arrived(id)
          .map(({ text }) => text)
          .sort(),
        expected,
      );
    }
    const senders = hooks.ids.map((id) => new Set(hooks.arrived(id).map(({ node }) => node)));
    assert.ok(senders.some((nodes) => nodes.has('second')) && senders.some((nodes) => !nodes.has('second')));
    assert.deepEqual([first.lost, second.lost], [[], []]);
  });
});

describe('a deliverer beside servers', () => {
  const setRoles = (of: string, roles: string) =>
    driver.write((session) => session.runRaw(`update nodes set roles = '${roles}' where id = '${of}'`));

  test('without the role worker has their share at once, and leaves a worker its own', async () => {
    hooks = await makeHooks(world, 4);
    const own = world.service.node.id;
    await setRoles(own, 'api,stream,search');
    endLives.push(() => setRoles(own, 'api,stream,worker,search').then(() => undefined));
    await keepAlive('first', 'worker');
    await keepAlive('second', 'worker,stream');
    await keepAlive('third', 'api');
    await keepAlive('fourth', 'search');
    const [first, second] = [deliverer('first'), deliverer('second')];
    await first.start();
    await second.start();
    assert.deepEqual([first.held().length, second.held().length], [2, 2]);
  });
});

describe('a deliverer that is stopped', () => {
  test('gives its webhooks back at once; the next one sends what it had not sent', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const first = deliverer('first');
    await first.start();
    await until('it has the webhook', () => first.held().length === 1);
    const { release } = holdAnswers();
    await changeBio(world, hooks.user, texts('event', EVENTS));
    await hooks.receiver.came(IN_FLIGHT_MAX);
    const stopping = first.stop();
    release();
    await stopping;
    const [row] = await leases();
    assert.equal(row!.node, null);
    assert.equal(hooks.arrived(id).length, IN_FLIGHT_MAX);
    const second = deliverer('second');
    await second.start();
    await allStored(id, EVENTS);
    const seen = hooks.arrived(id).map(({ text }) => text);
    assert.deepEqual(seen.sort(), texts('event', EVENTS).sort(), 'each came once');
  });
});

describe('a deliverer whose webhook another node has taken', () => {
  test('is refused when it stores something, and stops', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const { store } = world.service;
    const first = deliverer('first');
    await first.start();
    await until('it has the webhook', () => first.held().length === 1);
    const { release, answerOne } = holdAnswers();
    await changeBio(world, hooks.user, texts('event', EVENTS));
    await hooks.receiver.came(IN_FLIGHT_MAX);
    const other = await store.write(async (tx) => {
      await tx.webhookLeases.giveBack('first', await tx.webhookLeases.listOf('first'));
      return tx.webhookLeases.take({ node: 'second', lease_s: 60, free_s: 0, max: 10 });
    });
    assert.equal(other.length, 1);
    const before = await leases();
    answerOne();
    await until('it has noticed', () => first.lost.length > 0);
    release();
    await until('nothing is in flight', () => first.waiting() === 0);
    assert.deepEqual([first.lost, first.held()], [[id], []]);
    assert.deepEqual([await leases(), await stored(id)], [before, []], 'nothing was stored');
    const sent = hooks.arrived(id).length;
    assert.ok(sent <= IN_FLIGHT_MAX + 1, `it sent ${sent}`);
    await store.write((tx) => tx.webhookLeases.giveBack('second', other));
    await first.stop();
    const third = deliverer('third');
    await third.start();
    await allStored(id, EVENTS);
    const seen = hooks.arrived(id);
    assert.equal(seen.filter(({ node }) => node === 'first').length, sent);
    assert.equal(new Set(seen.map(({ text }) => text)).size, EVENTS);
    assert.equal(seen.filter(({ node }) => node === 'third').length, EVENTS, 'what was not stored is sent again');
  });

  test('cannot make it invalid', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const { store } = world.service;
    const first = deliverer('first');
    await first.start();
    await until('it has the webhook', () => first.held().length === 1);
    const held: ServerResponse[] = [];
    hooks.receiver.answer = (_, response) => void held.push(response);
    await changeBio(world, hooks.user, ['event']);
    await hooks.receiver.came(1);
    await store.write(async (tx) => {
      await tx.webhookLeases.giveBack('first', await tx.webhookLeases.listOf('first'));
      await tx.webhookLeases.take({ node: 'second', lease_s: 60, free_s: 0, max: 10 });
    });
    held[0]!.writeHead(410).end();
    await until('it has noticed', () => first.lost.length > 0);
    assert.equal((await store.read((tx) => tx.webhooks.find(id)))!.valid, 1);
    assert.deepEqual(await stored(id), []);
  });
});

describe('a deliverer that cannot write', () => {
  test('stops when its lease ends; another one takes over, and repeats at most what was in flight', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const { store } = world.service;
    let isCutOff = false;
    const cut = <T>(write: Store['write']) =>
      ((work: Parameters<Store['write']>[0]) =>
        isCutOff ? Promise.reject(new StoreUnavailable(new Error('connection reset'))) : write(work)) as T;
    const cuttable = {
      ...store,
      write: cut<Store['write']>(store.write),
      writeUrgent: cut<Store['write']>(store.writeUrgent),
    };
    const first = deliverer('first', { store: cuttable, lease_s: 2 });
    await first.start();
    await until('it has the webhook', () => first.held().length === 1);
    const { release } = holdAnswers();
    await changeBio(world, hooks.user, texts('event', EVENTS));
    await hooks.receiver.came(IN_FLIGHT_MAX);
    isCutOff = true;
    const second = deliverer('second');
    await second.start();
    await until('another one has taken over', () => second.held().length === 1);
    // The first one now has room to send more.
    release();
    await allStored(id, EVENTS);
    isCutOff = false;
    await until('the first one has noticed', () => first.lost.length > 0);
    const seen = hooks.arrived(id);
    assert.equal(seen.filter(({ node }) => node === 'first').length, IN_FLIGHT_MAX);
    assert.deepEqual(
      seen
        .filter(({ node }) => node === 'second')
        .map(({ text }) => text)
        .sort(),
      texts('event', EVENTS).sort(),
    );
    assert.deepEqual(
      (await stored(id)).map(({ tries }) => tries.length),
      Array(EVENTS).fill(1),
    );
    const last = await store.read((tx) => tx.events.findLast());
    assert.equal((await leases())[0]!.settled_position, last);
  });
});

describe('leases', () => {
  test('are renewed together, in one statement', async () => {
    hooks = await makeHooks(world, 3);
    await keepAlive('first');
    const first = deliverer('first', { lease_s: 4 });
    await first.start();
    await until('it has all', () => first.held().length === 3);
    const ends = async () => (await leases()).map(({ leased_until }) => leased_until!);
    const before = await ends();
    await until('they are renewed', async () => (await ends()).every((time, index) => time > before[index]!));
    statements.length = 0;
    const again = await ends();
    await until('they are renewed', async () => (await ends()).some((time, index) => time > again[index]!));
    assert.ok((await ends()).every((time, index) => time > again[index]!));
    assert.equal(statements.filter((sql) => /^update "webhooks" set "leased_until"/.test(sql)).length, 1);
    assert.deepEqual(first.lost, []);
  });
});

describe('the daily challenge', () => {
  test('is not sent when the lease of its job is lost', async () => {
    hooks = await makeHooks(world, 1);
    const job = { kind: webhookCheck.name, key: hooks.ids[0]!, run_at: '', lease: '', attempts: 1 };
    const lost = AbortSignal.abort(new LeaseLost('another server has the job'));
    await assert.rejects(webhookCheck.prepare!(job, world.service.services, lost), { name: 'LeaseLost' });
    assert.equal(hooks.receiver.challenges.length, 0);
  });
});

describe('a copy of the database', () => {
  test('has no leases, but the positions', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const first = deliverer('first');
    await first.start();
    const [position] = await changeBio(world, hooks.user, ['event']);
    await allStored(id, 1);
    assert.equal((await leases())[0]!.node, 'first');
    let copied: unknown[] = [];
    await driver.read(async (session) => {
      const table = (await readTableSchemas(session)).find(({ name }) => name === 'webhooks')!;
      await readTable(session, table, async (lines) => {
        const row = JSON.parse(lines.toString());
        const value = (column: string): unknown => row[table.columns.findIndex(({ name }) => name === column)];
        copied = [value('id'), value('node'), value('leased_until'), value('settled_position')];
      });
    });
    assert.deepEqual(copied, [id, null, null, position]);
  });
});

describe('events that a webhook may still need', () => {
  test('are kept beyond the retention', async () => {
    hooks = await makeHooks(world, 1);
    const { store, jobs, settings } = world.service;
    const [position] = await changeBio(world, hooks.user, ['old']);
    const isThere = async () => (await store.read((tx) => tx.events.listAt([position!]))).length === 1;
    world.clock.advance(settings.event_retention_s + 3600);
    await jobs.runDue();
    assert.ok(await isThere());
    const first = deliverer('first');
    await first.start();
    await allStored(hooks.ids[0]!, 1);
    await first.stop();
    world.clock.advance(3600);
    await jobs.runDue();
    assert.ok(!(await isThere()));
  });
});
