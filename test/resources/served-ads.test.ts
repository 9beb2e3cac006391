import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { localDay } from '../../src/base/zones.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { bookAd, decide, get, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served' } });
});
after(() => world.close());

test('a publisher gets an ad, and the ledger counts what people saw and clicked', async () => {
  const ad = await bookAd(world, { bid: 5_000_000 });
  const credential = await makePublisher(world);
  const reply = await decide(world, credential, {
    placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }],
    user: { key: 'reader 1' },
  });
  assert.equal(reply.status, 200, reply.text);
  const [{ decisions }] = reply.body.data.placements;
  assert.equal(decisions.length, 1, reply.text);
  const [decision] = decisions;
  assert.equal(decision.line_item_id, ad.line);
  assert.equal(decision.creative_id, ad.creative);
  assert.equal((await get(decision.impression_url)).status, 204);
  const click = await get(decision.click_url);
  assert.equal(click.status, 302);
  assert.equal(click.headers.location, 'https://landing.example/coffee');
  await ad.settle();
  const day = await ad.day();
  const metrics = Object.fromEntries(
    [...unpackHours(day!.hours).metrics].map(([name, numbers]) => [name, numbers.reduce((a, b) => a + b)]),
  );
  assert.deepEqual(metrics, {
    impressions: 1,
    billed_engagements: 1,
    billed_charge_local_micro: 10_000,
    engagements: 1,
    clicks: 1,
    url_clicks: 1,
  });
  assert.ok(localDay(day!.day, 'UTC'));
});
