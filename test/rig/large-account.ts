import assert from 'node:assert/strict';
import { addDays, localDay } from '../../src/base/zones.ts';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import type { DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import { packHours } from '../../src/contract/delivery/packed-hours.ts';
import type { DeliveryDay } from '../../src/contract/store/delivery-ledger.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { searchColumns } from '../../src/rows/search-columns.ts';
import type { Client } from './client.ts';
import type { World } from './world.ts';

/** An account that has delivered for a while. */
export interface LargeAccount {
  readonly account: string;
  readonly days: readonly string[];
  readonly ledger: readonly DeliveryDay[];
  /** Campaign and currency of each line item. */
  readonly lines: ReadonlyMap<string, { readonly campaign: string; readonly currency: string }>;
}

const ZONE = 'America/Los_Angeles';
const CURRENCIES = ['USD', 'EUR', 'JPY'] as const;
const METRICS: readonly DeliveryMetric[] = [
  ...(['impressions', 'billed_engagements', 'billed_charge_local_micro', 'engagements', 'clicks'] as const),
  ...(['url_clicks', 'video_total_views'] as const),
];

/**
 * Fills an account with line items in three currencies, 50 a campaign, and what each delivered in 14 days in one or two
 * places. Every tenth campaign and every seventh line item is deleted, others are paused or drafts. Rows and ledger are
 * written to the database.
 */
export async function fillLargeAccount(world: World, client: Client, count: number): Promise<LargeAccount> {
  const made = await client.call('POST', '/12/accounts');
  const account = made.body.data[0].id as string;
  const path = `/12/accounts/${account}`;
  const create = async (kind: string, params: Record<string, string | number>): Promise<string> => {
    const reply = await client.call('POST', `${path}/${kind}`, { params });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.id;
  };
  const ids: { readonly campaign: string; readonly line: string; readonly currency: string }[] = [];
  for (const currency of CURRENCIES) {
    const funding = { currency, start_time: '2026-01-01', type: 'CREDIT_CARD' };
    const funding_instrument_id = await create('funding_instruments', funding);
    const budget = { daily_budget_amount_local_micro: 1_000_000_000_000 };
    const campaign = await create('campaigns', { funding_instrument_id, name: `In ${currency}`, ...budget });
    const line = await create('line_items', {
      ...{ campaign_id: campaign, name: 'Readers', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' },
      ...{ objective: 'ENGAGEMENTS', bid_strategy: 'AUTO', start_time: '2026-02-01', end_time: '2026-04-01' },
    });
    ids.push({ campaign, line, currency });
  }
  const { store } = world.service;
  const samples = await store.read(async (tx) => ({
    campaigns: await tx.records.getMany(
      campaigns,
      account,
      ids.map(({ campaign }) => campaign),
      { deleted: 'shown' },
    ),
    lines: await tx.records.getMany(
      lineItems,
      account,
      ids.map(({ line }) => line),
      { deleted: 'shown' },
    ),
  }));
  const sampleOf = (rows: readonly object[], id: string): Row => rows.find((row) => (row as Row).id === id) as Row;
  const STATES = ['ACTIVE', 'PAUSED', 'DRAFT'];
  const lines = new Map<string, { campaign: string; currency: string }>();
  const newCampaigns: Row[] = [];
  const newLines: Row[] = [];
  const ledger: DeliveryDay[] = [];
  const days = Array.from({ length: 14 }, (_, at) => addDays('2026-02-17', at));
  const { hours } = localDay(days[0]!, ZONE);
  for (let number = 0; number < count; number++) {
    const group = Math.floor(number / 50);
    const { campaign: sampleCampaign, line: sampleLine, currency } = ids[group % ids.length]!;
    const campaign = `zc${group.toString(36)}`;
    if (number % 50 === 0) {
      const name = `Campaign ${group}`;
      const deleted = group % 10 === 9 ? 1 : 0;
      newCampaigns.push({ ...sampleOf(samples.campaigns, sampleCampaign), id: campaign, name, deleted } as Row);
    }
    const id = `zl${number.toString(36)}`;
    const entity_status = STATES[number % 20 === 1 ? 1 : number % 20 === 2 ? 2 : 0]!;
    const own = { id, campaign_id: campaign, name: `Line item ${number}`, entity_status };
    newLines.push({ ...sampleOf(samples.lines, sampleLine), ...own, deleted: number % 7 === 6 ? 1 : 0 } as Row);
    lines.set(id, { campaign, currency });
    for (const [at, day] of days.entries()) {
      // Not every one delivers every day, and some deliver nothing at all.
      if (number % 11 === 10 || (number + at) % 9 === 8) continue;
      for (const placement of number % 25 === 0 ? ['ALL_ON_SERVICE', 'PUBLISHER_NETWORK'] : ['ALL_ON_SERVICE']) {
        ledger.push(dayOf({ account, id, day, placement, hours, salt: number * 31 + at }));
      }
    }
  }
  await store.write(async (tx) => {
    const insert = (kind: AnyResource, rows: readonly Row[]) =>
      tx.records.insertAll(
        kind,
        rows.map((row) => ({ ...row, ...searchColumns(kind, row) })),
      );
    await insert(campaigns as unknown as AnyResource, newCampaigns);
    await insert(lineItems as unknown as AnyResource, newLines);
  });
  for (let from = 0; from < ledger.length; from += 10_000) {
    await store.write((tx) => tx.deliveryLedger.saveDays(ledger.slice(from, from + 10_000)));
  }
  return { account, days, ledger, lines };
}

function dayOf(of: {
  readonly account: string;
  readonly id: string;
  readonly day: string;
  readonly placement: string;
  readonly hours: number;
  readonly salt: number;
}): DeliveryDay {
  const { account: account_id, id: line_item_id, day, placement, hours, salt } = of;
  const numbers = METRICS.map((metric, place) => {
    const scale = metric === 'billed_charge_local_micro' ? 7919 : Math.ceil(400 / (place * place + 1));
    return [metric, Array.from({ length: hours }, (_, hour) => ((salt + hour * 7 + place) % 13) * scale)] as const;
  });
  const sum = (name: DeliveryMetric): number =>
    numbers.find(([metric]) => metric === name)![1].reduce((all, each) => all + each, 0);
  return {
    ...{ account_id, line_item_id, day, placement, creative_id: `${line_item_id}a` },
    hours: packHours(hours, new Map(numbers)),
    ...{ impressions: sum('impressions'), billed: sum('billed_engagements') },
    spend_local_micro: sum('billed_charge_local_micro'),
    ...{ settled_until: `${day}T23:59:59Z`, changed_at: `${day}T23:59:59Z` },
  };
}
