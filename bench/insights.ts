import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/base/clock.ts';
import { formatInstant } from '../src/base/instants.ts';
import { LANGUAGES, TOPICS } from '../src/dev/samples/post-words.ts';
import { samplePosts } from '../src/dev/samples/sample-posts.ts';
import { type SeededRandom, seededRandom } from '../src/dev/samples/seeded-random.ts';
import { locations } from '../src/features/ads/reference/targeting-tables.ts';
import { importPosts } from '../src/features/keywords/import/import-posts.ts';
import { readPostsFile } from '../src/features/keywords/import/posts-file.ts';
import { openPostgres } from '../src/storage/core/postgres.ts';
import { openSqlite } from '../src/storage/core/sqlite.ts';
import { storeOn } from '../src/storage/core/store.ts';
import type { Client } from '../test/rig/client.ts';
import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const DAYS = 7;
const HOUR_S = 3600;
const CALLS = 200;
const P95_MAX_MS = 150;
const KEYWORDS = 10;

/**
 * Keyword insights over made-up posts of seven days: how fast they are imported and indexed beside a running server, how
 * fast ten keywords are answered hour by hour, and the same texts in a bare full-text table.
 * `npm run bench -- insights [POSTS] [sqlite|postgres]`
 */
export async function run(): Promise<void> {
  const count = Number(process.argv[3] ?? 5_000_000);
  const engine = process.argv[4] ?? 'sqlite';
  const end = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
  const work = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const file = join(work, 'posts.ndjson');
  writePosts(file, count, end);
  say(`${count.toLocaleString('en')} posts in ${DAYS} days, ${engine}`);
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  const place = await openPlace(engine === 'postgres' ? 'postgres' : 'sqlite');
  const target = await startBarker({ folder: place.folder, databaseUrl: place.databaseUrl || undefined });
  const idle = target.memory();
  const client = sandboxClient(target);
  const imported_s = await fill(place, client, file, count, end);
  say(`  imported and indexed: ${perSecond(count, imported_s)} posts/s (${imported_s.toFixed(0)} s)`);
  const first = await timed(client, end, seededRandom(1, 0));
  const times: number[] = [];
  for (let call = 1; call <= CALLS; call++) times.push(await timed(client, end, seededRandom(1, call)));
  say(`  the first search, which reads the index  ${first.toFixed(0)} ms`);
  const ours = percentiles(times);
  say(`  search of ${KEYWORDS} keywords by hour  ${told(ours)} (target of p95: ${P95_MAX_MS} ms)`);
  say(`  memory of the server ${megabytes(idle)} idle, ${megabytes(target.memory())} now`);
  await target.close();
  const index = bytesOf(join(place.folder, 'keywords'));
  say(`  disk: ${(index / count).toFixed(0)} bytes of index a post`);
  if (engine === 'sqlite') {
    const rows = statSync(join(place.folder, 'barker.db')).size;
    say(`        ${(rows / count).toFixed(0)} bytes of rows a post`);
  }
  await place.remove();
  await server?.stop();
  if (engine === 'sqlite') await compare(work, file, count, end, imported_s, ours.p50);
  rmSync(work, { recursive: true, force: true });
}

function writePosts(path: string, count: number, end: number): void {
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
async function fill(
  { folder, databaseUrl }: { folder: string; databaseUrl: string },
  client: Client,
  file: string,
  count: number,
  end: number,
): Promise<number> {
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
  say(`  imported: ${perSecond(count, (performance.now() - startedAt) / 1000)} posts/s`);
  await store.close();
  // A search waits for the index, as long as it may.
  while ((await search(client, end, ['coffee'])).status === 503);
  return (performance.now() - startedAt) / 1000;
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

async function timed(client: Client, end: number, random: SeededRandom): Promise<number> {
  const country = random.chance(0.5) ? 'US' : undefined;
  const startedAt = performance.now();
  const reply = await search(client, end, keywordsOf(random), country);
  const took = performance.now() - startedAt;
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.data.post_volume.length, DAYS * 24);
  return took;
}

/** Ten keywords: words that many say, words of topics, hashtags, and rows of two words. */
function keywordsOf(random: SeededRandom): string[] {
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

/** The same texts in a table of the full-text search of SQLite, and the same keywords counted in it, without hours. */
async function compare(
  work: string,
  file: string,
  count: number,
  end: number,
  ours_s: number,
  ours_ms: number,
): Promise<void> {
  const path = join(work, 'bare.db');
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; pragma synchronous = full; create virtual table posts using fts5(text)');
  const insert = database.prepare('insert into posts(text) values (?)');
  let taken = 0;
  for await (const posts of readPostsFile(file, end)) {
    const startedAt = performance.now();
    database.exec('begin');
    for (const post of posts) if ('text' in post) insert.run(post.text);
    database.exec('commit');
    taken += performance.now() - startedAt;
  }
  const bare_s = taken / 1000;
  say(`bare FTS5: ${perSecond(count, bare_s)} posts/s; ours are ${(bare_s / ours_s).toFixed(2)} of that (target: 0.5)`);
  const counting = database.prepare('select count(*) as posts from posts where posts match ?');
  const times: number[] = [];
  for (let call = 1; call <= CALLS / 4; call++) {
    const random = seededRandom(1, call);
    random.chance(0.5);
    const match = keywordsOf(random).map((each) => `"${each.replace('#', '')}"`);
    const startedAt = performance.now();
    counting.get(match.join(' OR '));
    times.push(performance.now() - startedAt);
  }
  const bare = percentiles(times);
  say(`  bare count of the same keywords  ${told(bare)}; ours take ${(ours_ms / bare.p50).toFixed(2)} of it at p50`);
  database.close();
  say(`  disk: ${(statSync(path).size / count).toFixed(0)} bytes a post`);
}

function percentiles(times: readonly number[]): { p50: number; p95: number; worst: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)]!;
  return { p50: at(0.5), p95: at(0.95), worst: sorted.at(-1)! };
}

function told({ p50, p95, worst }: ReturnType<typeof percentiles>): string {
  return `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`;
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

function perSecond(count: number, seconds: number): string {
  return Math.round(count / seconds).toLocaleString('en');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
