import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { until } from '../rig/patience.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { type BookedAd, bookAd, decide, get, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ad: BookedAd;
let tag: string;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  ad = await bookAd(world);
  const params = {
    name: 'Beans',
    type: 'PURCHASE',
    click_window: 7,
    view_through_window: 1,
    retargeting_enabled: false,
  };
  tag = (await world.sandbox.call('POST', `${ad.path}/web_event_tags`, { params })).body.data.id;
  credential = await makePublisher(world);
});
after(() => world.close());
let credential: string;

interface Decision {
  readonly impression_url: string;
  readonly click_url: string;
}

async function ask(user: object): Promise<Decision> {
  const placements = [{ id: 'top', type: 'SERVICE_TIMELINE' }];
  return (await decide(world, credential, { placements, user })).body.data.placements[0].decisions[0];
}

async function totals(): Promise<Record<string, number>> {
  await ad.settle();
  const metrics = [...unpackHours((await ad.day())!.hours).metrics];
  return Object.fromEntries(metrics.map(([name, numbers]) => [name, numbers.reduce((a, b) => a + b)]));
}

const convert = (conversion: object) =>
  world.sandbox.call('POST', `/12/measurement/conversions/${ad.account}`, {
    json: { conversions: [{ conversion_time: '2026-03-02T17:30:00Z', event_id: tag, ...conversion }] },
  });

describe('an ad that was served', () => {
  test('gets the conversion on its landing page, which then is in the statistics', async () => {
    const decision = await ask({ key: 'reader 7' });
    await get(decision.impression_url);
    const { searchParams } = new URL(String((await get(decision.click_url)).headers.location));
    await ad.settle();
    world.clock.advance(3600);
    const identifiers = [{ click_id: searchParams.get('click_id') }];
    const reply = await convert({ identifiers, value: 12.5, price_currency: 'USD', number_items: 2 });
    assert.equal(reply.status, 200, reply.text);
    const counted = await totals();
    assert.deepEqual([counted.impressions, counted.clicks, counted['conversion_purchases.post_engagement']], [1, 1, 1]);
    const stats = await world.sandbox.call('GET', `/12/stats/accounts/${ad.account}`, {
      params: {
        ...{ entity: 'LINE_ITEM', entity_ids: ad.line, start_time: '2026-03-02', end_time: '2026-03-03' },
        ...{ granularity: 'TOTAL', placement: 'ALL_ON_SERVICE', metric_groups: 'WEB_CONVERSION' },
      },
    });
    assert.deepEqual(stats.body.data[0].id_data[0].metrics.conversion_purchases, {
      order_quantity_engagement: [2_000_000],
      sale_amount_engagement: [12_500_000],
      sale_amount_view: null,
      post_view: null,
      order_quantity: [2_000_000],
      assisted: null,
      post_engagement: [1],
      sale_amount: [12_500_000],
      metric: [1],
      order_quantity_view: null,
    });
  });

  test('gets conversions of clicks that count, even if they count later, and of no others', async () => {
    const before = await totals();
    const more = async () =>
      (await totals())['conversion_purchases.post_engagement']! - before['conversion_purchases.post_engagement']!;
    const clickId = async (decision: Decision) =>
      new URL(String((await get(decision.click_url)).headers.location)).searchParams.get('click_id');
    const later = (what: string, holds: () => Promise<boolean>) =>
      until(what, async () => {
        await ad.settle();
        world.clock.advance(2);
        await world.service.jobs.runDue();
        return holds();
      });
    const nobodyWaits = async () =>
      (await world.service.store.read((tx) => tx.conversions.listWaiting(ad.account, 10))).length === 0;
    const [late, never] = [await ask({ key: 'late' }), await ask({ key: 'never' })];
    // In the hour of the clock; whoever saw something else is another person.
    const conversion_time = formatInstant(world.clock.now());
    const [soon, unseen] = [await clickId(late), await clickId(never)];
    const forSoon = { identifiers: [{ click_id: soon }], conversion_id: 'soon', conversion_time };
    for (const conversion of [forSoon, forSoon, { identifiers: [{ click_id: unseen }], conversion_time }]) {
      assert.equal((await convert(conversion)).status, 200);
    }
    assert.equal(await more(), 0);
    await get(late.impression_url);
    await later('the view has arrived', async () => (await more()) === 1);
    const again = await clickId(late);
    assert.notEqual(again, soon);
    assert.equal((await convert({ identifiers: [{ click_id: again }], conversion_time })).status, 200);
    assert.equal(await more(), 2, 'it is the same click');
    await later('nobody waits for the other', nobodyWaits);
    assert.equal((await convert({ identifiers: [{ click_id: unseen }], conversion_time })).status, 200);
    assert.ok(await nobodyWaits());
    assert.equal(await more(), 2, 'nobody saw it');
  });

  test('that a known person only saw gets their conversion too', async () => {
    const digits = hash('sha256', 'ada@example.com');
    const identifiers = Buffer.concat([Buffer.from(digits.slice(0, 30), 'hex'), Buffer.of(0)]);
    await settlePeople(world, [person('900000700', { identifiers })]);
    const { impressions: before } = await totals();
    const seen = await ask({ id: '900000700' });
    await get(seen.impression_url);
    await ad.settle();
    world.clock.advance(3600);
    const reply = await convert({
      identifiers: [{ hashed_email: digits }],
      conversion_time: formatInstant(world.clock.now()),
    });
    assert.equal(reply.status, 200, reply.text);
    const counted = await totals();
    assert.deepEqual([counted.impressions, counted['conversion_purchases.post_view']], [before! + 1, 1]);
  });
});
