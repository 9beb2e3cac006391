import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { secureRandom } from '../base/random.ts';
import type { JobServices } from '../contract/declare/operation.ts';
import type { Keywords } from '../contract/services/keywords.ts';
import type { ObjectStore } from '../contract/services/objects.ts';
import { KeywordSearch, keywordsFolder } from '../features/keywords/keywords.ts';
import { rolesOf } from '../settings/roles.ts';
import type { Settings } from '../settings.ts';
import { StoredFiles } from '../storage/objects/derived-objects.ts';
import type { Store } from '../storage/unit-of-work.ts';

interface KeywordSearchParts extends JobServices {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly objects: ObjectStore;
}

/** Opens keyword search, whose index is stored as objects. */
export function openKeywordSearch({ settings, store, clock, objects, runNow }: KeywordSearchParts): Keywords {
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
