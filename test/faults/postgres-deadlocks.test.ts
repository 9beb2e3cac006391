import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

describe('two units of work that lock the same rows in different orders', () => {
  test('both succeed: the one that PostgreSQL ends is run again', async () => {
    const { store } = world.service;
    await store.write((tx) => Promise.all(['deadlock a', 'deadlock b'].map((name) => tx.takeNumbers(name, 0, 1))));
    const locked = { 'deadlock a': Promise.withResolvers<void>(), 'deadlock b': Promise.withResolvers<void>() };
    let runs = 0;
    const unit = (first: keyof typeof locked, second: keyof typeof locked) =>
      store.write(async (tx) => {
        runs += 1;
        await tx.takeNumbers(first, 0, 1);
        locked[first].resolve();
        await locked[second].promise;
        await tx.takeNumbers(second, 0, 1);
      });
    await Promise.all([unit('deadlock a', 'deadlock b'), unit('deadlock b', 'deadlock a')]);
    // Where it is run again before the other has noticed that it may go on, they meet once more.
    assert.ok(runs >= 3, `${runs} runs`);
    const taken = await store.read((tx) =>
      Promise.all(['deadlock a', 'deadlock b'].map((name) => tx.findNumber(name))),
    );
    assert.deepEqual(taken, [3, 3]);
  });
});
