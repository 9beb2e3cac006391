import type { Client } from '../test/rig/client.ts';
import { manyCampaigns } from './rig/many-campaigns.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient, timedCall } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const CAMPAIGNS = 1_000_000;
const COUNT = 200;
const FAR = 5000;

/** The first page of an account of a million campaigns against page 5,000. */
export async function run(): Promise<void> {
  const barker = await startBarker();
  const { account, path, campaign } = await accountWithCampaigns(barker, 40);
  await manyCampaigns(barker, { account, path, campaign, from: 0, to: CAMPAIGNS - 40 });
  const near = `${path}/campaigns?count=${COUNT}`;
  const far = await pageAt(sandboxClient(barker), near, FAR);
  const time = (page: string) => () => timedCall(barker, page);
  const results = await interleaved(7, { 'page 1': time(near), [`page ${FAR}`]: time(far) });
  printRates(`pages of ${COUNT} of ${CAMPAIGNS.toLocaleString('en')} campaigns, one client`, results, ' ms');
  printRatio(`page ${FAR} / page 1`, ratio(results[`page ${FAR}`]!, results['page 1']!), 'within 1.3');
  await barker.close();
}

/** The address of a page, found as a client finds it: from page to page. */
async function pageAt(client: Client, first: string, number: number): Promise<string> {
  let path = first;
  for (let page = 1; page < number; page++) {
    const { status, body, text } = await client.call('GET', path);
    if (status !== 200) throw new Error(`page ${page}: ${status} ${text}`);
    if (!body.next_cursor) throw new Error(`page ${page} is the last`);
    path = `${first}&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  return path;
}
