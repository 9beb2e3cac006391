import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { secureRandom } from '../base/random.ts';
import type { JobServices } from '../contract/declare/operation.ts';
import type { DerivedObjects } from '../contract/services/derived-files.ts';
import type { Keywords } from '../contract/services/keywords.ts';
import type { ObjectStore } from '../contract/services/objects.ts';
import type { DirectoryIndex } from '../contract/store/directory.ts';
import { directoryFolder, PeopleDirectory } from '../features/audiences/directory/directory.ts';
import { KeywordSearch, keywordsFolder } from '../features/keywords/keywords.ts';
import { checkObjectStore } from '../features/platform/object-store-check.ts';
import { rolesOf } from '../settings/roles.ts';
import type { Settings } from '../settings.ts';
import { StoredFiles } from '../storage/objects/derived-objects.ts';
import type { Store } from '../storage/unit-of-work.ts';
import { openObjects } from './objects.ts';

/** Dependencies of files that are derived from the database and stored as objects. */
interface DerivedFilesParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly objects: ObjectStore;
}

/** The folder of audiences below the data folder. */
export function audiencesFolder({ data_folder }: Pick<Settings, 'data_folder'>): string {
  return join(data_folder, 'audiences');
}

/** Opens the files of audiences and of the directory, which are stored as objects. */
export function openAudienceFiles({ settings, store, clock, objects }: DerivedFilesParts): {
  readonly derived: DerivedObjects;
  readonly directory: DirectoryIndex;
} {
  const open = (prefix: string, copies: string): DerivedObjects =>
    new StoredFiles({
      ...{ store, objects, clock, prefix },
      random: secureRandom,
      folder: join(audiencesFolder(settings), copies),
      bytes_max: settings.audience_copies_bytes_max,
    });
  const directory = new PeopleDirectory({
    ...{ store, clock },
    derived: open('audiences/images', 'image-copies'),
    folder: directoryFolder(settings.data_folder),
    random: secureRandom,
  });
  return { derived: open('audiences/members', 'copies'), directory };
}

/**
 * Runs a command's work with the directory, whose snapshots are stored where the server stores them.
 * @throws OtherObjectStore
 */
export async function withDirectory<T>(
  { settings, store, clock }: Omit<DerivedFilesParts, 'objects'>,
  work: (directory: DirectoryIndex) => Promise<T>,
): Promise<T> {
  const objects = await openObjects(settings, { lost: () => {}, back: () => {} });
  const { directory } = openAudienceFiles({ settings, store, clock, objects: objects.store });
  try {
    if (settings.object_store !== '') await checkObjectStore({ store, objects: objects.store }, secureRandom);
    return await work(directory);
  } finally {
    await directory.close();
    objects.close();
  }
}

/** Opens keyword search, whose index is stored as objects. */
export function openKeywordSearch({
  settings,
  store,
  clock,
  objects,
  runNow,
}: DerivedFilesParts & JobServices): Keywords {
  const folder = keywordsFolder(settings.data_folder);
  const random = secureRandom;
  return new KeywordSearch({
    ...{ store, clock, random, folder, runNow },
    derived: new StoredFiles({
      ...{ store, clock, random, objects },
      prefix: 'keywords',
      folder: join(folder, 'copies'),
      bytes_max: undefined,
    }),
    isSearching: rolesOf(settings).has('search'),
    retention_days: settings.keyword_retention_days,
    memory_bytes_max: settings.keyword_memory_bytes_max,
  });
}
