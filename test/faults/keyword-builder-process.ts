import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { secureRandom } from '../../src/base/random.ts';
import { keywordIndexing } from '../../src/features/keywords/indexing-job.ts';
import { KeywordSearch } from '../../src/features/keywords/keywords.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { RunningNode } from '../../src/features/platform/node.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { StoredFiles } from '../../src/storage/objects/derived-objects.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { remoteStore } from '../rig/object-stores.ts';

/** What a worker of a process of its own is given. */
export interface KeywordBuilderOptions {
  readonly databaseUrl: string;
  readonly bucket: string;
  readonly folder: string;
  /** For leases and for heartbeats. */
  readonly term_s: number;
}

/** A worker that builds the index of posts until it has stored one object; then it waits to be killed. */
const { databaseUrl, bucket, folder, term_s }: KeywordBuilderOptions = JSON.parse(process.argv[2]!);
const tell = (what: string): void => void process.send!(what);
const store = storeOn(openPostgres({ url: databaseUrl, connectionsMax: 5 }));
const objects = remoteStore(folderObjects(bucket, secureRandom));
const { put } = objects;
let isFirst = true;
objects.put = async (...of) => {
  // Several are stored at the same time.
  if (!isFirst) return new Promise(() => {});
  isFirst = false;
  await put(...of);
  tell('stored one');
};
const random = secureRandom;
const clock = systemClock;
const keywords = new KeywordSearch({
  ...{ store, clock, folder, random, isSearching: false, runNow: async () => {} },
  derived: new StoredFiles({
    ...{ store, clock, objects, random, bytes_max: undefined },
    prefix: 'keywords',
    folder: join(folder, 'copies'),
  }),
  ...{ retention_days: 3650, memory_bytes_max: 1e6 },
});
const node = new RunningNode({
  ...{ id: 'builder', hostname: 'child', version: '1.0.0', process: '', master_keys: '' },
  ...{
    store,
    clock,
    machineClock: clock,
    roles: 'worker',
    schema_level: '',
    hasPeers: true,
    skewMax_ms: 150_000,
    dead_after_s: term_s,
  },
  observer: {
    cleanedUp() {},
    fellSilent() {},
    wasRemoved() {},
    clockSkewed() {},
    redisDiffers() {},
    failed: (error) => tell(`failed: ${error}`),
  },
});
await node.start();
const jobs = new JobRunner({
  ...{ store, node, clock, random, services: { keywords } as never, lease_s: term_s },
  kinds: [keywordIndexing],
  onEnded: (_, outcome) => tell(`ended: ${outcome}`),
  onFailed: (_, error) => tell(`failed: ${error}`),
});
jobs.start();
tell('started');
