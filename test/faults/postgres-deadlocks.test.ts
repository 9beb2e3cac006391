import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
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
    const locked = new Set<string>();
    let runs = 0;
    const unit = (first: string, second: string) =>
      store.write(async (tx) => {
        runs += 1;
        await tx.takeNumbers(first, 0, 1);
        locked.add(first);
        for (let tries = 0; locked.size < 2 && tries < 500; tries += 1) await wait(10);
        await tx.takeNumbers(second, 0, 1);
      });
    await Promise.all([unit('deadlock a', 'deadlock b'), unit('deadlock b', 'deadlock a')]);
    assert.equal(runs, 3);
    const taken = await store.read((tx) =>
      Promise.all(['deadlock a', 'deadlock b'].map((name) => tx.findNumber(name))),
    );
    assert.deepEqual(taken, [3, 3]);
  });
});
