import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { processIdentity } from '../../src/base/process-identity.ts';
import { keyFingerprint } from '../../src/base/secret-box.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import { DEAD_AFTER_S } from '../../src/contract/store/nodes.ts';
import { describeMasterKeys } from '../../src/features/platform/master-keys.ts';
import { type NodeDeps, removeDeadNodes } from '../../src/features/platform/node.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { engine } from '../rig/databases.ts';
import { type ReportingNode, reportingNode } from '../rig/nodes.ts';
import { inTime, PATIENCE_MS, until } from '../rig/patience.ts';
import { openWorldOver, type World } from '../rig/world.ts';

const HOUR_S = 3600;

let driver: Driver;
let world: World;
before(async () => {
  const keep = (opened: Driver): Driver => {
    driver = opened;
    return driver;
  };
  world = await openWorldOver(keep);
});
after(() => world.close());

/** A node of its own on the database of the world. */
const nodeOf = (id: string, deps: Partial<NodeDeps> = {}): ReportingNode => reportingNode(world, id, deps);

/** Adds a node that holds a stream connection and a job. */
async function addHolder(id: string, process = ''): Promise<void> {
  const now = formatInstant(world.clock.now());
  await world.service.store.write(async (tx) => {
    await tx.nodes.add(
      {
        id,
        hostname: 'elsewhere',
        version: '1.2.3',
        process,
        master_keys: '',
        roles: 'api,stream,worker,search',
        schema_level: '',
      },
      DEAD_AFTER_S,
    );
    await tx.streamConnections.add({
      ...{ id: `stream of ${id}`, application_id: 'any', node: id, endpoint_name: 'activity_stream' },
      ...{ client_ip: '192.0.2.1', connected_at: now, disconnected_at: null, disconnect_reason: null },
    });
    await tx.jobs.plan({ kind: `held by ${id}`, key: id, run_at: now });
    const due = { kinds: [`held by ${id}`], now, node: id, lease: `lease of ${id}`, lease_s: HOUR_S, max: 1 };
    assert.deepEqual(
      (await tx.jobs.take(due)).map(({ key }) => key),
      [id],
    );
  });
}

/** Makes the last heartbeat of a node older. */
async function silence(id: string): Promise<void> {
  await driver.write((session) =>
    session.runRaw(`update nodes set heartbeat_at = '2026-01-01T00:00:00.000Z' where id = '${id}'`),
  );
}

/** Whether a node has its row, its stream connection and its job; ended connections have a reason. */
async function heldBy(id: string): Promise<unknown> {
  return driver.read(async (session) => {
    const [row] = await session.allRaw(`select 1 as x from nodes where id = '${id}'`);
    const [stream] = await session.allRaw<{ disconnect_reason: string | null }>(
      `select disconnect_reason from stream_connections where node = '${id}'`,
    );
    const [job] = await session.allRaw<{ node: string | null; lease: string | null; leased_until: string | null }>(
      `select node, lease, leased_until from jobs where kind = 'held by ${id}'`,
    );
    return [row !== undefined, stream?.disconnect_reason ?? 'open', job?.lease ?? 'free', job?.node ?? 'nobody'];
  });
}
const EVERYTHING = (id: string) => [true, 'open', `lease of ${id}`, id];
const NOTHING = [false, 'UpstreamUncleanDisconnect', 'free', 'nobody'];

const removeAll = () => driver.write((session) => session.runRaw(`delete from nodes where hostname = 'elsewhere'`));

test('the metrics of a server tell of the servers of its database, where there can be several', async () => {
  const text = await (await fetch(`${world.service.url}/metrics`)).text();
  const values = [
    'barker_nodes_alive',
    'barker_heartbeat_age_seconds',
    'barker_clock_skew_seconds',
    'barker_events_waiting_seconds',
    'barker_database_oldest_transaction_seconds',
  ].map((name) => text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1]);
  if (engine === 'sqlite') return assert.deepEqual(values, Array(5).fill(undefined));
  const [alive, age_s, skew_s, wait_s, transaction_s] = values.map(Number);
  assert.ok(transaction_s! >= 0, `${transaction_s}`);
  assert.ok(age_s! >= 0 && age_s! < PATIENCE_MS / 1000, `${age_s}`);
  assert.deepEqual([alive, skew_s, wait_s], [1, 0, 0]);
});

describe('a node that starts', () => {
  test('beside others wipes nothing, neither of live nodes nor, before it can judge them, of silent ones', async () => {
    await addHolder('live');
    await addHolder('dead');
    await silence('dead');
    const third = nodeOf('third', { dead_after_s: 60 });
    await third.start();
    assert.deepEqual(await heldBy('live'), EVERYTHING('live'));
    assert.deepEqual(third.cleanedUp, []);
    await silence('dead');
    await world.service.store.write((tx) => removeDeadNodes(tx, 'third', 10, world.clock.now()));
    assert.deepEqual(await heldBy('live'), EVERYTHING('live'));
    assert.deepEqual(await heldBy('dead'), NOTHING);
    await third.stop();
    assert.deepEqual((await heldBy('third')) as unknown[], [false, 'open', 'free', 'nobody']);
    await removeAll();
  });

  test('where no other server can be alive cleans up after all others at once, however fresh their heartbeats', async () => {
    await addHolder('killed');
    const only = nodeOf('only', { hasPeers: false });
    await only.start();
    assert.deepEqual(await heldBy('killed'), NOTHING);
    const [remains] = only.cleanedUp;
    const killed = remains?.nodes.find(({ id }) => id === 'killed');
    assert.deepEqual([killed?.hostname, killed?.version], ['elsewhere', '1.2.3']);
    await only.stop();
    // The node of the world was removed too, and comes back by itself if it has heartbeats.
  });

  test('cleans up at once after those whose process has ended on the same machine, and after no others', async () => {
    const child = spawn(process.execPath, ['--version']);
    await once(child, 'exit');
    const here = processIdentity();
    const ended = here.replace(/\d+$/, `${child.pid}`);
    await addHolder('ended', ended);
    await addHolder('running here', here);
    await addHolder('running elsewhere', `another machine ${child.pid}`);
    const next = nodeOf('next');
    await next.start();
    assert.deepEqual(await heldBy('ended'), NOTHING);
    for (const id of ['running here', 'running elsewhere']) assert.deepEqual(await heldBy(id), EVERYTHING(id));
    assert.deepEqual(
      next.cleanedUp.flatMap(({ nodes }) => nodes.map(({ id }) => id)),
      ['ended'],
    );
    await next.stop();
    await removeAll();
  });
});

describe('a running node', () => {
  test('cleans up after nodes that have died, and keeps what live ones hold', async () => {
    await addHolder('survivor');
    await addHolder('victim');
    const node = nodeOf('watching', { dead_after_s: 2 });
    await node.start();
    // Whoever lives goes on with its heartbeats.
    const beating = setInterval(
      () => void world.service.store.write((tx) => tx.nodes.beat('survivor', DEAD_AFTER_S)),
      200,
    );
    try {
      await silence('victim');
      await until('the victim is cleaned up after', async () => ((await heldBy('victim')) as unknown[])[0] === false);
      assert.deepEqual(await heldBy('victim'), NOTHING);
      assert.deepEqual(await heldBy('survivor'), EVERYTHING('survivor'));
    } finally {
      clearInterval(beating);
      await node.stop();
      await removeAll();
    }
  });

  test('that could store no heartbeat is not alive, and does not judge others before it was steady for a while', async () => {
    const { store } = world.service;
    let isCutOff = false;
    let units = 0;
    const judged = Promise.withResolvers<unknown>();
    const write: Store['write'] = async (work) => {
      if (isCutOff) throw new StoreUnavailable(new Error('connection reset'));
      units += 1;
      // The first is the heartbeat below; by the fourth, a node that does not wait has judged.
      if (units === 4) judged.resolve(await heldBy('also cut off'));
      return store.write(work);
    };
    const ofNode: Store = { ...store, write, writeUrgent: write };
    const node = nodeOf('cut off', { store: ofNode, dead_after_s: 3 });
    await node.start();
    await node.ensureAlive();
    await addHolder('also cut off');
    isCutOff = true;
    await inTime(node.fellSilent);
    await assert.rejects(node.ensureAlive(), StoreUnavailable);
    await silence('also cut off');
    units = 0;
    isCutOff = false;
    await node.ensureAlive();
    assert.deepEqual(await inTime(judged.promise), EVERYTHING('also cut off'));
    await node.stop();
    await removeAll();
  });

  test('that was taken for dead comes back, and finds out', async () => {
    const node = nodeOf('mistaken', { dead_after_s: 1 });
    await node.start();
    await world.service.store.write((tx) => tx.nodes.remove('mistaken'));
    await inTime(node.wasRemoved);
    assert.equal(((await heldBy('mistaken')) as unknown[])[0], true);
    await node.stop();
  });

  test('learns with each heartbeat how many are alive, and knows the age of its own', async () => {
    const node = nodeOf('counting', { dead_after_s: 2 });
    await node.start();
    const own = node.liveNodes();
    await addHolder('beside');
    const beating = setInterval(() => void world.service.store.write((tx) => tx.nodes.beat('beside', 2)), 200);
    try {
      await until('the other one counts', async () => node.liveNodes() === own + 1);
    } finally {
      clearInterval(beating);
    }
    await until('it counts no more when it is silent', async () => node.liveNodes() === own);
    const age_s = node.heartbeats!.age_s();
    assert.ok(age_s > 0 && age_s < PATIENCE_MS / 1000, `${age_s}`);
    await node.stop();
    await removeAll();
  });
});

test('rate limits are shared among the live servers that answer requests: without Redis, each call counts for as many', async () => {
  const { node, store } = world.service;
  await until('those of other tests are forgotten', async () => node.liveNodes() === 1);
  const left = async () =>
    Number((await world.sandbox.call('GET', '/12/accounts')).headers.get('x-rate-limit-remaining'));
  const first = await left();
  assert.equal(await left(), first - 1);
  await addHolder('sharing');
  // SQLite has one server.
  const servers = engine === 'sqlite' ? 1 : 2;
  const beating = setInterval(() => void store.write((tx) => tx.nodes.beat('sharing', DEAD_AFTER_S)), 500);
  try {
    await until('the other server is noticed', async () => node.liveNodes() === servers);
    assert.equal(await left(), first - 1 - servers);
    await driver.write((session) => session.runRaw("update nodes set roles = 'worker' where id = 'sharing'"));
    await until('it answers no requests', async () => node.answeringNodes() === 1);
    assert.deepEqual([node.liveNodes(), await left()], [servers, first - 2 - servers]);
  } finally {
    clearInterval(beating);
    await removeAll();
  }
});

describe('the master keys of a node', () => {
  const OLD = Buffer.alloc(32, 1);
  const NEW = Buffer.alloc(32, 2);
  const prints = [OLD, NEW].map(keyFingerprint);
  const keysOf = (current: string, keys: Record<string, Buffer>) => ({
    master_keys: describeMasterKeys(current, keys),
  });
  const start = async (id: string, deps: Partial<NodeDeps>) => {
    const node = nodeOf(id, deps);
    await node.start();
    return node;
  };
  // The keys of the world are its own.
  before(() => driver.write((session) => session.runRaw(`update nodes set master_keys = ''`)));
  const ADVICE = 'check master_key, master_key_id and master_keys_old of both';

  test('must open what live ones seal, and theirs what it seals; otherwise it does not start', async () => {
    const first = await start('first', keysOf('k1', { k1: OLD }));
    const refused = async (deps: Partial<NodeDeps>, because: string) => {
      await assert.rejects(start('refused', deps), { message: `${because}; ${ADVICE}` });
      assert.equal(((await heldBy('refused')) as unknown[])[0], false, 'it signed off');
    };
    const lacking = `the server on somewhere seals secrets with the master key k1:${prints[0]}, which this one does not have`;
    await refused(keysOf('k2', { k2: NEW }), lacking);
    await refused(keysOf('k1', { k1: NEW }), lacking);
    await refused(
      keysOf('k2', { k2: NEW, k1: OLD }),
      `the server on somewhere does not have the master key k2:${prints[1]}, with which this one would seal secrets`,
    );
    // Rotation: first all can open what the new key seals, then one after the other seals with it.
    const second = await start('second', keysOf('k1', { k1: OLD, k2: NEW }));
    await first.stop();
    const third = await start('third', keysOf('k2', { k2: NEW, k1: OLD }));
    await Promise.all([second.stop(), third.stop()]);
  });

  test('are not compared with those of dead or older ones', async () => {
    await addHolder('older');
    await addHolder('long dead');
    await driver.write((session) => session.runRaw(`update nodes set master_keys = 'k9:ff' where id = 'long dead'`));
    await silence('long dead');
    await (await start('alone', keysOf('k1', { k1: OLD }))).stop();
    await removeAll();
  });
});
