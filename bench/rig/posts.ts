import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { LANGUAGES, TOPICS } from '../../src/dev/samples/post-words.ts';
import { samplePosts } from '../../src/dev/samples/sample-posts.ts';
import type { SeededRandom } from '../../src/dev/samples/seeded-random.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { importPosts } from '../../src/features/keywords/import/import-posts.ts';
import { readPostsFile } from '../../src/features/keywords/import/posts-file.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { Client } from '../../test/rig/client.ts';

/** The days that made-up posts are of. */
export const DAYS = 7;
const HOUR_S = 3600;
/** Keywords of one search. */
export const KEYWORDS = 10;

/** Writes made-up posts of the last seven days into a file that can be imported. */
export function writePosts(path: string, count: number, end: number): void {
  const made = samplePosts({ seed: 1, count, days: DAYS, end, people: 100_000 });
  const file = openSync(path, 'w');
  for (let from = 0; from < count; from += 10_000) {
    const lines: string[] = [];
    for (let number = from; number < Math.min(count, from + 10_000); number++) {
      const { id, text, created_at, country, language, user_id } = made(number);
      const post = { id, text, created_at: formatInstant(created_at * 1000), country, language, user: user_id };
      lines.push(`${JSON.stringify(post)}\n`);
    }
    writeSync(file, lines.join(''));
  }
  closeSync(file);
}

/** Imports a file as the command does, until the server answers with all of it; the answer is how many seconds that took. */
export async function addPosts(
  { folder, databaseUrl }: { readonly folder: string; readonly databaseUrl: string },
  client: Client,
  { file, count, end }: { readonly file: string; readonly count: number; readonly end: number },
): Promise<{ readonly stored_s: number; readonly indexed_s: number }> {
  const driver = databaseUrl
    ? openPostgres({ url: databaseUrl, connectionsMax: 4 })
    : openSqlite({ file: join(folder, 'barker.db') });
  const store = storeOn(driver);
  const startedAt = performance.now();
  const taken = await importPosts(
    { store, clock: systemClock, settings: { keyword_retention_days: 90 } },
    { name: 'bench', posts: () => readPostsFile(file, end) },
    { stored: () => {}, rejected: (_, errors) => assert.fail(errors.join()) },
  );
  assert.equal(taken.added, count);
  const stored_s = (performance.now() - startedAt) / 1000;
  await store.close();
  // A search waits for the index, as long as it may.
  while ((await search(client, end, ['coffee'])).status === 503);
  return { stored_s, indexed_s: (performance.now() - startedAt) / 1000 };
}

const places = locations().filter(({ location_type }) => location_type === 'COUNTRIES');

function search(client: Client, end: number, keywords: readonly string[], country?: string) {
  const params = {
    granularity: 'HOUR',
    keywords: keywords.join(','),
    start_time: formatInstant((end - DAYS * 24 * HOUR_S) * 1000),
    end_time: formatInstant(end * 1000),
    ...(country ? { location: places.find(({ country_code }) => country_code === country)!.targeting_value } : {}),
  };
  return client.call('GET', '/12/insights/keywords/search', { params });
}

/** How many milliseconds a search of ten keywords by hour takes. */
export async function timedSearch(client: Client, end: number, random: SeededRandom): Promise<number> {
  const country = random.chance(0.5) ? 'US' : undefined;
  const startedAt = performance.now();
  const reply = await search(client, end, keywordsOf(random), country);
  const took = performance.now() - startedAt;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.data.post_volume.length, DAYS * 24);
  return took;
}

/** Ten keywords: words that many say, words of topics, hashtags, and rows of two words. */
export function keywordsOf(random: SeededRandom): string[] {
  const topic = () => random.early(TOPICS)!;
  const word = () => random.early(topic().words.en!.split(' '))!;
  const found = new Set<string>();
  while (found.size < KEYWORDS) {
    const kind = random.below(10);
    if (kind < 6) found.add(word());
    else if (kind < 7) found.add(random.early(LANGUAGES.en!.plain.split(' '))!);
    else if (kind < 8) found.add(`#${random.early(topic().hashtags.split(' '))!}`);
    else found.add(`${word()} ${word()}`);
  }
  return [...found];
}
