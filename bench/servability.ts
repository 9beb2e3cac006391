import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyResource, Row } from '../src/contract/declare/resource.ts';
import { campaigns } from '../src/features/ads/campaigns.ts';
import { lineItems } from '../src/features/ads/line-items.ts';
import { promotedAccounts } from '../src/features/ads/promoted-accounts.ts';
import { serializerOf } from '../src/rows/serializer.ts';
import { openSqlite } from '../src/storage/core/sqlite.ts';
import { storeOn } from '../src/storage/core/store.ts';
import type { Store } from '../src/storage/unit-of-work.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const CAMPAIGNS = 1000;
/** Line items of each campaign, each with something to show. */
const EACH = 2;
const SECONDS = 2;
const NOW = '2026-03-02T17:04:55Z';

/** A page of 1,000 campaigns with their servability against the same page without it, read and written as text. */
export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const account = await filled(folder);
  const store = storeOn(openSqlite({ file: join(folder, 'barker.db') }));
  await multiply(store, account);
  const plain = { ...campaigns, computed: undefined, kept: undefined } as unknown as AnyResource;
  const results = await interleaved(7, {
    'with servability': () => perSecond(() => page(store, account, campaigns as unknown as AnyResource)),
    without: () => perSecond(() => page(store, account, plain)),
  });
  printRates(`page of ${CAMPAIGNS} campaigns, ${EACH} line items each`, results);
  printRatio('cost with / without', ratio(results.without, results['with servability']), 'at most 1.5');
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}

/** An account with campaigns; one of them has a line item that promotes an account. */
async function filled(folder: string): Promise<string> {
  const barker = await startBarker({ folder });
  const { account, path, campaign } = await accountWithCampaigns(barker, CAMPAIGNS);
  const client = sandboxClient(barker);
  const line = await client.call('POST', `${path}/line_items`, {
    params: {
      campaign_id: campaign,
      objective: 'FOLLOWERS',
      product_type: 'PROMOTED_ACCOUNT',
      placements: 'ALL_ON_SERVICE',
    },
  });
  const params = { line_item_id: line.body.data.id, user_id: barker.file.user_id };
  const promoted = await client.call('POST', `${path}/promoted_accounts`, { params });
  if (promoted.status !== 200) throw new Error(promoted.text);
  await barker.close();
  return account;
}

const everything = (account: string, limit: number) => ({
  account,
  member: undefined,
  deleted: 'hidden' as const,
  within: {},
  without: undefined,
  prefix: undefined,
  sort: [
    { column: 'created_at', direction: 'desc' as const, nullable: false },
    { column: 'id', direction: 'desc' as const, nullable: false },
  ],
  after: undefined,
  limit,
});

/** Gives every campaign line items like the one that there is. */
function multiply(store: Store, account: string): Promise<void> {
  return store.write(async (tx) => {
    const all = await tx.records.page(campaigns, everything(account, CAMPAIGNS));
    const [line] = await tx.records.page(lineItems, everything(account, 1));
    const [promoted] = await tx.records.page(promotedAccounts, everything(account, 1));
    for (const [index, { id }] of all.entries()) {
      for (let number = 0; number < EACH; number++) {
        const start_time = new Date(Date.UTC(2026, 0, 1 + (index % 28), number)).toISOString().replace('.000', '');
        const own = { ...line!, id: `o${index}l${number}`, campaign_id: id, start_time } as Row;
        await tx.records.insert(lineItems, own);
        const shown = { ...promoted!, id: `p${index}l${number}`, line_item_id: own.id, one_key: null } as Row;
        await tx.records.insert(promotedAccounts, shown);
      }
    }
  });
}

function page(store: Store, account: string, resource: AnyResource): Promise<string> {
  return store.read(async (tx) => {
    const rows = await tx.records.page(resource, everything(account, CAMPAIGNS));
    return (
      await serializerOf(resource).rows(rows, {
        media: { url: (_, path) => path, isLenient: () => false },
        pageUrl: (path) => path,
        tx,
        account: undefined as never,
        now: NOW,
      })
    ).join(',');
  });
}

async function perSecond(work: () => Promise<string>): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  while (performance.now() - startedAt < SECONDS * 1000) {
    const text = await work();
    if (text.length < CAMPAIGNS) throw new Error('nothing was read');
    done += 1;
  }
  return (done * 1000) / (performance.now() - startedAt);
}
