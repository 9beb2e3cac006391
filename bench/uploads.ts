import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock } from '../src/base/clock.ts';
import { clientOf } from '../test/rig/client.ts';
import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { printRatio } from './rig/report.ts';
import { startBarker, type Target } from './rig/target.ts';
import { pacedGets, type UploadResult, uploadLoad } from './rig/upload-load.ts';

const BYTES = 5_000_000;
const CLIENTS = 8;
/** What an account may send: 1,500 a minute. */
const DOCUMENTED = 25;
/** How long it is tried how many uploads are answered when they come as fast as they can. */
const FASTEST_S = 10;
/** Threads that have nothing to do have ended by then. */
const IDLE_S = 20;
/** How long uploads are sent, unless the command says so. */
const SECONDS = Number(process.argv[3] ?? 60);
/** The only database that is measured, if the command names one. */
const ENGINE = process.argv[4];
const GET_EVERY_MS = 20;

/**
 * Uploads of 5,000,000 bytes from 8 clients into one account of the production listener at the documented rate, with a
 * signed GET beside them; then how long it takes until all of it is merged; then uploads as fast as they are answered. On
 * SQLite, and on PostgreSQL against COPY of as many identifiers into a table with an index.
 */
export async function run(): Promise<void> {
  if (ENGINE !== 'postgres') await measure('SQLite', await startBarker());
  if (ENGINE !== 'sqlite') await measureOnPostgres();
}

async function measureOnPostgres(): Promise<void> {
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  const place = await openPlace('postgres');
  const result = await measure('PostgreSQL', await startBarker(place));
  const copied = await copyRate(place.databaseUrl, Math.min(result.identifiers, 10_000_000));
  const uploaded = result.identifiers / (result.acknowledged / result.perSecond);
  process.stdout.write(`COPY into an indexed table: ${thousands(copied)} identifiers/s\n`);
  printRatio('uploads / COPY', uploaded / copied, 'reported');
  await place.remove();
  await server.stop();
}

async function measure(title: string, target: Target): Promise<UploadResult> {
  const { file } = target;
  const client = clientOf(file.base_url, file, systemClock, () => {});
  const accounts = await client.call('GET', '/12/accounts');
  const account = `/12/accounts/${accounts.body.data[0].id}`;
  const made = await client.call('POST', `${account}/custom_audiences`, { params: { name: 'Readers' } });
  const audience = `${account}/custom_audiences/${made.body.data.id}`;
  const gets = pacedGets(file.base_url, account, file, GET_EVERY_MS);
  const plan = { origin: file.base_url, path: `${audience}/users`, keys: file, bytes: BYTES, connections: CLIENTS };
  const result = await uploadLoad({ ...plan, seconds: SECONDS, perSecond: DOCUMENTED });
  const latencies = await gets.stop();
  const at = (part: number): string => `${(latencies[Math.floor(latencies.length * part)] ?? 0).toFixed(1)} ms`;
  process.stdout.write(`${title}: ${SECONDS} s of uploads of 5,000,000 bytes by ${CLIENTS} clients, 25 a second\n`);
  printRatio('acknowledged a second', result.perSecond, '25');
  process.stdout.write(`  ${result.acknowledged} uploads, ${thousands(result.identifiers)} identifiers`);
  process.stdout.write(`; p50 ${Math.round(result.p50_ms)} ms, p99 ${Math.round(result.p99_ms)} ms\n`);
  process.stdout.write(`  a signed GET beside them: p50 ${at(0.5)}, p99 ${at(0.99)}  (target p99 20 ms)\n`);
  const lag_s = await untilProcessed(() => client.call('GET', audience));
  process.stdout.write(`  everything merged ${lag_s.toFixed(1)} s after the last upload  (target 60)\n`);
  process.stdout.write(`  memory at most: ${Math.round(target.memoryPeak() / 1e6)} MB  (target 400)\n`);
  await new Promise((resolve) => setTimeout(resolve, IDLE_S * 1000));
  process.stdout.write(`  memory after ${IDLE_S} s without work: ${Math.round(target.memory() / 1e6)} MB\n`);
  const fastest = await uploadLoad({ ...plan, seconds: FASTEST_S });
  printRatio(`as fast as they are answered, for ${FASTEST_S} s`, fastest.perSecond, 'reported');
  process.stdout.write(`  processor time: ${target.cpu_s().toFixed(0)} s\n`);
  await target.close();
  return result;
}

/** How long an audience is still being processed, in seconds. */
async function untilProcessed(
  get: () => Promise<{ body: { data: { reasons_not_targetable: string[] } } }>,
): Promise<number> {
  const startedAt = performance.now();
  while ((await get()).body.data.reasons_not_targetable.includes('PROCESSING')) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return (performance.now() - startedAt) / 1000;
}

/** Copies identifiers from a file into a table with an index; the answer is how many a second. */
async function copyRate(databaseUrl: string, count: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-copy-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'identifiers');
  for (let done = 0; done < count; done += 10_000) {
    const lines = Array.from(
      { length: Math.min(10_000, count - done) },
      () => `\\\\x${randomBytes(16).toString('hex')}`,
    );
    appendFileSync(file, `${lines.join('\n')}\n`);
  }
  chmodSync(file, 0o644);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create table copied (identifier bytea not null)');
  await client.query('create index copied_identifier on copied (identifier)');
  const startedAt = performance.now();
  await client.query(`copy copied from '${file}'`);
  const elapsed_s = (performance.now() - startedAt) / 1000;
  await client.end();
  rmSync(folder, { recursive: true });
  return count / elapsed_s;
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}
