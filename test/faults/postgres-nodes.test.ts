import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { RunningNode, removeFormerNodes } from '../../src/features/platform/node.ts';
import { anotherNode } from '../rig/nodes.ts';
import { inTime, until } from '../rig/patience.ts';
import { endedOf, openStream, subscriber } from '../rig/streams.ts';
import { openWorld, type World } from '../rig/world.ts';
import type { NodeProcessOptions } from './node-process.ts';

const TERM_S = 2;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

/** A node in a process of its own, and what it tells. */
interface NodeProcess {
  readonly child: ChildProcess;
  readonly told: readonly string[];
  hears(what: string): Promise<void>;
  readonly gone: Promise<void>;
}

function startNode(id: string, kind: string): NodeProcess {
  const options: NodeProcessOptions = { databaseUrl: world.place.databaseUrl, id, kind, term_s: TERM_S };
  const child = fork(resolve('test/faults/node-process.ts'), [JSON.stringify(options)]);
  const told: string[] = [];
  let look = (): void => {};
  child.on('message', (what) => {
    told.push(String(what));
    look();
  });
  const gone = new Promise<void>((done) => child.on('exit', () => done()));
  const hears = (what: string): Promise<void> =>
    inTime(
      new Promise((done) => {
        look = () => void (told.includes(what) && done());
        look();
      }),
    );
  return { child, told, hears, gone };
}

const { now } = systemClock;
const done = (key: string) => world.service.store.read((tx) => tx.findNumber(`done ${key}`));
const plan = (kind: string, key: string) =>
  world.service.store.write((tx) => tx.jobs.plan({ kind, key, run_at: formatInstant(now()) }));

/** Runs the jobs of a kind on another node until one is done. */
async function doElsewhere(kind: string, key: string): Promise<void> {
  const { store, services } = world.service;
  const jobs = new JobRunner({
    ...{ store, services, node: anotherNode(), clock: systemClock, random: secureRandom },
    kinds: [{ name: kind, store: async (tx) => void (await tx.takeNumbers(`done ${key}`, 0, 1)) }],
    onEnded() {},
    onFailed: (_, error) => assert.fail(error as Error),
  });
  await until('the job is taken over', async () => {
    await jobs.runDue();
    return (await done(key)) !== undefined;
  });
  await jobs.stop();
}

describe('a node that is frozen while it holds a job', () => {
  test('loses it to another node; when it wakes, it is told to stop and its result is refused', async () => {
    await plan('freezing', 'a');
    const frozen = startNode('frozen', 'freezing');
    await frozen.hears('begun');
    frozen.child.kill('SIGSTOP');
    await doElsewhere('freezing', 'a');
    frozen.child.kill('SIGCONT');
    await frozen.hears('told to stop');
    frozen.child.send('end');
    await inTime(frozen.gone);
    assert.equal(await done('a'), 1);
    assert.deepEqual(
      frozen.told.filter((what) => what.startsWith('ended') || what.startsWith('failed')),
      ['ended: lost'],
    );
  });

  test('is removed by another node, which frees the job at once; it finds out and comes back', async () => {
    const { store } = world.service;
    const cleaned = Promise.withResolvers<void>();
    const watching = new RunningNode({
      ...{
        id: 'watching',
        hostname: 'here',
        version: '1.0.0',
        process: '',
        master_keys: '',
        roles: 'api,stream,worker,search',
        schema_level: '',
        store,
      },
      ...{ clock: systemClock, machineClock: systemClock },
      ...{ hasPeers: true, skewMax_ms: 150_000, dead_after_s: TERM_S },
      observer: {
        cleanedUp: ({ nodes }) => void (nodes.some(({ id }) => id === 'removed') && cleaned.resolve()),
        fellSilent() {},
        wasRemoved() {},
        clockSkewed() {},
        redisDiffers() {},
        failed() {},
      },
    });
    await watching.start();
    await plan('removing', 'b');
    const removed = startNode('removed', 'removing');
    await removed.hears('begun');
    removed.child.kill('SIGSTOP');
    await inTime(cleaned.promise);
    await doElsewhere('removing', 'b');
    removed.child.kill('SIGCONT');
    await removed.hears('was removed');
    removed.child.send('end');
    await inTime(removed.gone);
    assert.equal(await done('b'), 1);
    assert.ok(removed.told.includes('ended: lost'), `${removed.told}`);
    await watching.stop();
  });
});

test('a node that others took for dead ends its streams, which were recorded as ended', async () => {
  const who = await subscriber(world);
  const stream = await openStream(world, who.bearer);
  await world.service.store.write(async (tx) => {
    await removeFormerNodes(tx, 'another', world.clock.now());
  });
  await inTime(stream.ended);
  assert.deepEqual(await endedOf(world, who, 1), ['UpstreamUncleanDisconnect']);
  assert.equal((await world.service.store.read((tx) => tx.nodes.listOthers('another'))).length, 1);
});
