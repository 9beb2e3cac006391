import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DEAD_AFTER_S } from '../../src/contract/store/nodes.ts';
import type { NodeDeps } from '../../src/features/platform/node.ts';
import { engine } from '../rig/databases.ts';
import { type ReportingNode, reportingNode } from '../rig/nodes.ts';
import { until } from '../rig/patience.ts';
import { openWorld, openWorldOver, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ nodes: 1 });
});
after(() => world.close());

/** A node of its own on the database of the world. */
const nodeOf = (id: string, deps: Partial<NodeDeps> = {}): ReportingNode => reportingNode(world, id, deps);

describe('the clock of the machine', () => {
  const shifted = (seconds: number) => ({ now: () => Date.now() + seconds * 1000 });

  test('may differ from that of the database a little, and more than 5 s are reported', async () => {
    for (const [seconds, reported] of [
      [-1, []],
      [4, []],
      [20, [20]],
      [-20, [-20]],
    ] as const) {
      const node = nodeOf('skewed', { machineClock: shifted(seconds), skewMax_ms: 150_000, dead_after_s: 1 });
      await node.start();
      let age_s = 0;
      await until('the next heartbeat', async () => {
        const before_s = age_s;
        age_s = node.heartbeats!.age_s();
        return age_s < before_s;
      });
      // The time that a heartbeat takes may hide a part of the difference.
      assert.equal(node.skews.length, reported.length);
      for (const [index, skew_s] of reported.entries()) {
        assert.equal(Math.sign(node.skews[index]!), Math.sign(skew_s));
        assert.ok(Math.abs(node.skews[index]!) <= 20 && Math.abs(node.skews[index]!) > 5, `${node.skews[index]}`);
        assert.ok(Math.abs(node.heartbeats!.skew_s() - node.skews[index]!) < 5, `${node.heartbeats!.skew_s()}`);
      }
      await node.stop();
    }
  });

  test('that differs by more keeps the server from starting; the error has both times', async () => {
    for (const seconds of [151, -160]) {
      const node = nodeOf('wrong', { machineClock: shifted(seconds), skewMax_ms: 150_000 });
      const error: Error = await node.start().then(
        () => assert.fail(),
        (refusal) => refusal,
      );
      const [, machine, database] =
        /^the clock of this machine shows (\S+Z) and that of the database (\S+Z): more than 150 s apart; synchronize both clocks$/.exec(
          error.message,
        ) ?? [];
      const apart_s = (Date.parse(machine!) - Date.parse(database!)) / 1000;
      assert.ok(Math.abs(apart_s - seconds) < 5, `${apart_s}`);
      const others = await world.service.store.read((tx) => tx.nodes.listOthers(world.service.node.id));
      assert.ok(!others.some(({ id }) => id === 'wrong'));
    }
  });

  test('that becomes wrong while the node runs is reported, and again when it is right', async () => {
    const clock = { shift_s: 0, now: () => Date.now() + clock.shift_s * 1000 };
    const node = nodeOf('drifting', { machineClock: clock, skewMax_ms: 30_000, dead_after_s: 1 });
    await node.start();
    for (const [shift_s, isWrong, count] of [
      [0, false, 0],
      [20, false, 1],
      [-120, true, 2],
      [120, true, 2],
      [20, false, 3],
      [0, false, 4],
    ] as const) {
      clock.shift_s = shift_s;
      await until('the difference is noted', async () => Math.abs(node.heartbeats!.skew_s() - shift_s) < 5);
      assert.equal(node.isClockWrong(), isWrong);
      assert.equal(node.skews.length, count);
    }
    assert.deepEqual(node.wrong, [false, true, false, false]);
    assert.equal(node.skews.at(-1), 0);
    await node.stop();
  });

  test('takes a server out of service while others are alive, and only then', async () => {
    const clock = { shift_s: 0, now: () => Date.now() + clock.shift_s * 1000 };
    const drifting = await openWorldOver((opened) => opened, { seams: { machineClock: clock } });
    const ready = async () => {
      drifting.clock.advance(2);
      const reply = await fetch(`${drifting.service.operationsUrl}/readyz`);
      return [reply.status, ((await reply.json()) as { checks: Record<string, string> }).checks.clock];
    };
    const isOnPostgres = engine === 'postgres';
    const right = [200, isOnPostgres ? 'ok' : undefined];
    assert.deepEqual(await ready(), right);
    clock.shift_s = 120;
    const { node, store } = drifting.service;
    if (isOnPostgres) await until('it is noted', async () => node.isClockWrong());
    assert.deepEqual(await ready(), right, 'one that is alone is better than none');
    const other = nodeOf('beside', { store, dead_after_s: DEAD_AFTER_S });
    await other.start();
    if (isOnPostgres) await until('the other one is noted', async () => node.liveNodes() === 2);
    assert.deepEqual(await ready(), isOnPostgres ? [503, 'failed'] : right);
    clock.shift_s = 0;
    if (isOnPostgres) await until('it is right again', async () => !node.isClockWrong());
    assert.deepEqual(await ready(), right);
    await other.stop();
    await drifting.close();
  });

  test('matters where the database has a clock of its own', async () => {
    const { settings } = world.service;
    assert.equal(settings.timestamp_window_s, 300);
    const starting = openWorldOver((opened) => opened, { seams: { machineClock: shifted(120) } });
    if (engine === 'postgres') await assert.rejects(starting, /^Error: the clock of this machine shows /);
    else await (await starting).close();
  });
});
