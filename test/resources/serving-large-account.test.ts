import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import type { AdServing } from '../../src/contract/services/serving.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { promotedPosts } from '../../src/features/ads/promoted-posts.ts';
import { Serving } from '../../src/features/delivery/serving/serving.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { until } from '../rig/patience.ts';
import { bookAd, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

/** Decisions wait for no more line items than a hundred. */
const LINES = 120;

let world: World;
/** What reads of the node wait for. */
let gate: Promise<void> | undefined;
let node: AdServing;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  const { services } = world.service;
  const store: Store = Object.assign(Object.create(services.store), {
    read: async (work: never) => {
      await gate;
      return services.store.read(work);
    },
  });
  const onError = (error: unknown): never => {
    throw error;
  };
  node = new Serving({ services: { ...services, store }, node: 'gated', onError, onDropped: () => {} });
  await makePublisher(world);
});
after(() => world.close());

/** The line items that are shown, the best first: of the copies of a post, one. */
async function shown(): Promise<string[]> {
  const [publisher] = await world.service.store.read((tx) => tx.publishers.list());
  const [placement] = await node.decide(publisher!, {
    placements: [{ id: 'top', type: 'SERVICE_TIMELINE', count: 10 }],
    user: undefined,
    context: { words: {}, age: null, interests: [], keywords: [] },
    explain: false,
  });
  return placement!.decisions.map(({ line_item_id }) => line_item_id);
}

test('a large account that has changed shows nothing until it was read again, and others go on', async () => {
  const small = await bookAd(world, { bid: 1_000_000 });
  // What it takes to show it has been read.
  await until('the small account is shown', async () => (await shown()).length === 1);
  const large = await bookAd(world, { bid: 2_000_000 });
  await world.service.store.write(async (tx) => {
    const one = async (resource: AnyResource, id: string) => {
      const [row] = await tx.records.getMany(resource, large.account, [id], { deleted: 'hidden' });
      return row as never as Record<string, unknown>;
    };
    const line = await one(lineItems as never, large.line);
    const creative = await one(promotedPosts as never, large.creative);
    for (let number = 1; number < LINES; number++) {
      await tx.records.insert(lineItems, { ...line, id: `b${number}` } as never);
      const copy = { ...creative, id: `c${number}`, line_item_id: `b${number}`, one_key: null };
      await tx.records.insert(promotedPosts, copy as never);
    }
  });
  await until('the large account is shown', async () => (await shown()).length === 2);
  assert.equal((await shown())[1], small.line, 'the large account bids more');

  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const params = { name: 'Autumn, changed' };
  const changed = await world.sandbox.call('PUT', `${large.path}/campaigns/${large.campaign}`, { params });
  assert.equal(changed.status, 200, changed.text);
  // Nobody waits for it, and nothing of it is shown as it was.
  assert.deepEqual(await shown(), [small.line]);
  assert.deepEqual(await shown(), [small.line]);

  gate = undefined;
  resolve();
  await until('the large account is shown again', async () => (await shown()).length === 2);
});
