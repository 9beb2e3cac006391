import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { Keywords } from '../../src/contract/services/keywords.ts';
import { INDEXING_JOBS, KEYWORD_INDEXING } from '../../src/contract/services/keywords.ts';
import type { ObjectStore } from '../../src/contract/services/objects.ts';
import { keywordIndexing } from '../../src/features/keywords/indexing-job.ts';
import { type KeywordDependencies, KeywordSearch, keywordsFolder } from '../../src/features/keywords/keywords.ts';
import { type Manifest, parseManifest } from '../../src/features/keywords/manifest.ts';
import { StoredFiles } from '../../src/storage/objects/derived-objects.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import type { Store } from '../../src/storage/unit-of-work.ts';
import type { World } from './world.ts';

/** What differs from the service of a world. */
export interface KeywordNodeOptions extends Partial<KeywordDependencies> {
  readonly objects?: ObjectStore;
}

/** Keyword search on the database of a world: by default on its data folder, and with its jobs. */
export function openKeywordNode({ service, place }: World, options: KeywordNodeOptions = {}): Keywords {
  const { store = service.store, clock = service.clock, folder = keywordsFolder(place.folder) } = options;
  const { objects = folderObjects(place.folder, secureRandom), ...rest } = options;
  return new KeywordSearch({
    ...{ store, clock, folder, random: secureRandom, isSearching: true },
    runNow: service.services.jobs.runNow,
    derived: new StoredFiles({
      ...{ store, clock, objects, random: secureRandom, bytes_max: undefined },
      prefix: 'keywords',
      folder: join(folder, 'copies'),
    }),
    ...{ retention_days: 30, memory_bytes_max: 1e6 },
    ...rest,
  });
}

const NEVER = new AbortController().signal;

/** Does a step of indexing as a job does; false when nothing was left to do. */
export async function indexNext(keywords: Keywords, store: Store, now_ms: number): Promise<boolean> {
  const step = await keywords.build(NEVER);
  const job = { kind: KEYWORD_INDEXING, key: INDEXING_JOBS.build, run_at: '', lease: '', attempts: 1 };
  await store.write((tx) => keywordIndexing.store(tx, job, step, formatInstant(now_ms)));
  return step.change !== undefined;
}

/** What is recorded. */
export async function recordedIndex(store: Store): Promise<Manifest | undefined> {
  const found = await store.read((tx) => tx.corpus.findIndex());
  return found && parseManifest(found.manifest);
}

/** Makes all posts of a segment very old, in its columns: the file can still be read. */
export function clearTimes(path: string): void {
  const bytes = readFileSync(path);
  const tableBytes = bytes.readUInt32LE(8);
  const { at, length } = JSON.parse(bytes.toString('utf8', 16, 16 + tableBytes)).createdAt;
  const first = 16 + Math.ceil(tableBytes / 8) * 8 + at;
  assert.ok(length > 0);
  writeFileSync(path, bytes.fill(0, first, first + length * 4));
}
