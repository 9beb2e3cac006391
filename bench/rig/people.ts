import assert from 'node:assert/strict';
import { join } from 'node:path';
import { withDirectory } from '../../src/app/derived-files.ts';
import { systemClock } from '../../src/base/clock.ts';
import { samplePeople } from '../../src/dev/samples/sample-people.ts';
import type { SeededRandom } from '../../src/dev/samples/seeded-random.ts';
import { devices, interests, languages, locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { AGE_BUCKETS } from '../../src/features/ads/targeting-criteria/targeting-types.ts';
import { importPeople } from '../../src/features/audiences/import/import-people.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Client } from '../../test/rig/client.ts';
import type { Target } from './target.ts';

/** How long people took to be taken in, their image included, and how much of that time made them up. */
export interface PeopleTaken {
  readonly seconds: number;
  readonly made_s: number;
}

/** Takes people in beside the running server, as the command does. */
export async function addPeople(target: Target, users: number): Promise<PeopleTaken> {
  const { folder } = target;
  const store = storeOn(openSqlite({ file: join(folder, 'barker.db') }));
  const now = Math.floor(Date.now() / 1000);
  const made = samplePeople({ seed: 1, users, registered: [target.file.user_id], now });
  let made_ms = 0;
  function* people() {
    for (let number = 0; number < users; number++) {
      const from = performance.now();
      const { person } = made(number);
      made_ms += performance.now() - from;
      yield person;
    }
  }
  const startedAt = performance.now();
  const progress = { stored: () => {}, rejected: () => {} };
  const settings = loadSettings({ mode: 'dev', environment: {}, readFile: () => '', flags: { data_folder: folder } });
  const taken = await withDirectory({ settings, store, clock: systemClock }, (directory) =>
    importPeople({ store, clock: systemClock, directory }, { name: 'bench', people }, progress),
  );
  assert.equal(taken.people, users);
  await store.close();
  return { seconds: (performance.now() - startedAt) / 1000, made_s: made_ms / 1000 };
}

/** How many milliseconds an estimate of 20 criteria takes. */
export async function timedEstimate(
  client: Client,
  path: string,
  target: Target,
  random: SeededRandom,
): Promise<number> {
  const json = criteria(random, target.file.user_id).map(([targeting_type, targeting_value, operator_type = 'EQ']) => ({
    targeting_type,
    targeting_value,
    operator_type,
  }));
  assert.equal(json.length, 20);
  const startedAt = performance.now();
  const reply = await client.call('POST', `${path}/audience_estimate`, { json });
  const took = performance.now() - startedAt;
  assert.equal(reply.status, 200, reply.text);
  return took;
}

/** 20 criteria of every kind that the directory answers by itself, different for each call. */
function criteria(random: SeededRandom, advertiser: string): readonly (readonly [string, string, string?])[] {
  const one = (entries: readonly { readonly targeting_value: string }[]): string =>
    entries[random.below(entries.length)]!.targeting_value;
  const countries = locations().filter(({ location_type }) => location_type === 'COUNTRIES');
  return [
    ...Array.from({ length: 5 }, () => ['INTEREST', one(interests())] as const),
    ['INTEREST', one(interests()), 'NE'],
    ['FOLLOWERS_OF_USER', advertiser],
    ...Array.from(
      { length: 2 },
      () => ['SIMILAR_TO_FOLLOWERS_OF_USER', String(2_900_000_000 + random.below(5000))] as const,
    ),
    ...Array.from({ length: 3 }, () => ['LOCATION', one(countries)] as const),
    ['LOCATION', '96683cc9126741d1'],
    ['LOCATION', one(locations()), 'NE'],
    ['GENDER', String(random.between(1, 2))],
    ['AGE', AGE_BUCKETS[random.below(AGE_BUCKETS.length)]!],
    ['LANGUAGE', 'en'],
    ['LANGUAGE', one(languages())],
    ['PLATFORM', '1'],
    ['DEVICE', one(devices()), 'NE'],
  ];
}
