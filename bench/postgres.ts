import { openPlace, type Place } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { creator } from './create.ts';
import { run as runGet } from './get.ts';
import { run as runList } from './list.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';

/** The signed GET, the signed list and the durable creates on PostgreSQL, a server of its own on this machine. */
export async function run(): Promise<void> {
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  const places = await Promise.all(Array.from({ length: 4 }, () => openPlace('postgres')));
  const [one, second, other, third] = places as [Place, Place, Place, Place];
  await runGet(one);
  await runList(second);
  const durable = await creator(other);
  const volatile = await creator({
    ...third,
    databaseUrl: `${third.databaseUrl}?options=${encodeURIComponent('-c synchronous_commit=off')}`,
  });
  const results = await interleaved(5, { durable: durable.create, 'synchronous_commit=off': volatile.create });
  printRates('creates by 32 clients (PostgreSQL)', results);
  printRatio('durable / synchronous_commit=off', ratio(results.durable, results['synchronous_commit=off']), 'reported');
  for (const { target } of [volatile, durable]) await target.close();
  for (const place of places) await place.remove();
  await server.stop();
}
