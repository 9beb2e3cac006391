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

  test('reaches nobody whom only line items mean that never served', async () => {
    const place = await openDelivering(world);
    const campaign = await place.campaign();
    const line = await place.line(campaign);
    await place.post('targeting_criteria', { line_item_id: line, targeting_type: 'GENDER', targeting_value: '1' });
    await place.promote(line);
    await place.line(campaign, { entity_status: 'PAUSED' });
    world.clock.advance(HOUR_S);
    await place.settle();
    const audiences = await world.service.store.read((tx) => tx.deliveryLedger.listAudiences(place.account));
    assert.deepEqual(
      audiences.map(({ subject, people }) => [subject, people]).sort(),
      [
        [`campaign/${campaign}`, 2500],
        [`funding_instrument/${place.instrument}`, 2500],
        [line, 2500],
      ].sort(),
    );
  });
});
