import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import type { Keywords } from '../../src/contract/services/keywords.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { postMadeHere } from '../rig/corpus.ts';
import { driverOn } from '../rig/databases.ts';
import { indexNext, openKeywordNode, recordedIndex } from '../rig/keyword-nodes.ts';
import { until } from '../rig/patience.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { openWorld, type World } from '../rig/world.ts';

const DAY_S = 86_400;
const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;
const AT = NOW - 3 * DAY_S;
/** So many that they are indexed. */
const MANY = 500;

let world: World;
/** Another process that stores posts. */
let elsewhere: Store;
let administrator: pg.Client;
let keywords: Keywords;
before(async () => {
  world = await openWorld();
  // Posts are indexed when a test does it, and at no other time.
  await world.service.jobs.stop();
  elsewhere = storeOn(driverOn(world.place));
  administrator = new pg.Client({ connectionString: world.place.databaseUrl });
  await administrator.connect();
});
after(async () => {
  await administrator.end();
  await elsewhere.close();
  await world.close();
});
beforeEach(async () => {
  await administrator.query('truncate posts, keyword_index');
  keywords = openKeywordNode(world);
});
afterEach(() => keywords.close());

/** Stores posts in one unit of work, which ends when `end` resolves. */
function addPosts(store: Store, first: bigint, end: Promise<void> = Promise.resolve()) {
  const stored = Promise.withResolvers<void>();
  const unit = store.write(async (tx) => {
    for (let at = 0n; at < MANY; at++) {
      const id = String(first + at);
      await tx.posts.add(postMadeHere({ id, text: 'tea', created_at: AT, language: 'en', user_id: '7' }));
    }
    stored.resolve();
    await end;
  });
  return { stored: stored.promise, unit };
}

async function index(): Promise<void> {
  while (await indexNext(keywords, world.service.store, world.clock.now()));
}

/** Indexes until so many posts are: transactions of other databases of the same server are waited for too. */
async function indexUntil(count: number): Promise<void> {
  await until(
    async () => `${count} are indexed, but ${await indexed()}`,
    async () => {
      if ((await indexed()) >= count) return true;
      await index();
      return false;
    },
  );
  assert.equal(await indexed(), count);
}

const indexed = async (): Promise<number> =>
  ((await recordedIndex(world.service.store))?.segments ?? [])
    .filter(({ scope }) => scope === 'sandbox')
    .reduce((sum, { posts }) => sum + posts, 0);

async function found(): Promise<number> {
  const days = { from: AT - DAY_S, to: AT + DAY_S, bucket_s: DAY_S };
  const which = { environment: 'sandbox', keywords: ['tea'], negatives: [], country: undefined } as const;
  const { volume } = await keywords.search({ ...which, ...days, related_max: 0 });
  return volume.reduce((sum, each) => sum + each, 0);
}

test('posts of a transaction that begins first and ends last are indexed, whatever their ids', async () => {
  for (const [round, [early, late]] of [
    [1000n, 9000n],
    [29_000n, 21_000n],
  ].entries()) {
    const before = round * 2 * MANY;
    const end = Promise.withResolvers<void>();
    const slow = addPosts(elsewhere, early!, end.promise);
    await slow.stored;
    try {
      await addPosts(world.service.store, late!).unit;
      await index();
      assert.equal(await indexed(), before, 'nothing after the open transaction is indexed');
      assert.equal(await found(), before + MANY, 'but everything that is stored counts');
    } finally {
      end.resolve();
    }
    await slow.unit;
    assert.equal(await found(), before + 2 * MANY);
    await indexUntil(before + 2 * MANY);
    assert.equal(await found(), before + 2 * MANY);
  }
});

test('posts that were copied from a server with larger transaction ids are indexed, and so are those after them', async () => {
  await addPosts(elsewhere, 1000n).unit;
  await administrator.query('update posts set stored_in = stored_in + 1000000000');
  await index();
  assert.equal(await indexed(), 0, 'as far as is known, their transactions have not begun');
  await indexUntil(MANY);
  await addPosts(elsewhere, 5000n).unit;
  await indexUntil(2 * MANY);
  assert.equal(await found(), 2 * MANY);
});

test('an index that knows larger transaction ids than the server is built anew', async () => {
  await addPosts(elsewhere, 1000n).unit;
  await administrator.query('update posts set stored_in = 1');
  await indexUntil(MANY);
  const { localPosts } = (await recordedIndex(world.service.store))!;
  assert.equal(localPosts.sandbox.stored_in, 1);
  await administrator.query('update posts set stored_in = 0');
  await addPosts(elsewhere, 5000n).unit;
  // As if the whole server had been moved: its transactions begin again with small numbers.
  const { store } = world.service;
  const moved: Store = {
    ...store,
    read: (work) => store.read((tx) => work({ ...tx, posts: withMethods(tx.posts, { findHorizon: async () => 1 }) })),
  };
  const again = openKeywordNode(world, { store: moved });
  while (await indexNext(again, store, world.clock.now()));
  await again.close();
  assert.equal((await recordedIndex(store))!.localPosts.sandbox.stored_in, 0);
});
