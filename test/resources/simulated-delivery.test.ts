import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Logger } from 'pino';
import { createDelivery } from '../../src/app/delivery.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openWorld, type World } from '../rig/world.ts';
import { TAG } from './conversion-calls.ts';
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

  test('measures conversions on websites by their tag', async () => {
    const place = await openDelivering(world);
    const tag = await world.sandbox.call('POST', `${place.path}/web_event_tags`, {
      params: { ...TAG, type: 'SITE_VISIT' },
    });
    const line = await place.line(await place.campaign(), {
      ...{ objective: 'WEBSITE_CLICKS', goal: 'LINK_CLICKS', primary_web_event_tag: tag.body.data.id },
    });
    await place.promote(line);
    // Settled in the middle of an hour and of a day too.
    for (const hours of [5.5, 20, 4]) {
      world.clock.advance(hours * HOUR_S);
      await place.settle();
    }
    const range = { account: place.account, from: '', until: '9' };
    const [days, segments] = await world.service.store.read(async (tx) => [
      await tx.deliveryLedger.listDays(range),
      await tx.deliveryLedger.listSegments({ ...range, line_items: [line], segmentation: 'CONVERSION_TAGS' }),
    ]);
    assert.deepEqual([...new Set(segments.map(({ value }) => value))], [tag.body.data.id]);
    const conversionsOf = (rows: readonly { day: string; hours: Uint8Array }[]) =>
      rows.map(({ day, hours }) => [
        day,
        [...unpackHours(new Uint8Array(hours)).metrics].filter(([metric]) => metric.startsWith('conversion_')),
      ]);
    assert.ok(segments.length > 1, 'on both days');
    assert.deepEqual(conversionsOf(segments), conversionsOf(days));
  });

  test('of serve takes people for as many as are told, and fewer than an audience needs for nobody', async (t) => {
    const speakers = { de: 99, fr: 125 };
    await settlePeople(
      world,
      Object.entries(speakers).flatMap(([language, count]) =>
        Array.from({ length: count }, (_, at) => person(`${language === 'de' ? 3 : 4}00${at}`, { language })),
      ),
    );
    const { services, settings, jobs } = world.service;
    // The jobs of the world would settle in development mode, which does not round.
    t.after(await jobs.hold());
    const log = { error: (failed: object) => assert.fail(JSON.stringify(failed)) } as unknown as Logger;
    const delivery = createDelivery('serve', settings, { ...services, serving: () => services.serving }, log);
    const told: number[] = [];
    for (const language of Object.keys(speakers)) {
      const place = await openDelivering(world);
      const line = await place.line(await place.campaign());
      const criterion = { targeting_type: 'LANGUAGE', targeting_value: language };
      await place.post('targeting_criteria', { line_item_id: line, ...criterion });
      await place.promote(line);
      world.clock.advance(HOUR_S);
      await delivery.settle({ id: place.account, environment: 'sandbox', timezone: 'America/Los_Angeles' });
      const [audience] = await world.service.store.read((tx) => tx.deliveryLedger.listAudiences(place.account, [line]));
      told.push(audience!.people);
    }
    assert.deepEqual(told, [0, 120]);
  });
});
