import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { delivererOf, type Hooks, makeHooks, type NodeDeliverer } from '../rig/deliverers.ts';
import { changeBio } from '../rig/events.ts';
import { inTime, until } from '../rig/patience.ts';
import { status } from '../rig/receiver.ts';
import { openWorld, type World } from '../rig/world.ts';
import type { WebhookNodeOptions } from './webhook-node-process.ts';

const LEASE_S = 3;
/** Requests to one webhook that may be in flight. */
const IN_FLIGHT_MAX = 10;
const EVENTS = 50;

let world: World;
before(async () => {
  world = await openWorld();
  // Only the deliverers of the tests deliver.
  await world.service.webhooks.stop();
});
after(() => world.close());

let hooks: Hooks;
let second: NodeDeliverer | undefined;
let child: ChildProcess | undefined;
afterEach(async () => {
  child?.kill('SIGKILL');
  await second?.stop();
  await world.service.store.write(async (tx) => {
    for (const id of hooks.ids) await tx.webhooks.remove(id);
  });
  await hooks.receiver.close();
});

/** A node in a process of its own that holds the webhook. */
interface NodeProcess {
  readonly child: ChildProcess;
  readonly told: readonly string[];
  readonly gone: Promise<void>;
}

async function startNode(id: string): Promise<NodeProcess> {
  const { master_key, master_key_id, master_keys_old } = world.service.settings;
  const options: WebhookNodeOptions = {
    ...{ databaseUrl: world.place.databaseUrl, id, lease_s: LEASE_S },
    keys: { master_key, master_key_id, master_keys_old },
  };
  const made = fork(resolve('test/faults/webhook-node-process.ts'), [JSON.stringify(options)]);
  const told: string[] = [];
  child = made;
  made.on('message', (what) => void told.push(String(what)));
  const gone = new Promise<void>((done) => made.on('exit', () => done()));
  await until('the node has the webhook', () => told.includes('holds 1'));
  return { child: made, told, gone };
}

/** Another node, in this process, that takes over when the lease has ended. */
async function startSecond(id: string): Promise<void> {
  const { store, box, services } = world.service;
  second = delivererOf(id, { store, box, clock: world.clock, feed: services.activity.feed });
  await second.start();
}

const texts = Array.from({ length: EVENTS }, (_, index) => `event ${index}`);
const sentBy = (webhook: string, node: string): string[] =>
  hooks.arrived(webhook).flatMap((each) => (each.node === node ? [each.text] : []));
const allStored = (webhook: string): Promise<void> =>
  until('every delivery is stored', async () => {
    const query = { webhook, state: 'delivered' as const, after: undefined, limit: 1000 };
    return (await world.service.store.read((tx) => tx.webhookDeliveries.page(query))).length === EVENTS;
  });

describe('a node in the middle of its deliveries', () => {
  test('that is killed is replaced: all messages arrive, and those in flight are repeated', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const killed = await startNode('killed');
    // Some are taken and stored, the others are never answered.
    hooks.receiver.answer = (arrived, response) =>
      /event \d"/.test(arrived.body) ? status(200)(arrived, response) : undefined;
    await changeBio(world, hooks.user, texts);
    await hooks.receiver.came(2 * IN_FLIGHT_MAX);
    await until('what was taken is stored', async () => {
      const query = { webhook: id, state: 'delivered' as const, after: undefined, limit: 1000 };
      return (await world.service.store.read((tx) => tx.webhookDeliveries.page(query))).length === 10;
    });
    killed.child.kill('SIGKILL');
    await inTime(killed.gone);
    hooks.receiver.answer = status(200);
    await startSecond('after a kill');
    await allStored(id);
    assert.equal(new Set(hooks.arrived(id).map(({ text }) => text)).size, EVENTS);
    assert.deepEqual(sentBy(id, 'after a kill').sort(), texts.filter((text) => !/event \d$/.test(text)).sort());
    assert.equal(hooks.arrived(id).length, EVENTS + IN_FLIGHT_MAX, 'what was in flight came twice');
  });

  test('that is frozen is replaced; when it wakes, its outcomes are refused and it sends nothing more', async () => {
    hooks = await makeHooks(world, 1);
    const [id] = hooks.ids as [string];
    const frozen = await startNode('frozen');
    const held: ServerResponse[] = [];
    hooks.receiver.answer = (_, response) => void held.push(response);
    await changeBio(world, hooks.user, texts);
    await hooks.receiver.came(IN_FLIGHT_MAX);
    frozen.child.kill('SIGSTOP');
    hooks.receiver.answer = status(200);
    await startSecond('after a freeze');
    await allStored(id);
    for (const response of held) response.writeHead(500).end();
    frozen.child.kill('SIGCONT');
    await until('it was told', () => frozen.told.includes('lost'));
    frozen.child.send('end');
    await inTime(frozen.gone);
    await allStored(id);
    assert.deepEqual(sentBy(id, 'after a freeze').sort(), [...texts].sort());
    assert.equal(sentBy(id, 'frozen').length, IN_FLIGHT_MAX);
    const query = { webhook: id, state: undefined, after: undefined, limit: 1000 };
    const rows = await world.service.store.read((tx) => tx.webhookDeliveries.page(query));
    assert.ok(rows.every(({ tries }) => tries.length === 1 && tries[0]!.status === 200));
  });
});
