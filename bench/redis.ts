import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { startRedis } from '../test/rig/redis.ts';
import { load } from './rig/load.ts';
import { interleaved, median, printRates } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

/** A signed GET of one campaign on PostgreSQL with and without Redis, both servers of their own on this machine. */
export async function run(): Promise<void> {
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  const redis = await startRedis();
  const places = [await openPlace('postgres'), await openPlace('postgres')] as const;
  const targets = {
    'without Redis': await startBarker(places[0]),
    'with Redis': await startBarker({ ...places[1], redisUrl: redis.url }),
  };
  const cpu_us: Record<string, number[]> = {};
  const getting = async (name: string, target: Target) => {
    const { path, campaign } = await accountWithCampaigns(target, 1);
    const paths = [`${path}/campaigns/${campaign}`];
    const plan = { method: 'GET', paths, requests: 80_000, connections: 32, seconds: 2, keys: target.file };
    cpu_us[name] = [];
    return async () => {
      const before_s = target.cpu_s();
      const { perSecond, completed } = await load({ ...plan, origin: target.file.sandbox_url });
      cpu_us[name]!.push(((target.cpu_s() - before_s) * 1e6) / completed);
      return perSecond;
    };
  };
  const sides: Record<string, () => Promise<number>> = {};
  for (const [name, target] of Object.entries(targets)) sides[name] = await getting(name, target);
  printRates('signed GET of one campaign (PostgreSQL)', await interleaved(5, sides));
  printRates('processor time of the server, a request', cpu_us, ' us');
  const difference_us = median(cpu_us['with Redis']!) - median(cpu_us['without Redis']!);
  process.stdout.write(`  Redis costs a signed read ${difference_us.toFixed(1)} us\n`);
  for (const target of Object.values(targets)) await target.close();
  for (const place of places) await place.remove();
  await redis.stop();
  await server.stop();
}
