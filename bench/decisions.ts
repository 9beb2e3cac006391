import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { systemClock } from '../src/base/clock.ts';
import type { AnyResource, Row } from '../src/contract/declare/resource.ts';
import { lineItems } from '../src/features/ads/line-items.ts';
import { promotedPosts } from '../src/features/ads/promoted-posts.ts';
import { criteriaRows } from '../src/features/ads/targeting-criteria/criteria-rows.ts';
import { storeOn } from '../src/storage/core/store.ts';
import { flagsOf, MASTER_KEY } from '../test/commands/program.ts';
import { clientOf } from '../test/rig/client.ts';
import { onPlace, openPlace } from '../test/rig/databases.ts';
import { startBarker } from '../test/rig/process.ts';
import { bookAd } from '../test/rig/served-ads.ts';

const LINES = 10_000;
const WARM_UP_S = 5;
const SECONDS = 10;
/** Requests under way at a time. */
const AT_A_TIME = 4;
const FLAGS = ['--delivery-sandbox', 'served', '--rate-limits', 'off', '--access-log', 'off'];

/** Decisions a second over HTTP with 10,000 line items, how long they take, and that the ledger has every impression. */
export async function run(): Promise<void> {
  const place = await openPlace('sqlite');
  const account = await fill(place);
  const credential = makePublisher(flagsOf(place));
  const barker = await startBarker(place, { flags: FLAGS });
  const agent = new Agent({ connections: AT_A_TIME });
  const origin = barker.file.sandbox_url!;
  let views = 0;
  const ask = async (seen: boolean): Promise<void> => {
    const reply = await request(`${origin}/delivery/decisions`, {
      ...{ dispatcher: agent, method: 'POST' },
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: '{"placements":[{"id":"top","type":"SERVICE_TIMELINE"}],"context":{"age":30,"language":"nl"}}',
    });
    const body = (await reply.body.json()) as { data: { placements: [{ decisions: { impression_url: string }[] }] } };
    const [decision] = body.data.placements[0].decisions;
    if (!decision) throw new Error('nothing was decided');
    if (!seen) return;
    await (await request(decision.impression_url, { dispatcher: agent })).body.dump();
    views += 1;
  };
  await load(WARM_UP_S, () => ask(false));
  const cpuBefore_s = cpuOf(barker.pid);
  const times = await load(SECONDS, () => ask(false));
  const cpu_s = cpuOf(barker.pid) - cpuBefore_s;
  times.sort((one, other) => one - other);
  const at = (part: number): string => times[Math.floor(times.length * part)]!.toFixed(2);
  const perCore = times.length / cpu_s;
  process.stdout.write(
    `${LINES} line items: ${Math.round(times.length / SECONDS)} decisions/s, ${Math.round(perCore)} per second of processor time (aim: 1000)\n` +
      `latency with ${AT_A_TIME} at a time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (aim: below 10)\n`,
  );
  await load(3, () => ask(true));
  await barker.stop();
  const stored = await onPlace(place, async (driver) => {
    const totals = await storeOn(driver).read((tx) => tx.deliveryLedger.listTotals(account));
    return totals.reduce((sum, { impressions }) => sum + impressions, 0);
  });
  process.stdout.write(`impressions: ${views} reported, ${stored} in the ledger\n`);
  await agent.close();
  await place.remove();
}

/** One account whose line items all mean people of 25 to 49, at bids of their own. */
async function fill(place: Awaited<ReturnType<typeof openPlace>>): Promise<string> {
  const barker = await startBarker(place, { flags: FLAGS });
  const { file } = barker;
  const sandbox = clientOf(file.sandbox_url!, file, systemClock);
  const flight = { start_time: '2020-01-01', end_time: '2100-01-01' };
  const criteria = [{ targeting_type: 'AGE', targeting_value: 'AGE_25_TO_49' }];
  const campaign = { daily_budget_amount_local_micro: 900_000_000_000 };
  const world = { sandbox, keys: file } as unknown as Parameters<typeof bookAd>[0];
  const { account, line, creative } = await bookAd(world, { line: flight, criteria, campaign });
  await barker.stop();
  await onPlace(place, (driver) =>
    storeOn(driver).write(async (tx) => {
      const all = async (resource: AnyResource, ids: readonly string[], column?: string): Promise<Row> => {
        const rows = await tx.records.getMany(resource, account, ids, { deleted: 'hidden', ...(column && { column }) });
        return rows[0] as unknown as Row;
      };
      const [own, shown, meant] = [
        await all(lineItems as unknown as AnyResource, [line]),
        await all(promotedPosts as unknown as AnyResource, [creative]),
        await all(criteriaRows as unknown as AnyResource, [line], 'line_item_id'),
      ];
      for (let number = 1; number < LINES; number++) {
        const id = `b${number}`;
        const bid_amount_local_micro = 500_000 + number * 10;
        await tx.records.insert(lineItems, { ...own, id, bid_amount_local_micro } as never);
        await tx.records.insert(promotedPosts, {
          ...shown,
          id: `c${number}`,
          line_item_id: id,
          one_key: null,
        } as never);
        await tx.records.insert(criteriaRows, { ...meant, id: `t${number}`, line_item_id: id, one_key: null } as never);
      }
    }),
  );
  return account;
}

function makePublisher(flags: readonly string[]): string {
  const args = ['bin/barker.js', 'publisher', 'create', 'News', '--environment', 'sandbox', ...flags];
  const env = { ...process.env, BARKER_MASTER_KEY: MASTER_KEY };
  return /pub_\w+/.exec(execFileSync(process.execPath, args, { encoding: 'utf8', env }))![0];
}

/** Does something again and again for some seconds; returns how long each took in milliseconds. */
async function load(seconds: number, work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, one));
  return times;
}

/** Processor seconds of a process so far. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
