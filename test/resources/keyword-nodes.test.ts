import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { secureRandom } from '../../src/base/random.ts';
import { StoreUnavailable } from '../../src/contract/problems/store-unavailable.ts';
import type { Keywords } from '../../src/contract/services/keywords.ts';
import { keywordIndexing } from '../../src/features/keywords/indexing-job.ts';
import { filesOf } from '../../src/features/keywords/manifest.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { objectRemoval } from '../../src/features/platform/object-removal.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import { importPosts, madeHere, post } from '../rig/corpus.ts';
import { driverOn, engine } from '../rig/databases.ts';
import { clearTimes, openKeywordNode, recordedIndex } from '../rig/keyword-nodes.ts';
import { anotherNode } from '../rig/nodes.ts';
import { type RemoteStore, remoteStore } from '../rig/object-stores.ts';
import { PATIENCE_MS, until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';

const DAY_S = 86_400;
const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;
/** So many that they are indexed. */
const MANY = 500;

/** What a server is for keywords: copies of its own, and jobs. */
interface KeywordNode {
  readonly folder: string;
  readonly store: Store;
  readonly objects: RemoteStore;
  readonly keywords: Keywords;
  readonly jobs: JobRunner;
  readonly failures: unknown[];
  close(): Promise<void>;
}

let world: World;
let bucket: string;
let elsewhere: Store;
let a: KeywordNode;
let b: KeywordNode;

function openNode(name: string, store: Store): KeywordNode {
  const folder = join(world.place.folder, name);
  const { clock, services } = world.service;
  const objects = remoteStore(folderObjects(bucket, secureRandom));
  const keywords = openKeywordNode(world, {
    ...{ store, folder, objects, wait_ms_max: PATIENCE_MS, refresh_ms: 100 },
    runNow: (kind, key) => jobs.runNow(kind, key),
  });
  const failures: unknown[] = [];
  const jobs = new JobRunner({
    ...{ store, clock, node: anotherNode(name), random: secureRandom },
    services: { ...services, store, objects, keywords },
    kinds: [keywordIndexing, objectRemoval],
    onEnded() {},
    onFailed: (_, error) => void failures.push(error),
  });
  const close = async (): Promise<void> => {
    await jobs.stop();
    await keywords.close();
  };
  return { folder, store, objects, keywords, jobs, failures, close };
}

before(async () => {
  world = await openWorld({ flags: { keyword_retention_days: 30 } });
  // The jobs of this test are done by its own nodes.
  await world.service.jobs.stop();
  bucket = join(world.place.folder, 'bucket');
  // On SQLite, two processes cannot serve one database: there, only the folders differ.
  elsewhere = engine === 'postgres' ? storeOn(driverOn(world.place)) : world.service.store;
  a = openNode('a', world.service.store);
  b = openNode('b', elsewhere);
});
after(async () => {
  await a.close();
  await b.close();
  if (elsewhere !== world.service.store) await elsewhere.close();
  await world.close();
});
beforeEach(() => {
  for (const { objects, failures } of [a, b]) {
    objects.isAway = false;
    assert.deepEqual(failures.splice(0), []);
  }
});

/** A word that only posts of one test have. */
let words = 0;
const newWord = (): string => `zyx${'qwertzu'[++words % 7]}${words}words`;

async function found({ keywords }: Pick<KeywordNode, 'keywords'>, word: string): Promise<number> {
  const days = { from: NOW - 7 * DAY_S, to: NOW, bucket_s: DAY_S };
  const which = { environment: 'sandbox', keywords: [word], negatives: [], country: undefined } as const;
  const { volume } = await keywords.search({ ...which, ...days, related_max: 0 });
  return volume.reduce((sum, each) => sum + each, 0);
}

let posts = 0;
const saying = (word: string, count: number, created_at = NOW - 2 * DAY_S) =>
  Array.from({ length: count }, (_, at) => post(`k${++posts}`, `coffee ${word}`, { created_at: created_at + at }));
const made = (word: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ text: `tea ${word}`, created_at: NOW - 3 * DAY_S + at, country: null, language: 'en', user_id: '7' },
  }));

async function untilSeen(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  rest: () => unknown = () => '',
): Promise<void> {
  await until(
    () => `${what}: ${rest()}`,
    async () => {
      if (await isSo()) return true;
      // What other processes have changed; a server looks by itself.
      await b.store.fence?.();
      return false;
    },
  );
}

const recorded = async () => (await recordedIndex(world.service.store))!;
const indexed = async (): Promise<number> =>
  (await recorded()).segments.filter(({ scope }) => scope === 'sandbox').reduce((sum, each) => sum + each.posts, 0);

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
/** The files, wherever they are, that contain a word in the form that terms have. Files come and go meanwhile. */
function filesWith(word: string): string[] {
  const bytes = Buffer.from(word, 'utf16le');
  return [a.folder, b.folder, bucket].flatMap(filesBelow).filter((path) => {
    try {
      return readFileSync(path).includes(bytes);
    } catch {
      return false;
    }
  });
}

describe('segments of the index that one node has built', () => {
  test('are fetched by another, which builds none', async () => {
    const word = newWord();
    await importPosts(world, saying(word, 30));
    await a.jobs.runDue();
    assert.equal(a.objects.stored, filesOf(await recorded()).length);
    assert.equal(await found(b, word), 30);
    assert.equal(b.objects.stored, 0);
    assert.equal(b.objects.fetched, filesOf(await recorded()).length);
    assert.equal(await found(b, word), 30);
    assert.equal(await found(a, word), 30);
    assert.equal(b.objects.fetched, filesOf(await recorded()).length, 'a copy is fetched once');
    assert.equal(a.objects.fetched, 0, 'a node does not fetch what it has built');
  });

  test('are continued by another, with words of its own', async () => {
    const [first, second, both] = [newWord(), newWord(), newWord()];
    for (const [node, word] of [
      [a, first],
      [b, second],
      [a, first],
      [b, second],
      [a, second],
      [b, first],
    ] as const) {
      await importPosts(world, saying(`${word} ${both}`, 3));
      await node.jobs.runDue();
    }
    for (const node of [a, b]) {
      assert.deepEqual([await found(node, first), await found(node, second), await found(node, both)], [9, 9, 18]);
      assert.equal(await found(node, `${first} ${both}`), 9, 'a phrase');
    }
  });

  test('are waited for by a search of a node that is no worker', async () => {
    const keywords = openKeywordNode(world, {
      store: b.store,
      folder: b.folder,
      objects: b.objects,
      runNow: async () => {},
    });
    const word = newWord();
    await importPosts(world, saying(word, 5));
    let count: number | undefined;
    const searching = found({ keywords }, word).then((each) => {
      count = each;
    });
    await wait(150);
    assert.equal(count, undefined, 'nobody has built it');
    await a.jobs.runDue();
    await searching;
    assert.equal(count, 5);
    await keywords.close();
  });

  test('have local posts once there are many; until then each node reads them in the database', async () => {
    const word = newWord();
    const before = await indexed();
    await madeHere(world, made(word, 20));
    for (const node of [a, b]) assert.equal(await found(node, word), 20);
    await madeHere(world, made(word, MANY));
    for (const node of [a, b]) assert.equal(await found(node, word), MANY + 20);
    await untilSeen('they are indexed', async () => {
      for (const node of [a, b]) assert.equal(await found(node, word), MANY + 20);
      return (await indexed()) >= before + MANY + 20;
    });
    for (const node of [a, b]) assert.equal(await found(node, word), MANY + 20);
    assert.equal(await indexed(), before + MANY + 20, 'once');
  });

  test('are not seen before they are recorded, and are removed if that never happens', async () => {
    const word = newWord();
    await a.jobs.runDue();
    await importPosts(world, saying(word, 4));
    const objects = filesBelow(bucket).length;
    const { change } = await a.keywords.build(new AbortController().signal);
    assert.equal(filesBelow(bucket).length, objects + change!.added.length);
    const lost = change!.added.map((key) => join(bucket, key));
    // Its process has ended; another does the job.
    await b.jobs.runDue();
    for (const node of [a, b]) assert.equal(await found(node, word), 4);
    assert.ok(lost.every(existsSync));
    world.clock.advance(3700);
    await b.jobs.runDue();
    assert.ok(!lost.some(existsSync));
    for (const node of [a, b]) assert.equal(await found(node, word), 4);
  });

  test('have the words of the builder that recorded them, not of one that did not', async () => {
    const [word, other] = [newWord(), newWord()];
    await a.jobs.runDue();
    await madeHere(world, made(word, MANY));
    const { change } = await a.keywords.build(new AbortController().signal);
    assert.ok(engine === 'postgres' || change, 'on PostgreSQL other transactions may be waited for');
    // The other one finds this first.
    await importPosts(world, saying(other, 3));
    await b.jobs.runDue();
    await importPosts(world, saying(other, 2));
    await a.jobs.runDue();
    for (const node of [a, b]) assert.deepEqual([await found(node, word), await found(node, other)], [MANY, 5]);
  });
});

describe('a post that no longer counts', () => {
  test('is found no more at once, and soon is on no disk and in no bucket', async () => {
    const [word, other] = [newWord(), newWord()];
    await importPosts(world, [...saying(word, 3, NOW - 6 * DAY_S), ...saying(other, 3, NOW - DAY_S)]);
    await a.jobs.runDue();
    for (const node of [a, b]) assert.deepEqual([await found(node, word), await found(node, other)], [3, 3]);
    for (const folder of [a.folder, b.folder, bucket]) {
      assert.ok(
        filesWith(word).some((path) => path.startsWith(folder)),
        folder,
      );
    }
    const file = (await recorded()).segments.find(({ day }) => day === Math.floor(NOW / DAY_S) - 6)!.file;
    world.clock.advance(26 * DAY_S);
    try {
      for (const node of [a, b]) assert.deepEqual([await found(node, word), await found(node, other)], [0, 3]);
      await b.jobs.runDue();
      world.clock.advance(60);
      await b.jobs.runDue();
      const left = () => [
        ...filesWith(word),
        ...[a.folder, b.folder, bucket].flatMap(filesBelow).filter((path) => path.includes(file.name)),
      ];
      await untilSeen('nothing is left', () => left().length === 0, left);
      for (const node of [a, b]) assert.deepEqual([await found(node, word), await found(node, other)], [0, 3]);
      assert.ok(filesWith(other).length > 0);
      // The word may come back.
      await importPosts(world, saying(word, 2, NOW));
      await a.jobs.runDue();
    } finally {
      world.clock.advance(-26 * DAY_S - 60);
    }
    const days = { from: NOW - DAY_S, to: NOW + DAY_S, bucket_s: DAY_S, related_max: 0 };
    const which = { environment: 'sandbox', keywords: [word], negatives: [], country: undefined } as const;
    for (const { keywords } of [a, b]) assert.deepEqual((await keywords.search({ ...which, ...days })).volume, [0, 2]);
  });
});

describe('while the object store is away', () => {
  test('a node goes on with what it has, and catches up afterwards', async () => {
    const word = newWord();
    await importPosts(world, saying(word, 6));
    await a.jobs.runDue();
    for (const node of [a, b]) assert.equal(await found(node, word), 6);
    for (const { objects } of [a, b]) objects.isAway = true;
    await madeHere(world, made(word, 2));
    for (const node of [a, b]) assert.equal(await found(node, word), 8, 'local posts are in the database');
    await importPosts(world, saying(word, 1));
    let isOver = false;
    const waiting = found(b, word).finally(() => {
      isOver = true;
    });
    await wait(300);
    assert.equal(isOver, false, 'a partial count would look like a whole one');
    for (const { objects } of [a, b]) objects.isAway = false;
    await a.jobs.runDue();
    assert.equal(await waiting, 9);
    for (const node of [a, b]) assert.equal(await found(node, word), 9);
    for (const { failures } of [a, b]) failures.length = 0;
  });

  test('for one node alone, it uses its former index with the posts that others have indexed since', async () => {
    const word = newWord();
    await importPosts(world, saying(word, 6));
    await a.jobs.runDue();
    assert.equal(await found(b, word), 6);
    await madeHere(world, made(word, MANY));
    const before = await indexed();
    b.objects.isAway = true;
    await untilSeen('they are indexed', async () => {
      assert.equal(await found(a, word), MANY + 6);
      return (await indexed()) > before;
    });
    assert.equal(await found(b, word), MANY + 6);
    // Nor does it help to have lost track of what others change, as after an outage of the database.
    await world.service.store.write(async (tx) => tx.invalidate('everything'));
    await b.store.fence?.();
    assert.equal(await found(b, word), MANY + 6);
    const { fetched } = b.objects;
    b.objects.isAway = false;
    await untilSeen('it has fetched what it lacks, once more if a fetch was failing already', async () => {
      assert.equal(await found(b, word), MANY + 6);
      return b.objects.fetched > fetched;
    });
  });
});

describe('a builder that could not store what it has built', () => {
  test('builds nothing again before the object store is back', async () => {
    await a.jobs.runDue();
    const word = newWord();
    await importPosts(world, saying(word, 3));
    const announced = async () => (await a.store.read((tx) => tx.derivedFiles.listUnused('9999', 10_000))).length;
    const before = await announced();
    a.objects.isAway = true;
    const build = () => a.keywords.build(new AbortController().signal).catch((error) => error);
    assert.ok((await build()) instanceof StoreUnavailable);
    const once = await announced();
    assert.ok(once > before, 'it was about to store them');
    for (let times = 0; times < 3; times++) assert.ok((await build()) instanceof StoreUnavailable);
    assert.equal(await announced(), once);
    a.objects.isAway = false;
    await a.jobs.runDue();
    for (const node of [a, b]) assert.equal(await found(node, word), 3);
  });
});

describe('an object of the index', () => {
  for (const [what, damage] of [
    ['lost', (path: string) => rmSync(path)],
    ['damaged', clearTimes],
    ['cut off', (path: string) => truncateSync(path, 70)],
  ] as const) {
    test(`that was ${what} is refused, and the index built anew`, async () => {
      const word = newWord();
      await importPosts(world, saying(word, 7));
      await a.jobs.runDue();
      const former = await recorded();
      const path = join(bucket, former.segments.at(-1)!.file.object_key);
      damage(path);
      await b.close();
      rmSync(b.folder, { recursive: true });
      b = openNode('b', elsewhere);
      assert.equal(await found(b, word), 7);
      const now = await recorded();
      assert.notEqual(now.edition, former.edition);
      assert.ok(!filesOf(now).some(({ object_key }) => path.endsWith(object_key)));
      assert.equal(await found(a, word), 7);
    });
  }
});
