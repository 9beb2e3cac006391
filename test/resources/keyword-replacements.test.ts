import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import type { DerivedObjects } from '../../src/contract/services/derived-files.ts';
import type { Keywords } from '../../src/contract/services/keywords.ts';
import { filesOf } from '../../src/features/keywords/manifest.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { objectRemoval } from '../../src/features/platform/object-removal.ts';
import { StoredFiles } from '../../src/storage/objects/derived-objects.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { indexNext, type KeywordNodeOptions, openKeywordNode, recordedIndex } from '../rig/keyword-nodes.ts';
import { anotherNode } from '../rig/nodes.ts';
import { remoteStore } from '../rig/object-stores.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { openWorld, type World } from '../rig/world.ts';

const DAY_S = 86_400;
const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;

let world: World;
/** The folder of the processes of a test. */
let folder: string;
let bucket: string;
before(async () => {
  world = await openWorld({ flags: { keyword_retention_days: 30 } });
  // The index is built by the processes of these tests.
  await world.service.jobs.stop();
  bucket = join(world.place.folder, 'bucket');
});
beforeEach(() => {
  folder = mkdtempSync(join(world.place.folder, 'shared-'));
});
after(() => world.close());

/** What one process on the folder has; objects are elsewhere, and copies of them in the folder. */
function openTwin(options: KeywordNodeOptions = {}, wrap = (derived: DerivedObjects) => derived): Keywords {
  const { store, clock } = world.service;
  const derived = new StoredFiles({
    ...{ store, clock, random: secureRandom, bytes_max: undefined },
    objects: remoteStore(folderObjects(bucket, secureRandom)),
    prefix: 'keywords',
    folder: join(options.folder ?? folder, 'copies'),
  });
  return openKeywordNode(world, { folder, derived: wrap(derived), runNow: async () => {}, ...options });
}

let posts = 0;
const say = (word: string, count: number) =>
  importPosts(
    world,
    Array.from({ length: count }, (_, at) =>
      post(`r${++posts}`, `coffee ${word}`, { created_at: NOW - 2 * DAY_S + at }),
    ),
  );

async function found(keywords: Keywords, word: string): Promise<number> {
  const days = { from: NOW - 7 * DAY_S, to: NOW, bucket_s: DAY_S };
  const which = { environment: 'sandbox', keywords: [word], negatives: [], country: undefined } as const;
  const { volume } = await keywords.search({ ...which, ...days, related_max: 0 });
  return volume.reduce((sum, each) => sum + each, 0);
}

/** Removes objects as the job does. */
async function removeUnused(): Promise<void> {
  const { store, clock, services } = world.service;
  const jobs = new JobRunner({
    ...{ store, clock, node: anotherNode('removing'), random: secureRandom },
    services: { ...services, store, objects: folderObjects(bucket, secureRandom) },
    kinds: [objectRemoval],
    onEnded() {},
    onFailed: (_, error) => assert.fail(error as Error),
  });
  await jobs.runDue();
  await jobs.stop();
}

async function indexAll(keywords: Keywords): Promise<void> {
  while (await indexNext(keywords, world.service.store, world.clock.now()));
}

test('two processes with one data folder do not disturb each other', async () => {
  const twins = [openTwin(), openTwin()];
  let count = 0;
  for (let round = 0; round < 8; round++) {
    await say('zyxtwins', 5);
    count += 5;
    await Promise.all(
      twins.map(async (keywords) => {
        await indexAll(keywords);
        assert.equal(await found(keywords, 'zyxtwins'), count);
      }),
    );
  }
  for (const keywords of twins) await keywords.close();
  const elsewhere = openTwin({ folder: join(world.place.folder, 'elsewhere') });
  assert.equal(await found(elsewhere, 'zyxtwins'), count);
  await elsewhere.close();
  // What only one of them could record was recorded by one.
  world.clock.advance(3700);
  await removeUnused();
  const recorded = (await recordedIndex(world.service.store))!;
  const keys = filesOf(recorded).map(({ object_key }) => object_key);
  const stored = readdirSync(bucket, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(
    stored.map(({ parentPath, name }) => join(parentPath, name)).sort(),
    keys.map((key) => join(bucket, key)).sort(),
  );
});

const searchedFor = 'zyxgone';
for (const [who, work] of [
  ['a search', (keywords: Keywords) => found(keywords, searchedFor)],
  ['a step of building', async (keywords: Keywords) => (await keywords.build(new AbortController().signal)).firstDay],
] as const) {
  test(`${who} begins again as often as another process has replaced the index and removed its files`, async () => {
    // What is gone comes back when it is next needed, and not by itself.
    const store = { ...world.service.store, onInvalidate() {} };
    const builder = openTwin({ store });
    const others = `zyxothers${who.length}`;
    await say(searchedFor, 5);
    await indexAll(builder);
    const copies = join(folder, 'copies/index');
    let times = 6;
    const robbed = openTwin({ store }, (derived) =>
      withMethods(derived, {
        async fetch(owner, file) {
          const path = await derived.fetch(owner, file);
          if (times > 0) {
            times -= 1;
            await say(others, 1);
            await indexAll(builder);
            for (const name of readdirSync(copies)) rmSync(join(copies, name), { force: true });
          }
          return path;
        },
      }),
    );
    const came = await work(robbed);
    assert.equal(times, 0, 'it was disturbed');
    if (who === 'a search') assert.equal(came, 5);
    await indexAll(robbed);
    assert.equal(await found(builder, others), 6);
    await Promise.all([robbed.close(), builder.close()]);
  });
}
