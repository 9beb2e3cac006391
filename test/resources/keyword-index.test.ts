import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Problem } from '../../src/contract/problems/problems.ts';
import type { KeywordQuery } from '../../src/contract/services/keywords.ts';
import { filesOf, type Manifest } from '../../src/features/keywords/manifest.ts';
import { importPosts, madeHere, post, postMadeHere } from '../rig/corpus.ts';
import { indexNext, openKeywordNode, recordedIndex } from '../rig/keyword-nodes.ts';
import { until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

const DAY_S = 86_400;
const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;

let world: World;
before(async () => {
  world = await openWorld({ flags: { keyword_retention_days: 30 } });
});
after(() => world.close());

const recorded = async (): Promise<Manifest> => (await recordedIndex(world.service.store))!;
const pathOf = ({ object_key }: { readonly object_key: string }): string => join(world.place.folder, object_key);
const objectsFolder = () => join(world.place.folder, 'keywords', 'index');

function question(from: number, to: number): KeywordQuery {
  return {
    environment: 'sandbox',
    keywords: ['coffee'],
    negatives: [],
    from,
    to,
    bucket_s: DAY_S,
    country: undefined,
    related_max: 0,
  };
}

async function count(from: number, to: number, keywords = world.service.services.keywords): Promise<number> {
  const { volume } = await keywords.search(question(from, to));
  return volume.reduce((sum, each) => sum + each, 0);
}

const many = (count: number, created_at: number, name: string) =>
  Array.from({ length: count }, (_, at) =>
    post(`${name}${at}`, `coffee ${name}${at}`, { created_at: created_at + at }),
  );

const now_ms = () => world.clock.now();

async function replaceManifest(change: (manifest: Manifest) => unknown): Promise<void> {
  await world.service.store.write(async (tx) => {
    const { revision, manifest } = (await tx.corpus.findIndex())!;
    assert.ok(await tx.corpus.replaceIndex(revision, JSON.stringify(change(JSON.parse(manifest)))));
  });
}

describe('the index of posts', () => {
  beforeEach(async () => {
    await importPosts(world, many(40, NOW - 2 * DAY_S, 'steady'));
    await world.service.jobs.runDue();
  });

  const damages: [what: string, damage: (manifest: Manifest) => unknown][] = [
    ['its folder is gone', () => rmSync(objectsFolder(), { recursive: true })],
    ['a segment is gone', ({ segments }) => rmSync(pathOf(segments[0]!.file))],
    ['a segment is cut off', ({ segments }) => truncateSync(pathOf(segments[0]!.file), 100)],
    ['the terms are cut off', ({ terms }) => truncateSync(pathOf(terms[0]!.file), 100)],
    ['it is that of another corpus', () => replaceManifest((manifest) => ({ ...manifest, mark: 'another' }))],
  ];
  for (const [what, damage] of damages) {
    test(`is rebuilt when ${what}`, async () => {
      const former = await recorded();
      await damage(former);
      const keywords = openKeywordNode(world);
      assert.equal(await count(NOW - 3 * DAY_S, NOW, keywords), 40);
      assert.notEqual((await recorded()).edition, former.edition);
      await keywords.close();
    });
  }

  test('is rebuilt when texts are read in another way', async () => {
    const former = await recorded();
    await replaceManifest(({ analyser: _, ...manifest }) => manifest);
    await importPosts(world, many(1, NOW - 12 * DAY_S, 'another'));
    await world.service.jobs.runDue();
    const { edition, analyser } = await recorded();
    assert.deepEqual([edition === former.edition, analyser], [false, former.analyser]);
    const keywords = openKeywordNode(world);
    assert.equal(await count(NOW - 3 * DAY_S, NOW, keywords), 40);
    await keywords.close();
  });

  test('stays small: segments of a day are merged, and no files are left behind', async () => {
    for (let round = 0; round < 9; round++) {
      await importPosts(world, many(5, NOW - 4 * DAY_S + round * 10, `round${round}`));
      await world.service.jobs.runDue();
    }
    const keywords = openKeywordNode(world);
    assert.equal(await count(NOW - 5 * DAY_S, NOW - 3 * DAY_S, keywords), 45);
    await keywords.close();
    const day = Math.floor((NOW - 4 * DAY_S) / DAY_S);
    const manifest = await recorded();
    assert.ok(manifest.segments.filter((each) => each.day === day).length <= 5);
    assert.ok(manifest.terms.length <= 5, `${manifest.terms.length} files of terms`);
    // What was replaced is removed once nobody can be reading it.
    world.clock.advance(60);
    await world.service.jobs.runDue();
    const files = readdirSync(objectsFolder());
    assert.deepEqual(
      files.map((name) => `keywords/index/${name}`).sort(),
      filesOf(await recorded())
        .map(({ object_key }) => object_key)
        .sort(),
    );
    assert.ok(files.every((name) => statSync(join(objectsFolder(), name)).size > 0));
    const inProgress = readdirSync(join(objectsFolder(), '..', 'building'), { recursive: true, withFileTypes: true });
    assert.ok(inProgress.every((entry) => entry.isDirectory()));
  });

  test('has local posts once there are many', async () => {
    const made = Array.from({ length: 700 }, (_, at) => ({
      text: 'coffee made here',
      created_at: NOW - 6 * DAY_S + at,
      country: null,
      language: 'en',
      user_id: '7',
    }));
    await madeHere(world, made);
    const found = () => count(NOW - 6 * DAY_S, NOW - 5 * DAY_S);
    assert.equal(await found(), 700);
    // That search found them many, and began to index them. On PostgreSQL, transactions of other databases of the same server are waited for too.
    const areIndexed = async () =>
      (await recorded()).segments.some(({ scope, posts }) => scope === 'sandbox' && posts === 700);
    await until('they are indexed', async () => {
      if (await areIndexed()) return true;
      await world.service.jobs.runDue();
      assert.equal(await found(), 700);
      return false;
    });
    assert.equal(await found(), 700);
  });

  test('has local posts with smaller ids that are stored later, as those of another block of ids are', async () => {
    const { store } = world.service;
    const store500 = (first: bigint, text: string) =>
      store.write(async (tx) => {
        for (let at = 0n; at < 500n; at++) {
          const user_id = '7';
          await tx.posts.add(
            postMadeHere({ id: String(first + at), text, created_at: NOW - 8 * DAY_S, language: 'en', user_id }),
          );
        }
      });
    const keywords = openKeywordNode(world);
    const found = () => count(NOW - 8.5 * DAY_S, NOW - 7 * DAY_S, keywords);
    const index = async () => {
      while (await indexNext(keywords, store, now_ms()));
    };
    await store500(1_800_000_000_000_000_000n, 'coffee of a fast block');
    await index();
    assert.equal(await found(), 500);
    await store500(1_700_000_000_000_000_000n, 'coffee of a slow block');
    assert.equal(await found(), 1000, 'not indexed yet');
    const day = Math.floor((NOW - 8 * DAY_S) / DAY_S);
    const indexed = async () =>
      (await recorded()).segments
        .filter((each) => each.day === day && each.scope === 'sandbox')
        .reduce((sum, { posts }) => sum + posts, 0);
    await until('they are indexed', async () => {
      if ((await indexed()) >= 1000) return true;
      await index();
      return false;
    });
    assert.equal(await indexed(), 1000);
    assert.equal(await found(), 1000);
    await keywords.close();
  });

  test('answers 503 while building it takes too long', async () => {
    // Nobody does its jobs.
    await world.service.jobs.runDue();
    const keywords = openKeywordNode(world, { wait_ms_max: 200, runNow: async () => {} });
    const { store } = world.service;
    const isHeld = await store.write((tx) =>
      tx.jobs.take({
        kinds: ['keyword_indexing'],
        now: '9999-01-01T00:00:00.000Z',
        lease: 'held',
        node: 'other',
        lease_s: 60,
        max: 9,
      }),
    );
    await importPosts(world, many(3, NOW - 7 * DAY_S, 'late'));
    const refused = await count(NOW - 7 * DAY_S, NOW - 6.5 * DAY_S, keywords).catch((error) => error);
    assert.ok(refused instanceof Problem, String(refused));
    assert.deepEqual(
      refused.errors.map(({ problem }) => problem),
      ['UNAVAILABLE'],
    );
    await store.write((tx) => tx.jobs.releaseLease('held'));
    assert.equal(isHeld.length, 1);
    assert.equal(await count(NOW - 7 * DAY_S, NOW - 6.5 * DAY_S), 3);
    assert.equal(await count(NOW - 7 * DAY_S, NOW - 6.5 * DAY_S, keywords), 3);
    await keywords.close();
  });

  test('drops posts that are too old, like the database', async () => {
    const edge = (Math.floor(NOW / DAY_S) - 30) * DAY_S;
    const { added, expired } = await importPosts(world, [...many(2, edge, 'edge'), ...many(1, edge - 1, 'over')]);
    assert.deepEqual([added, expired], [2, 1]);
    assert.equal(await count(edge, edge + DAY_S), 2);
    const stored = () => world.service.store.read((tx) => tx.corpus.listIds(edge / DAY_S, 0));
    assert.equal((await stored()).length, 1);
    // What is being indexed ends before the clock moves: it would look again an hour after it ended.
    await world.service.jobs.runDue();
    world.clock.advance(DAY_S);
    assert.equal(await count(edge, edge + DAY_S), 0, 'they count no more, removed or not');
    await world.service.jobs.runDue();
    assert.equal((await stored()).length, 0);
    const { segments } = await recorded();
    assert.ok(segments.length > 0);
    assert.ok(segments.every(({ day }) => day > edge / DAY_S));
  });
});
