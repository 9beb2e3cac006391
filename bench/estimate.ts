import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDirectory } from '../src/app/audience-files.ts';
import { systemClock } from '../src/base/clock.ts';
import { samplePeople } from '../src/dev/samples/sample-people.ts';
import { type SeededRandom, seededRandom } from '../src/dev/samples/seeded-random.ts';
import { devices, interests, languages, locations } from '../src/features/ads/reference/targeting-tables.ts';
import { AGE_BUCKETS } from '../src/features/ads/targeting-criteria/targeting-types.ts';
import { importPeople } from '../src/features/audiences/import/import-people.ts';
import { loadSettings } from '../src/settings/load.ts';
import { openSqlite } from '../src/storage/core/sqlite.ts';
import { storeOn } from '../src/storage/core/store.ts';
import type { Client } from '../test/rig/client.ts';
import { openAccount } from '../test/rig/world.ts';
import { sandboxClient } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

const SIZES = [100_000, 1_000_000];
const CALLS = 200;
const P95_MAX_MS = 100;

/** Estimates of 20 criteria over directories of 100,000 and 1,000,000 people, one signed call after the other. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const target = await startBarker({ folder });
  const client = sandboxClient(target);
  const { path } = await openAccount(client);
  const found: number[] = [];
  for (const users of SIZES) {
    const seconds = await fill(folder, target, users);
    say(`${users.toLocaleString('en')} people imported within ${seconds.toFixed(0)} s with their image`);
    const first = await timed(client, path, target, seededRandom(1, 0));
    const times: number[] = [];
    for (let call = 1; call <= CALLS; call++) times.push(await timed(client, path, target, seededRandom(1, call)));
    times.sort((a, b) => a - b);
    const p95 = times[Math.floor(CALLS * 0.95)]!;
    found.push(p95);
    say(`  the first estimate, which loads the image  ${first.toFixed(0)} ms`);
    say(
      `  p50 ${times[CALLS / 2]!.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms (target ${P95_MAX_MS} ms), worst ${times.at(-1)!.toFixed(1)} ms`,
    );
    say(`  memory of the server ${(target.memory() / 1e6).toFixed(0)} MB`);
  }
  const growth = found[1]! / found[0]!;
  say(`ten times as many people take ${growth.toFixed(1)} times as long (target: at most 10)`);
  say(`  ${((found[1]! * 1e6) / SIZES[1]!).toFixed(1)} ns a person at p95`);
  await target.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Takes people in beside the running server, as the command does; the answer is how many seconds that took. */
async function fill(folder: string, target: Target, users: number): Promise<number> {
  const store = storeOn(openSqlite({ file: join(folder, 'barker.db') }));
  const now = Math.floor(Date.now() / 1000);
  const made = samplePeople({ seed: 1, users, registered: [target.file.user_id], now });
  function* people() {
    for (let number = 0; number < users; number++) yield made(number).person;
  }
  const startedAt = performance.now();
  const progress = { stored: () => {}, rejected: () => {} };
  const settings = loadSettings({ mode: 'dev', environment: {}, readFile: () => '', flags: { data_folder: folder } });
  const taken = await withDirectory({ settings, store, clock: systemClock }, (directory) =>
    importPeople({ store, clock: systemClock, directory }, { name: 'bench', people }, progress),
  );
  assert.equal(taken.people, users);
  await store.close();
  return (performance.now() - startedAt) / 1000;
}

async function timed(client: Client, path: string, target: Target, random: SeededRandom): Promise<number> {
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
