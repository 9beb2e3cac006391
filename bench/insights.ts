import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { seededRandom } from '../src/dev/samples/seeded-random.ts';
import { readPostsFile } from '../src/features/keywords/import/posts-file.ts';
import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { callRounds } from './rig/call-rounds.ts';
import { addPosts, DAYS, KEYWORDS, keywordsOf, timedSearch, writePosts } from './rig/posts.ts';
import { median, megabytes, printRates } from './rig/report.ts';
import { sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const HOUR_S = 3600;
/** Calls of the bare table, and the most posts that it is filled with. */
const BARE_CALLS = 50;
const BARE_MAX = 5_000_000;
const P95_MAX_MS = 300;

/**
 * Keyword insights over made-up posts of seven days: how fast they are imported and indexed beside a running server, how
 * fast ten keywords are answered hour by hour, and the same texts in a bare full-text table.
 * `npm run bench -- insights [POSTS] [sqlite|postgres] [BYTES]`, where BYTES is the memory that the index may take.
 */
export async function run(): Promise<void> {
  const count = Number(process.argv[3] ?? 5_000_000);
  const engine = process.argv[4] ?? 'sqlite';
  const keywordMemory = process.argv[5] === undefined ? undefined : Number(process.argv[5]);
  const end = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;
  const work = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const file = join(work, 'posts.ndjson');
  writePosts(file, count, end);
  say(`${count.toLocaleString('en')} posts in ${DAYS} days, ${engine}`);
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  process.env.TEST_POSTGRES_URL = server?.url ?? '';
  const place = await openPlace(engine === 'postgres' ? 'postgres' : 'sqlite');
  const target = await startBarker({
    folder: place.folder,
    databaseUrl: place.databaseUrl || undefined,
    keywordMemory,
  });
  const idle = target.memory();
  const client = sandboxClient(target);
  const { stored_s, indexed_s: imported_s } = await addPosts(place, client, { file, count, end });
  say(`  imported: ${perSecond(count, stored_s)} posts/s`);
  say(`  imported and indexed: ${perSecond(count, imported_s)} posts/s (${imported_s.toFixed(0)} s)`);
  const first = await timedSearch(client, end, seededRandom(1, 0));
  const { p50, p95, worst } = await callRounds((call) => timedSearch(client, end, seededRandom(1, call)));
  say(`  the first search, which reads the index  ${first.toFixed(0)} ms`);
  printRates(`searches of ${KEYWORDS} keywords by hour, ${count.toLocaleString('en')} posts`, { p50, p95 }, ' ms');
  say(`  target of p95 ${P95_MAX_MS} ms; worst ${worst.toFixed(1)} ms`);
  const most = megabytes(target.memoryPeak());
  say(`  memory of the server ${megabytes(idle)} idle, ${megabytes(target.memory())} now, at most ${most}`);
  await target.close();
  const index = bytesOf(join(place.folder, 'keywords'));
  say(`  disk: ${(index / count).toFixed(0)} bytes of index a post`);
  if (engine === 'sqlite') {
    const rows = statSync(join(place.folder, 'barker.db')).size;
    say(`        ${(rows / count).toFixed(0)} bytes of rows a post`);
  }
  await place.remove();
  await server?.stop();
  if (engine === 'sqlite' && count <= BARE_MAX) await compare(work, file, count, end, imported_s, median(p50));
  rmSync(work, { recursive: true, force: true });
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
  for (let call = 1; call <= BARE_CALLS; call++) {
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
