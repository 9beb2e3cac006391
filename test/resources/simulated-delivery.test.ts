import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { fillDirectory, openDelivering, sumOf } from './delivery-calls.ts';

const HOUR_S = 3600;

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  await fillDirectory(world, 5000);
});
after(() => world.close());

describe('simulated delivery', () => {
  test('delivers once the clock goes on, and spends within the budget', async () => {
    const place = await openDelivering(world);
    const campaign = await place.campaign();
    const line = await place.line(campaign);
    await place.promote(line, 2);
    assert.deepEqual(await place.hours(), []);
    world.clock.advance(1800);
    const half = await place.hours();
    assert.ok(sumOf(half, 'impressions') > 0, 'within the hour');
    world.clock.advance(30 * HOUR_S);
    const hours = await place.hours();
    assert.ok(sumOf(hours, 'billed_charge_local_micro') <= 100_000_000);
    const shown = await world.sandbox.call('GET', `${place.path}/campaigns/${campaign}`);
    assert.equal(shown.status, 200);
  });
});
