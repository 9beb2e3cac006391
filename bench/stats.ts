import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { addDays, localDay } from '../src/base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../src/contract/delivery/metrics.ts';
import { packHours } from '../src/contract/delivery/packed-hours.ts';
import type { DeliveryDay } from '../src/contract/store/delivery-ledger.ts';
import { openSqlite } from '../src/storage/core/sqlite.ts';
import { storeOn } from '../src/storage/core/store.ts';
import type { Client } from '../test/rig/client.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

const LINES = 20;
const CREATIVES = 3;
const DAYS = 90;
const FIRST = '2026-03-01';
const ZONE = 'America/Los_Angeles';
const CALLS = 200;
const P95_MAX_MS = 100;
const JOB_MAX_S = 2;
/** What line items of most campaigns have. */
const METRICS: readonly DeliveryMetric[] = DELIVERY_METRICS.slice(0, 27);
const GROUPS = 'ENGAGEMENT,BILLING,VIDEO';

/**
 * Statistics of 20 line items with three creatives each and something in every hour of 90 days: one signed call of seven
 * days by hour after the other, and jobs of 90 days, and of 45 days by segment.
 */
export async function run(): Promise<void> {
  const target = await startBarker();
  const client = sandboxClient(target);
  const { account, campaign, path } = await accountWithCampaigns(target, 1);
  const lines: string[] = [];
  for (let at = 0; at < LINES; at++) lines.push(await newLine(client, path, campaign));
  await fill(join(target.folder, 'barker.db'), account, lines);
  const asked = {
    entity: 'LINE_ITEM',
    entity_ids: lines.join(','),
    placement: 'ALL_ON_SERVICE',
    metric_groups: GROUPS,
  };
  const week = { ...asked, granularity: 'HOUR', start_time: FIRST, end_time: addDays(FIRST, 7) };
  const times: number[] = [];
  let bytes = 0;
  for (let call = 0; call < CALLS; call++) {
    const began = performance.now();
    const reply = await client.call('GET', `/12/stats/accounts/${account}`, { params: week });
    times.push(performance.now() - began);
    bytes = reply.text.length;
  }
  times.sort((one, other) => one - other);
  const p95 = times[Math.floor(CALLS * 0.95)]!.toFixed(1);
  say(`${LINES} line items, 7 days by hour, ${bytes.toLocaleString('en')} bytes:`);
  say(
    `  p50 ${times[CALLS / 2]!.toFixed(1)} ms, p95 ${p95} ms (target ${P95_MAX_MS} ms), worst ${times.at(-1)!.toFixed(1)} ms`,
  );
  const of = { ...asked, granularity: 'HOUR', start_time: FIRST };
  await job(client, account, '90 days by hour', { ...of, end_time: addDays(FIRST, DAYS) });
  for (const segmentation_type of ['GENDER', 'AGE', 'LANGUAGES']) {
    const params = { ...of, end_time: addDays(FIRST, 45), segmentation_type };
    await job(client, account, `45 days by hour and ${segmentation_type}`, params);
  }
  await target.close();
}

async function newLine(client: Client, path: string, campaign_id: string): Promise<string> {
  const params = {
    ...{ campaign_id, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' },
    ...{ bid_amount_local_micro: 1_000_000, bid_strategy: 'MAX', entity_status: 'PAUSED' },
  };
  const made = await client.call('POST', `${path}/line_items`, { params });
  return made.body.data.id;
}

/** Writes days and audiences beside the running server. */
async function fill(file: string, account_id: string, lines: readonly string[]): Promise<void> {
  const store = storeOn(openSqlite({ file }));
  for (const [at, line_item_id] of lines.entries()) {
    const rows: DeliveryDay[] = [];
    for (let day = FIRST, each = 0; each < DAYS; each++, day = addDays(day, 1)) {
      const { hours } = localDay(day, ZONE);
      for (let creative = 0; creative < CREATIVES; creative++) {
        const one = (metric: number, hour: number) =>
          Math.floor((400 + ((hour * 37 + each + at) % 200)) / (metric + 1)) + 1;
        const numbers = METRICS.map(
          (metric, index) => [metric, Array.from({ length: hours }, (_, hour) => one(index, hour))] as const,
        );
        rows.push({
          ...{ account_id, line_item_id, creative_id: `${line_item_id}c${creative}`, placement: 'ALL_ON_SERVICE', day },
          ...{ hours: packHours(hours, new Map(numbers)), impressions: 0, billed: 0, spend_local_micro: 0 },
          ...{ settled_until: `${day}T00:00:00Z`, changed_at: `${day}T00:00:00Z` },
        });
      }
    }
    const ages = {
      AGE_18_TO_24: 210_000,
      AGE_25_TO_34: 330_000,
      AGE_35_TO_49: 250_000,
      AGE_OVER_50: 150_000,
      UNKNOWN: 60_001,
    };
    const languages = Object.fromEntries(Array.from({ length: 40 }, (_, each) => [`l${each}`, 25_000 + each]));
    const shares = { GENDER: { '1': 480_000, '2': 430_000, UNKNOWN: 90_001 }, AGE: ages, LANGUAGES: languages };
    await store.write(async (tx) => {
      await tx.deliveryLedger.saveDays(rows);
      const of = { account_id, subject: line_item_id, applies_from: '2026-01-01T00:00:00Z', people: 1_000_001 };
      await tx.deliveryLedger.saveAudiences([{ ...of, shares, question_hash: 'asked', directory_mark: 'mark' }]);
    });
  }
  await store.close();
}

/** Creates a job and asks for it until it has ended. */
async function job(client: Client, account: string, what: string, params: Record<string, string>): Promise<void> {
  const path = `/12/stats/jobs/accounts/${account}`;
  const began = performance.now();
  const made = await client.call('POST', path, { params });
  for (;;) {
    const { body } = await client.call('GET', path, { params: { job_ids: made.body.data.id_str } });
    const [{ status, url }] = body.data;
    if (status === 'PROCESSING') {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const took_s = (performance.now() - began) / 1000;
    const packed = Buffer.from(await (await fetch(url)).arrayBuffer());
    const size = `${packed.length.toLocaleString('en')} bytes, ${gunzipSync(packed).length.toLocaleString('en')} unpacked`;
    say(
      `a job of ${LINES} line items, ${what}: ${took_s.toFixed(2)} s with its delay (target ${JOB_MAX_S} s), ${size}`,
    );
    return;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
