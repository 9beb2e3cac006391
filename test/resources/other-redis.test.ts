import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { reportingNode } from '../rig/nodes.ts';
import { until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

describe('the Redis of a node', () => {
  const BESIDE = { dead_after_s: 1 };
  const OTHER = 'other servers of this database use another Redis; give all the same redis_url, to its last digit';

  test('must be that of live ones; otherwise it does not start', async () => {
    const first = reportingNode(world, 'first', BESIDE);
    await first.start(async () => 'one');
    const refused = reportingNode(world, 'refused', BESIDE);
    await assert.rejects(
      refused.start(async () => 'two'),
      { message: OTHER },
    );
    const others = await world.service.store.read((tx) => tx.nodes.listOthers('first'));
    assert.ok(!others.some(({ id }) => id === 'refused'), 'it signed off');
    const [same, without] = [reportingNode(world, 'same', BESIDE), reportingNode(world, 'without', BESIDE)];
    await same.start(async () => 'one');
    await without.start();
    assert.deepEqual(
      [same, without].map((each) => each.hasOtherRedis()),
      [false, false],
    );
    await until('the first no longer reports the one that was refused', () => !first.hasOtherRedis());
    for (const each of [first, same, without]) await each.stop();
  });

  test('may have lost its id: those that live read the new one with their next heartbeats', async () => {
    let id = 'before';
    const first = reportingNode(world, 'first', BESIDE);
    await first.start(async () => id);
    const next = reportingNode(world, 'next', BESIDE);
    const starting = next.start(async () => 'after');
    id = 'after';
    await starting;
    assert.deepEqual(next.otherRedis, []);
    for (const each of [first, next]) await each.stop();
  });

  test('may turn out to be another one later, which is reported, and that it no longer is', async () => {
    let id = '';
    const [first, late] = [reportingNode(world, 'first', BESIDE), reportingNode(world, 'late', BESIDE)];
    await first.start(async () => 'one');
    await late.start(async () => id);
    id = 'two';
    await until('both report it', () => first.hasOtherRedis() && late.hasOtherRedis());
    id = 'one';
    await until('it is over', () => !first.hasOtherRedis() && !late.hasOtherRedis());
    assert.deepEqual(
      [first.otherRedis, late.otherRedis],
      [
        [true, false],
        [true, false],
      ],
    );
    for (const each of [first, late]) await each.stop();
  });
});
