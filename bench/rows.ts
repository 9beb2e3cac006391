import { Redis } from 'ioredis';
import pg from 'pg';
import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { startRedis } from '../test/rig/redis.ts';
import { load } from './rig/load.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const CREATES = 4000;
const READS = 20_000;

/** Bytes that a campaign, a request that changes something, and a request that reads take in PostgreSQL and in Redis. */
export async function run(): Promise<void> {
  const [server, redis] = await Promise.all([startPostgres(), startRedis()]);
  process.env.TEST_POSTGRES_URL = server.url;
  const place = await openPlace('postgres');
  const target = await startBarker({ databaseUrl: place.databaseUrl, redisUrl: redis.url });
  const { path, campaign, instrument } = await accountWithCampaigns(target, 1);
  const plan = { connections: 16, seconds: 30, keys: target.file, origin: target.file.sandbox_url };
  const form = [
    ['name', 'Campaign #'],
    ['funding_instrument_id', instrument],
    ['entity_status', 'PAUSED'],
    ['daily_budget_amount_local_micro', '140000000'],
  ] as const;
  await load({ ...plan, method: 'POST', paths: [`${path}/campaigns`], form, requests: CREATES });
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  for (const table of ['campaigns', 'account_changes', 'used_nonces']) {
    const { rows } = await client.query(`select count(*), pg_total_relation_size('${table}') as bytes from ${table}`);
    const [count, bytes] = [Number(rows[0].count), Number(rows[0].bytes)];
    print(`${table}, with its indexes`, `${count} rows, ${Math.round(bytes / count)} bytes each`);
  }
  const shared = new Redis(redis.url);
  const memory = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await shared.info('memory'))![1]);
  const before = await memory();
  const paths = [`${path}/campaigns/${campaign}`];
  const { completed } = await load({ ...plan, method: 'GET', paths, requests: READS });
  print('Redis, a read', `${Math.round(((await memory()) - before) / completed)} bytes of ${completed} reads`);
  shared.disconnect();
  await client.end();
  await target.close();
  await place.remove();
  await Promise.all([server.stop(), redis.stop()]);
}

function print(what: string, figure: string): void {
  process.stdout.write(`${what.padEnd(36)}${figure}\n`);
}
