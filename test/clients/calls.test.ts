// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld } from '../rig/world.ts';
import { runRecipe } from './recipes.ts';

test('the program of the page that calls with npm oauth lists the accounts of the demo user', async () => {
  const world = await openWorld({ seams: { clock: systemClock } });
  try {
    const program = runRecipe(world, 'Calls with npm oauth');
    const { data } = JSON.parse(await program.line());
    assert.deepEqual(
      data.map((account: { name: string }) => account.name),
      ['Demo account'],
    );
    assert.equal(await program.ended, 0);
  } finally {
    await world.close();
  }
});
