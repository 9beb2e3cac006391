import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { secureRandom } from '../../src/base/random.ts';
import { Problem } from '../../src/contract/problems/problems.ts';
import type { KeywordQuery } from '../../src/contract/services/keywords.ts';
import { keywordsFolder, openKeywords } from '../../src/features/keywords/keywords.ts';
import { readManifest } from '../../src/features/keywords/manifest.ts';
import { importPosts, madeHere, post, postMadeHere } from '../rig/corpus.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATIENCE_MS = 60_000;
const DAY_S = 86_400;
const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;

let world: World;
before(async () => {
  world = await openWorld({ flags: { keyword_retention_days: 30 } });
});
after(() => world.close());

const folder = () => keywordsFolder(world.place.folder);
const index = () => join(folder(), readManifest(folder())!.edition);
const segments = () => readManifest(folder())!.segments;

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

/** A service that is started anew on the same folder and database: it trusts nothing but these. */
function anew(options: { store?: World['service']['store']; folder?: string; patience_ms?: number } = {}) {
  const { store, clock } = world.service;
  const plan = { store, clock, random: secureRandom, folder: folder(), retention_days: 30, memory_bytes_max: 1e6 };
  return openKeywords({ ...plan, ...options });
}

describe('the index of posts', () => {
  beforeEach(async () => {
    await importPosts(world, many(40, NOW - 2 * DAY_S, 'steady'));
    await world.service.jobs.runDue();
  });

  const damages: [what: string, damage: () => void][] = [
    ['the folder is gone', () => rmSync(folder(), { recursive: true })],
    ['a segment is gone', () => rmSync(join(index(), segments()[0]!.name))],
    ['a segment is cut off', () => truncateSync(join(index(), segments()[0]!.name), 100)],
    ['the terms are cut off', () => truncateSync(join(index(), 'terms.units'), 7)],
    ['the manifest is broken', () => writeFileSync(join(folder(), 'manifest.json'), '{')],
    [
      'it is that of another database',
      () => {
        const manifest = readManifest(folder())!;
        writeFileSync(join(folder(), 'manifest.json'), JSON.stringify({ ...manifest, mark: 'another' }));
      },
    ],
  ];
  for (const [what, damage] of damages) {
    test(`is rebuilt when ${what}`, async () => {
      damage();
      const keywords = anew();
      assert.equal(await count(NOW - 3 * DAY_S, NOW, keywords), 40);
      await keywords.close();
    });
  }

  test('stays small: segments of a day are merged, and no files are left behind', async () => {
    for (let round = 0; round < 9; round++) {
      await importPosts(world, many(5, NOW - 4 * DAY_S + round * 10, `round${round}`));
      await world.service.jobs.runDue();
    }
    const keywords = anew();
    assert.equal(await count(NOW - 5 * DAY_S, NOW - 3 * DAY_S, keywords), 45);
    const day = Math.floor((NOW - 4 * DAY_S) / DAY_S);
    assert.ok(segments().filter((each) => each.day === day).length <= 5);
    while (await keywords.indexNext());
    await keywords.close();
    const files = readdirSync(index()).filter((name) => !name.startsWith('terms.'));
    assert.deepEqual(
      files.sort(),
      segments()
        .map(({ name }) => name)
        .sort(),
    );
    assert.ok(readdirSync(index()).every((name) => statSync(join(index(), name)).size > 0));
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
    const areIndexed = () => segments().some(({ scope, posts }) => scope === 'sandbox' && posts === 700);
    for (const startedAt = performance.now(); !areIndexed(); await wait(50)) {
      assert.ok(performance.now() - startedAt < PATIENCE_MS, 'they are indexed');
      await world.service.jobs.runDue();
      assert.equal(await found(), 700);
    }
    assert.equal(await found(), 700);
  });

  test('of a node that only searches follows local posts and expired days, whoever does the job', async () => {
    const folder = join(world.place.folder, 'another node');
    const keywords = anew({ folder });
    const edge = (Math.floor(NOW / DAY_S) - 29) * DAY_S;
    await importPosts(world, many(2, edge, 'soon expired'));
    const made = Array.from({ length: 500 }, (_, at) => ({
      ...{ text: 'coffee of another node', created_at: NOW - 12 * DAY_S + at, country: null, language: 'en' },
      user_id: '7',
    }));
    await madeHere(world, made);
    const here = () => readManifest(folder)?.segments ?? [];
    const searchUntil = async (isSo: () => boolean) => {
      for (const startedAt = performance.now(); !isSo(); await wait(50)) {
        assert.ok(performance.now() - startedAt < PATIENCE_MS, JSON.stringify(here()));
        assert.equal(await count(NOW - 12 * DAY_S, NOW - 11 * DAY_S, keywords), 500);
      }
    };
    await searchUntil(() => here().some(({ scope, posts }) => scope === 'sandbox' && posts >= 500));
    assert.ok(here().some(({ day }) => day === edge / DAY_S));
    world.clock.advance(2 * DAY_S);
    await searchUntil(() => here().every(({ day }) => day > edge / DAY_S));
    await keywords.close();
    world.clock.advance(-2 * DAY_S);
    rmSync(folder, { recursive: true });
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
    const keywords = anew();
    const found = () => count(NOW - 8.5 * DAY_S, NOW - 7 * DAY_S, keywords);
    const index = async () => {
      while (await keywords.indexNext());
    };
    await store500(1_800_000_000_000_000_000n, 'coffee of a fast block');
    await index();
    assert.equal(await found(), 500);
    await store500(1_700_000_000_000_000_000n, 'coffee of a slow block');
    assert.equal(await found(), 1000, 'not indexed yet');
    const day = Math.floor((NOW - 8 * DAY_S) / DAY_S);
    const indexed = () =>
      segments()
        .filter((each) => each.day === day && each.scope === 'sandbox')
        .reduce((sum, { posts }) => sum + posts, 0);
    for (const startedAt = performance.now(); indexed() < 1000; await wait(50)) {
      assert.ok(performance.now() - startedAt < PATIENCE_MS, 'they are indexed');
      await index();
    }
    assert.equal(indexed(), 1000);
    assert.equal(await found(), 1000);
    await keywords.close();
  });

  test('answers 503 while building it takes too long', async () => {
    const { store } = world.service;
    await importPosts(world, many(3, NOW - 7 * DAY_S, 'late'));
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isHeld = true;
    const slow: typeof store = {
      ...store,
      read: async (work) =>
        store
          .read(async (tx) => {
            const listPages: typeof tx.corpus.listPages = async (from, bytes_max) => {
              if (isHeld) throw new Held();
              return tx.corpus.listPages(from, bytes_max);
            };
            return work({ ...tx, corpus: { ...tx.corpus, listPages } });
          })
          .catch(async (error) => {
            if (!(error instanceof Held)) throw error;
            await held;
            return store.read(work);
          }),
    };
    // The service itself writes to its folder meanwhile.
    const keywords = anew({ store: slow, folder: join(world.place.folder, 'apart'), patience_ms: 20 });
    const refused = await count(NOW - 7 * DAY_S, NOW - 6.5 * DAY_S, keywords).catch((error) => error);
    assert.ok(refused instanceof Problem, String(refused));
    assert.deepEqual(
      refused.errors.map(({ problem }) => problem),
      ['UNAVAILABLE'],
    );
    isHeld = false;
    letGo();
    while (await keywords.indexNext());
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
    assert.ok(segments().every(({ day }) => day > edge / DAY_S));
    assert.match(readFileSync(join(folder(), 'manifest.json'), 'utf8'), /"segments":\[\{/);
  });
});

class Held extends Error {}
