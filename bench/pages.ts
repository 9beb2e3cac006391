import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Client } from '../test/rig/client.ts';
import { load } from './rig/load.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const CAMPAIGNS = 1_000_000;
const COUNT = 200;
const FAR = 5000;

/** The first page of an account of a million campaigns against page 5,000. */
export async function run(): Promise<void> {
  const barker = await startBarker();
  const { account, path, campaign } = await accountWithCampaigns(barker, 40);
  multiply(join(barker.folder, 'barker.db'), account, campaign, CAMPAIGNS - 40);
  const near = `${path}/campaigns?count=${COUNT}`;
  const far = await pageAt(sandboxClient(barker), near, FAR);
  const time = (page: string) => async () => {
    const plan = { origin: barker.file.sandbox_url, keys: barker.file, method: 'GET', requests: 5000, seconds: 2 };
    return (await load({ ...plan, paths: [page], connections: 1 })).p50_ms;
  };
  const results = await interleaved(7, { 'page 1': time(near), [`page ${FAR}`]: time(far) });
  printRates(`pages of ${COUNT} of ${CAMPAIGNS.toLocaleString('en')} campaigns, one client`, results, ' ms');
  printRatio(`page ${FAR} / page 1`, ratio(results[`page ${FAR}`]!, results['page 1']!), 'within 1.3');
  await barker.close();
}

/** Copies a campaign, straight into the tables. Each has its own second. */
function multiply(file: string, account: string, campaign: string, count: number): void {
  const database = new DatabaseSync(file, { timeout: 60_000 });
  const columns = database
    .prepare('select name from pragma_table_info(?)')
    .all('campaigns')
    .map(({ name }) => String(name));
  const changed: Record<string, string> = {
    id: "printf('z%07d', number)",
    created_at: "strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + number, 'unixepoch')",
  };
  database
    .prepare(`with recursive numbers(number) as (select 1 union all select number + 1 from numbers where number < ?)
      insert into campaigns (${columns.join(', ')})
      select ${columns.map((name) => changed[name] ?? name).join(', ')}
      from numbers, campaigns where account_id = ? and id = ?`)
    .run(count, account, campaign);
  database.close();
}

/** The address of a page, found as a client finds it: from page to page. */
async function pageAt(client: Client, first: string, number: number): Promise<string> {
  let path = first;
  for (let page = 1; page < number; page++) {
    const { body } = await client.call('GET', path);
    if (!body.next_cursor) throw new Error(`page ${page} is the last`);
    path = `${first}&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  return path;
}
