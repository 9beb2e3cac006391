import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Place } from '../test/rig/databases.ts';
import { load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const ROWS = 200;
const SECONDS = 2;

/**
 * A signed list of 200 campaigns, on SQLite or on the database of a place, against the same rows read from SQLite and
 * written as JSON in this process.
 */
export async function run(place?: Place): Promise<void> {
  const rows = await startBarker();
  const { account, path } = await accountWithCampaigns(rows, ROWS);
  const barker = place ? await startBarker(place) : rows;
  const list = place ? (await accountWithCampaigns(barker, ROWS)).path : path;
  const plan = {
    origin: barker.file.sandbox_url,
    keys: barker.file,
    method: 'GET',
    paths: [`${list}/campaigns?count=${ROWS}`],
    requests: 10_000,
    connections: 32,
    seconds: SECONDS,
  };
  const read = inProcess(join(rows.folder, 'barker.db'), account);
  const results = await interleaved(5, {
    barker: async () => (await load(plan)).perSecond,
    'node:sqlite, JSON.stringify': async () => perSecond(read),
  });
  printRates(`signed list of ${ROWS} campaigns (${place ? 'PostgreSQL' : 'SQLite'})`, results);
  printRatio(
    'barker / in process',
    ratio(results.barker, results['node:sqlite, JSON.stringify']),
    place ? 'at least 0.3' : 'at least 0.4',
  );
  if (place) await barker.close();
  await rows.close();
}

/** The page as the server reads it: the same columns, the same order. */
function inProcess(file: string, account: string): () => string {
  const database = new DatabaseSync(file, { readOnly: true });
  const statement = database.prepare(`select id, account_id, name, funding_instrument_id, budget_optimization,
      daily_budget_amount_local_micro, total_budget_amount_local_micro, entity_status, standard_delivery,
      purchase_order_number, created_at, updated_at, deleted
    from campaigns where account_id = ? and deleted = 0 order by created_at desc, id desc limit ${ROWS}`);
  return () => {
    const rows = statement.all(account);
    if (rows.length !== ROWS) throw new Error(`${rows.length} rows`);
    return JSON.stringify(rows);
  };
}

function perSecond(work: () => string): number {
  const startedAt = performance.now();
  let done = 0;
  let length = 0;
  while (performance.now() - startedAt < SECONDS * 1000) {
    length += work().length;
    done += 1;
  }
  if (length === 0) throw new Error('nothing was read');
  return (done * 1000) / (performance.now() - startedAt);
}
