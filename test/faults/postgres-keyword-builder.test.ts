import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { secureRandom } from '../../src/base/random.ts';
import { keywordIndexing } from '../../src/features/keywords/indexing-job.ts';
import { filesOf } from '../../src/features/keywords/manifest.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { openKeywordNode, recordedIndex } from '../rig/keyword-nodes.ts';
import { anotherNode } from '../rig/nodes.ts';
import { remoteStore } from '../rig/object-stores.ts';
import { inTime, until } from '../rig/patience.ts';
import { openWorld, type World } from '../rig/world.ts';
import type { KeywordBuilderOptions } from './keyword-builder-process.ts';

const TERM_S = 2;
const DAY_S = 86_400;
const POSTS = 40;
const DAYS = 4;

let world: World;
let bucket: string;
before(async () => {
  world = await openWorld({ flags: { keyword_retention_days: 3650 } });
  // The jobs of this test are done by its own workers.
  await world.service.jobs.stop();
  bucket = join(world.place.folder, 'bucket');
});
after(() => world.close());

const objectsNow = (): string[] => {
  const folder = join(bucket, 'keywords', 'index');
  return existsSync(folder) ? readdirSync(folder).map((name) => `keywords/index/${name}`) : [];
};

/** Starts a worker, and kills it in the middle: when it has stored one of several objects. */
async function buildUntilKilled(): Promise<void> {
  const options: KeywordBuilderOptions = {
    ...{ databaseUrl: world.place.databaseUrl, bucket, term_s: TERM_S },
    folder: join(world.place.folder, 'killed'),
  };
  const child = fork(resolve('test/faults/keyword-builder-process.ts'), [JSON.stringify(options)]);
  const gone = new Promise<void>((done) => child.on('exit', () => done()));
  try {
    await inTime(
      new Promise<void>((stored, refused) => {
        child.on('message', (what) => {
          if (what === 'stored one') stored();
          else if (what !== 'started') refused(new Error(String(what)));
        });
      }),
    );
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
}

test('a worker that is killed while it stores segments leaves nothing broken, and another builds them', async () => {
  const { store, clock, services } = world.service;
  const now_s = Math.floor(clock.now() / 1000);
  const posts = Array.from({ length: POSTS }, (_, at) =>
    post(`p${at}`, `coffee ${at}`, { created_at: now_s - 3600 - (at % DAYS) * DAY_S }),
  );
  await importPosts(world, posts);
  await buildUntilKilled();
  const orphaned = objectsNow();
  assert.equal(orphaned.length, 1);
  assert.equal(await recordedIndex(store), undefined, 'nothing is recorded');

  const keywords = openKeywordNode(world, {
    ...{ folder: join(world.place.folder, 'other'), objects: remoteStore(folderObjects(bucket, secureRandom)) },
    ...{ runNow: async () => {}, retention_days: 3650, clock: systemClock },
  });
  const jobs = new JobRunner({
    ...{ store, node: anotherNode(), clock: systemClock, random: secureRandom, lease_s: TERM_S },
    services: { ...services, keywords },
    kinds: [keywordIndexing],
    onEnded() {},
    onFailed: (_, error) => assert.fail(error as Error),
  });
  await until('the job is taken over', async () => {
    await jobs.runDue();
    return (await recordedIndex(store)) !== undefined;
  });
  await jobs.stop();
  const days = { from: now_s - 5 * DAY_S, to: now_s, bucket_s: DAY_S };
  const which = { environment: 'sandbox', keywords: ['coffee'], negatives: [], country: undefined } as const;
  const { volume } = await keywords.search({ ...which, ...days, related_max: 0 });
  assert.equal(
    volume.reduce((sum, each) => sum + each, 0),
    POSTS,
  );
  const used = filesOf((await recordedIndex(store))!).map(({ object_key }) => object_key);
  assert.deepEqual([...used, ...orphaned].sort(), objectsNow().sort(), 'built once, beside what the killed one left');
  const due = await store.read((tx) => tx.derivedFiles.listUnused('9999', 100));
  for (const key of orphaned) assert.ok(due.includes(key), 'which is going to be removed');
  for (const key of used) assert.ok(!due.includes(key));
  await keywords.close();
});
