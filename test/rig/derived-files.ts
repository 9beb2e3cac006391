import { join } from 'node:path';
import { secureRandom } from '../../src/base/random.ts';
import type { DerivedObjects } from '../../src/contract/services/derived-files.ts';
import type { ObjectStore } from '../../src/contract/services/objects.ts';
import { StoredFiles } from '../../src/storage/objects/derived-objects.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import type { World } from './world.ts';

/** Derived files of a node with a folder of its own, on the store of a world; objects are in that folder too. */
export function derivedIn(
  folder: string,
  { service: { store, clock } }: World,
  objects: ObjectStore = folderObjects(folder, secureRandom),
  what = 'members',
): DerivedObjects {
  return new StoredFiles({
    ...{ store, clock, objects, bytes_max: 1e9 },
    random: secureRandom,
    prefix: `audiences/${what}`,
    folder: join(folder, `${what}-copies`),
  });
}
