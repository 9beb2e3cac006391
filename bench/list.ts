import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const ROWS = 200;
const SECONDS = 2;

/** A signed list of 200 campaigns against the same rows read and written as JSON in this process. */
export async function run(): Promise<void> {
  const barker = await startBarker();
  const { account, path } = await accountWithCampaigns(barker, ROWS);
  const plan = {
    origin: barker.file.sandbox_url,
    keys: barker.file,
    method: 'GET',
    paths: [`${path}/campaigns?count=${ROWS}`],
    requests: 10_000,
    connections: 32,
    seconds: SECONDS,
  };
  const read = inProcess(join(barker.folder, 'barker.db'), account);
  const results = await interleaved(5, {
    barker: async () => (await load(plan)).perSecond,
    'node:sqlite, JSON.stringify': async () => perSecond(read),
  });
  printRates(`signed list of ${ROWS} campaigns`, results);
  printRatio('barker / in process', ratio(results.barker, results['node:sqlite, JSON.stringify']), 'at least 0.4');
  await barker.close();
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
