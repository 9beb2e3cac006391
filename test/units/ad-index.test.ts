// On either database: what is tried here is the order in which memory learns of changes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Services } from '../../src/contract/declare/operation.ts';
import { AdIndex } from '../../src/features/delivery/serving/ad-index.ts';
import { type BookedAd, bookAd } from '../rig/served-ads.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let ad: BookedAd;
let index: AdIndex;
let open: () => AdIndex;
/** Happens when the next line items have been read, before their ads are kept. */
let meanwhile: (() => Promise<void>) | undefined;

before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  const home = await openAccount(world.sandbox);
  ad = await bookAd(world, { in: home, line: { entity_status: 'PAUSED' } });
  // An account without active line items is read as a whole.
  await bookAd(world, { in: home });
  const { store, audiences, keywords, delivery, clock } = world.nodes[0]!.services;
  const slow: Pick<Services['store'], 'read' | 'onInvalidate'> = {
    onInvalidate: (kinds, hear) => store.onInvalidate(kinds, hear),
    async read(work) {
      const found = await store.read(work);
      if ((found as { bookings?: { lines: unknown[] } }).bookings?.lines.length) {
        const change = meanwhile;
        meanwhile = undefined;
        await change?.();
      }
      return found;
    },
  };
  open = () => new AdIndex({ store: slow as Services['store'], audiences, keywords, delivery, clock }, 'sandbox');
  index = open();
});
after(() => world.close());

async function put(path: string, entity_status: string): Promise<void> {
  const reply = await world.sandbox.call('PUT', `${ad.path}/${path}`, { params: { entity_status } });
  assert.equal(reply.status, 200, reply.text);
}

/** Whether the ad is shown once everything was read. */
async function isShown(): Promise<boolean> {
  for (let times = 0; times < 5; times++) await index.current();
  assert.equal(index.current(), undefined, 'nothing is left to read');
  return isHeld(index);
}

function isHeld(index: AdIndex): boolean {
  const [held] = index.loaded.accounts();
  const found = held?.lines.get(ad.line)?.ad;
  return found !== undefined && !found.isStale;
}

test('a campaign that pauses while its line item is read is noticed, again and again', async () => {
  await index.refresh();
  assert.equal(await isShown(), false);
  for (let round = 0; round < 2; round++) {
    let isPaused = false;
    meanwhile = async () => {
      await put(`campaigns/${ad.campaign}`, 'PAUSED');
      isPaused = true;
    };
    await put(`line_items/${ad.line}`, 'ACTIVE');
    assert.equal(await isShown(), false);
    assert.ok(isPaused);
    await put(`campaigns/${ad.campaign}`, 'ACTIVE');
    assert.equal(await isShown(), true);
    await put(`line_items/${ad.line}`, 'PAUSED');
    assert.equal(await isShown(), false);
    world.clock.advance(301);
    await index.refresh();
  }
});

test('the first decision waits for what changes while all ads are read', async () => {
  await put(`line_items/${ad.line}`, 'ACTIVE');
  const other = open();
  let times = 0;
  const change = async () => {
    world.nodes[0]!.services.store.clearCaches();
    times += 1;
    if (times < 3) meanwhile = change;
  };
  meanwhile = change;
  await other.current();
  assert.deepEqual([isHeld(other), times, other.firstRead()], [true, 3, undefined]);
});
