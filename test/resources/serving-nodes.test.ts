import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { packHours } from '../../src/contract/delivery/packed-hours.ts';
import type { AdServing } from '../../src/contract/services/serving.ts';
import { Serving } from '../../src/features/delivery/serving/serving.ts';
import { type BookedAd, bookAd, landingOf, makePublisher, TARGET } from '../rig/served-ads.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

type Node = AdServing;

const onError = (error: unknown): never => {
  throw error;
};
let world: World;
let nodes: readonly Node[];
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  const { services } = world.service;
  nodes = ['one', 'other'].map((node) => new Serving({ services, node, onError, onDropped: () => {} }));
  await makePublisher(world);
});
after(() => world.close());

async function ask(node: Node, key?: string) {
  const [publisher] = await world.service.store.read((tx) => tx.publishers.list());
  const [placement] = await node.decide(publisher!, {
    placements: [{ id: 'top', type: 'SERVICE_TIMELINE', count: 1 }],
    user: key === undefined ? undefined : { key },
    context: { words: {}, age: null, interests: [], keywords: [] },
    explain: false,
  });
  return placement!.decisions[0];
}

const tokenOf = (url: string): string => url.split('/').at(-1)!;
const view = (node: Node, url: string): void =>
  node.impression({ environment: 'sandbox', token: tokenOf(url), isSilent: false });
const click = (node: Node, url: string) => node.click({ environment: 'sandbox', token: tokenOf(url), isSilent: false });
const flush = (node: Node, { account: id }: BookedAd) =>
  node.flush({ id, environment: 'sandbox', timezone: 'America/Los_Angeles' });
const end = (ad: BookedAd) => world.sandbox.call('DELETE', `${ad.path}/line_items/${ad.line}`);

async function spentOf(ad: BookedAd) {
  const day = await ad.day();
  const { impressions = 0, spend_local_micro = 0 } = day ?? {};
  return { impressions, spend_local_micro };
}

test('two nodes together hold a budget, and each promises at most its lease', async () => {
  const total = 1_000_000;
  const line = { ...TARGET, total_budget_amount_local_micro: total };
  const ad = await bookAd(world, { bid: 10_000_000, line });
  let refusals = 0;
  let beacons = 0;
  for (let round = 0; round < 400 && refusals < 40; round++) {
    for (const node of nodes) {
      const decision = await ask(node);
      if (!decision) refusals += 1;
      else {
        refusals = 0;
        view(node, decision.impression_url);
        beacons += 1;
      }
      // Not every round: what is not stored yet is held by leases alone.
      if (round % 7 === 0) await flush(node, ad);
    }
    world.clock.advance(1);
  }
  for (const node of nodes) await flush(node, ad);
  const { impressions, spend_local_micro } = await spentOf(ad);
  assert.equal(impressions, beacons, 'every beacon is in the ledger');
  assert.ok(spend_local_micro <= total, `${spend_local_micro} spent`);
  assert.ok(spend_local_micro >= total * 0.9, `${spend_local_micro} spent`);
  assert.ok(beacons * 10_000 - total <= total / 20, `${beacons} shown: more than a lease beyond the budget`);
  await end(ad);
});

test('a small budget without pacing is shown to the last impression, at every page', async () => {
  const ad = await bookAd(world, { bid: 10_000_000, line: { ...TARGET, total_budget_amount_local_micro: 3_000_000 } });
  for (let page = 0; page < 300; page++) {
    const decision = await ask(nodes[0]!);
    assert.ok(decision, `page ${page} is empty`);
    view(nodes[0]!, decision.impression_url);
  }
  assert.equal(await ask(nodes[0]!), undefined);
  await flush(nodes[0]!, ad);
  assert.deepEqual(await spentOf(ad), { impressions: 300, spend_local_micro: 3_000_000 });
  await end(ad);
});

test('what a node does not use of a budget comes back at once when another node lacks it', async () => {
  const [one, other] = nodes as [Node, Node];
  const ad = await bookAd(world, { bid: 10_000_000, line: { ...TARGET, total_budget_amount_local_micro: 100_000 } });
  view(one, (await ask(one))!.impression_url);
  await flush(one, ad);
  assert.equal(await ask(other), undefined, 'the budget is so small that it is leased whole');
  // From here on, nobody asks the first node; its timer runs.
  world.clock.advance(6);
  for (let second = 0, shown = 1; second < 3 && shown < 10; second++) {
    await ask(other);
    await flush(one, ad);
    world.clock.advance(1);
    for (let decision = await ask(other); decision; decision = await ask(other)) {
      view(other, decision.impression_url);
      shown += 1;
    }
  }
  await flush(other, ad);
  assert.deepEqual(await spentOf(ad), { impressions: 10, spend_local_micro: 100_000 });
  await end(ad);
});

test('a budget that cannot be renewed, because the database is away, ends what it pays for and nothing else', async () => {
  const ad = await bookAd(world, { bid: 10_000_000, line: { ...TARGET, total_budget_amount_local_micro: 1_000_000 } });
  const { services } = world.service;
  let isAway = false;
  const away: typeof services.store.write = (...of) =>
    isAway ? Promise.reject(new Error('away')) : services.store.write(...of);
  const store: typeof services.store = Object.create(services.store, { write: { value: away } });
  const node = new Serving({ services: { ...services, store }, node: 'alone', onError: () => {}, onDropped: () => {} });
  assert.ok(await ask(node));
  isAway = true;
  let shown = 0;
  while (await ask(node)) shown += 1;
  assert.equal(shown, 19, 'the lease was of twenty');
  isAway = false;
  world.clock.advance(6);
  assert.ok(await ask(node));
  await end(ad);
});

test('two nodes together hold a frequency cap, once what each has counted is stored', async () => {
  const place = await openAccount(world.sandbox);
  await world.sandbox.call('POST', `${place.path}/features`, { params: { feature_keys: 'REACH_FREQUENCY_CAP' } });
  const line = { objective: 'REACH', goal: 'MAX_REACH', frequency_cap: 3, duration_in_days: 1 };
  const ad = await bookAd(world, { in: place, bid: null, line });
  let shown = 0;
  for (let round = 0; round < 8; round++) {
    const node = nodes[round % 2]!;
    const decision = await ask(node, 'reader');
    if (!decision) continue;
    shown += 1;
    view(node, decision.impression_url);
    await flush(node, ad);
    world.clock.advance(2);
  }
  assert.equal(shown, 3);
  await end(ad);
});

test('two nodes exceed a frequency cap in a burst, but neither shows more than the cap', async () => {
  const place = await openAccount(world.sandbox);
  await world.sandbox.call('POST', `${place.path}/features`, { params: { feature_keys: 'REACH_FREQUENCY_CAP' } });
  const line = { objective: 'REACH', goal: 'MAX_REACH', frequency_cap: 2, duration_in_days: 1 };
  const ad = await bookAd(world, { in: place, bid: null, line });
  const burst = async (): Promise<number[]> => {
    const shown = nodes.map(() => 0);
    for (const [at, node] of nodes.entries()) {
      for (let page = 0; page < 5; page++) {
        const decision = await ask(node, 'burst');
        if (!decision) continue;
        view(node, decision.impression_url);
        shown[at]! += 1;
      }
    }
    return shown;
  };
  assert.deepEqual(await burst(), [2, 2]);
  for (const node of nodes) await flush(node, ad);
  world.clock.advance(2);
  assert.deepEqual(await burst(), [0, 0], 'what was stored holds everywhere');
  await end(ad);
});

test('how often creatives are clicked is known to every node, also to one that has just started', async () => {
  const ad = await bookAd(world, { bid: 1_000_000, line: TARGET });
  const second = await world.sandbox.call('POST', `${ad.path}/post`, {
    params: { text: 'Fresher coffee https://landing.example/fresh' },
  });
  const params = { line_item_id: ad.line, post_ids: second.body.data.id };
  const promoted = await world.sandbox.call('POST', `${ad.path}/promoted_posts`, { params });
  const [good, poor] = [promoted.body.data[0].id as string, ad.creative];
  const delivered = (creative_id: string, day: string, clicks: number) => {
    const of = (number: number) => [number, ...new Array<number>(23).fill(0)];
    const sums = { impressions: 100_000, billed: 100_000, spend_local_micro: 0 };
    return {
      ...{ account_id: ad.account, line_item_id: ad.line, creative_id, placement: 'ALL_ON_SERVICE', day, ...sums },
      hours: packHours(24, new Map([...Object.entries({ impressions: of(100_000), clicks: of(clicks) })] as never)),
      ...{ settled_until: `${day}T23:00:00Z`, changed_at: `${day}T23:00:00Z` },
    };
  };
  const days = [
    ...[delivered(good, '2026-02-28', 5000), delivered(poor, '2026-02-28', 50)],
    // Too long ago to count.
    ...[delivered(good, '2026-02-01', 0), delivered(poor, '2026-02-01', 50_000)],
  ];
  await world.service.store.write((tx) => tx.deliveryLedger.saveDays(days));
  const { services } = world.service;
  for (const name of ['started', 'started again']) {
    const node = new Serving({ services, node: name, onError, onDropped: () => {} });
    for (let page = 0; page < 10; page++) assert.equal((await ask(node))!.creative_id, good);
    await node.stop();
  }
  await end(ad);
});

test('a beacon counts once whichever nodes receive it, and a click follows the view of another node', async () => {
  const ad = await bookAd(world, { bid: 10_000 });
  const [one, other] = nodes as [Node, Node];
  const decision = (await ask(one))!;
  view(one, decision.impression_url);
  assert.equal(landingOf(click(other, decision.click_url!)), 'https://landing.example/coffee');
  await flush(other, ad);
  await flush(one, ad);
  assert.equal((await spentOf(ad)).impressions, 1);
  await flush(other, ad);
  for (const node of [one, other, one]) {
    view(node, decision.impression_url);
    click(node, decision.click_url!);
    await flush(node, ad);
  }
  assert.equal((await spentOf(ad)).impressions, 1);
  const range = { account: ad.account, from: '2026-01-01', until: '2027-01-01', segmentation: 'AGE' };
  const [segment] = await world.service.store.read((tx) => tx.deliveryLedger.listSegments(range));
  const { unpackHours } = await import('../../src/contract/delivery/packed-hours.ts');
  const clicks = unpackHours(segment!.hours).metrics.get('clicks')!;
  assert.equal(
    clicks.reduce((sum, each) => sum + each),
    1,
  );
  await end(ad);
});

test('a node gives back the leases of what it has not looked at for a while', async () => {
  const ad = await bookAd(world, { bid: 10_000, line: { total_budget_amount_local_micro: 1_000_000 } });
  await ask(nodes[0]!);
  const held = async () => {
    const all = await world.service.store.read((tx) => tx.budgetLeases.list(ad.account));
    return all.reduce((sum, { amount_local_micro }) => sum + amount_local_micro, 0);
  };
  assert.ok((await held()) > 0);
  await end(ad);
  world.clock.advance(400);
  // Promises end after a minute, as the timer of a node notices.
  await ask(nodes[0]!);
  await flush(nodes[0]!, ad);
  assert.equal(await held(), 0);
});

test('the leases of nodes that are no more are given back, and those of nodes that stop', async () => {
  const ad = await bookAd(world, { bid: 10_000 });
  await ask(nodes[0]!);
  const { store } = world.service;
  const leases = () => store.read((tx) => tx.budgetLeases.list(ad.account));
  assert.ok((await leases()).length > 0);
  await store.write((tx) => tx.budgetLeases.releaseOrphaned());
  assert.deepEqual(await leases(), []);
  await ask(nodes[1]!);
  assert.ok((await leases()).length > 0);
  for (const node of nodes) await node.stop();
  assert.deepEqual(await leases(), []);
});

test('a node drops what it has no room for while the database is away, and has room again once it was stored', async () => {
  const ad = await bookAd(world);
  const { services } = world.service;
  let isAway = false;
  const away: typeof services.store.write = (...of) =>
    isAway ? Promise.reject(new Error('away')) : services.store.write(...of);
  const store: typeof services.store = Object.create(services.store, { write: { value: away } });
  let dropped = 0;
  const onDropped = () => (dropped += 1);
  const node = new Serving({ services: { ...services, store }, node: 'small', onError, onDropped, waitingMax: 2 });
  const urls: string[] = [];
  while (urls.length < 3) {
    const decision = await ask(node);
    assert.equal(decision!.line_item_id, ad.line);
    urls.push(decision!.impression_url);
  }
  const [first, second, third] = urls as [string, string, string];
  isAway = true;
  for (const url of [first, second, first, third]) view(node, url);
  assert.equal(dropped, 1, 'the third has no room, and a replay takes none');
  await assert.rejects(async () => flush(node, ad), /away/);
  view(node, third);
  assert.equal(dropped, 2, 'what could not be stored still takes room');
  isAway = false;
  await flush(node, ad);
  assert.equal((await spentOf(ad)).impressions, 2);
  view(node, third);
  await flush(node, ad);
  assert.equal(dropped, 2);
  assert.equal((await spentOf(ad)).impressions, 3, 'one that was dropped may come again');
  await end(ad);
});
