import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { Agent, request } from 'undici';
import { systemClock } from '../src/base/clock.ts';
import { pause } from '../src/base/timers.ts';
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
import { atRate } from './rig/rate-client.ts';
import { cpuSeconds, startBarker as startTarget } from './rig/target.ts';

/** With `PROFILE=1` the processor profile of the server is in its folder, which is kept. */
const PROFILES = process.env.PROFILE === '1';
const LINES = 10_000;
const WARM_UP_S = 5;
const SECONDS = 10;
/** Requests under way at a time. */
const AT_A_TIME = 4;
const CONNECTIONS = 32;
const AIM_PER_S = 1000;
const FLAGS = ['--delivery-sandbox', 'served', '--rate-limits', 'off', '--access-log', 'off'];
const COUNTRIES = ['NL', 'DE', 'FR', 'GB', 'US', 'JP', 'CA', 'ES', 'IT', 'SE'];
/** The country of the line item whose budget is used up. */
const APART = 'NO';
const BUDGET = 20_000_000;
const AGES = ['AGE_25_TO_49', 'AGE_18_TO_34', 'AGE_OVER_50'];
/** Nothing that was answered this long before a server is killed may be lost. */
const STORED_EVERY_S = 1;

/**
 * Decisions a second over HTTP with 10,000 line items of many kinds while one of them changes every second, how long they
 * take, what is spent beyond a budget, and what the ledger has after the server was killed.
 */
export async function run(): Promise<void> {
  const place = await openPlace('sqlite');
  const booked = await fill(place);
  const credential = makePublisher(flagsOf(place));
  const server = await startTarget({ folder: place.folder, delivery: 'served', accessLog: 'off', profile: PROFILES });
  const { pid } = server;
  const sandboxUrl = server.file.sandbox_url;
  const agent = new Agent({ connections: CONNECTIONS });
  let number = 0;
  const ask = async (country?: string): Promise<string | undefined> => {
    number += 1;
    const reply = await request(`${sandboxUrl}/delivery/decisions`, {
      ...{ dispatcher: agent, method: 'POST' },
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: questionOf(number, country),
    });
    if (reply.statusCode !== 200) throw new Error(await reply.body.text());
    const body = (await reply.body.json()) as { data: { placements: [{ decisions: { impression_url: string }[] }] } };
    return body.data.placements[0].decisions[0]?.impression_url;
  };
  const view = async (url: string): Promise<void> => {
    await (await request(url, { dispatcher: agent })).body.dump();
  };
  const decided = async (): Promise<void> => {
    if ((await ask()) === undefined) throw new Error('nothing was decided');
  };
  // Decisions are refused until all line items are read.
  while (!(await isReady(server.file.base_url))) await pause(100);
  await load(WARM_UP_S, decided);
  const client = clientOf(sandboxUrl, booked.keys, systemClock);
  let changes = 0;
  const changing = setInterval(() => {
    const params = { bid_amount_local_micro: 600_000 + ++changes };
    void client.call('PUT', `${booked.path}/line_items/${booked.line}`, { params });
  }, 1000);
  const [cpuBefore_s, waitedBefore_s] = [cpuSeconds(pid), waitedSeconds(pid)];
  const times = await load(SECONDS, decided);
  const [cpu_s, waited_s] = [cpuSeconds(pid) - cpuBefore_s, waitedSeconds(pid) - waitedBefore_s];
  times.sort((one, other) => one - other);
  const at = (part: number): string => times[Math.floor(times.length * part)]!.toFixed(2);
  process.stdout.write(
    `${LINES} line items: ${Math.round(times.length / SECONDS)} decisions/s, ${Math.round(times.length / cpu_s)} per second of processor time (aim: 1000)\n` +
      `latency with ${AT_A_TIME} at a time: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms (aim: below 10)\n` +
      `the server waited ${waited_s.toFixed(1)} of ${SECONDS} s for a processor; load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  const due = await atRate({
    ...{ port: Number(new URL(sandboxUrl).port), connections: CONNECTIONS },
    requests: Array.from({ length: 600 }, (_, number) => wholeRequest(credential, questionOf(number))),
    ...{ perSecond: AIM_PER_S, seconds: SECONDS, expected: 'impression_url' },
  });
  due.sort();
  const dueAt = (part: number): string => due[Math.floor(due.length * part)]!.toFixed(2);
  process.stdout.write(
    `latency at ${AIM_PER_S} decisions/s, from when each was due: p50 ${dueAt(0.5)} ms, p90 ${dueAt(0.9)} ms, p99 ${dueAt(0.99)} ms (aim: below 10), p99.9 ${dueAt(0.999)} ms\n`,
  );
  clearInterval(changing);
  let shown = 0;
  for (let misses = 0; misses < 20; ) {
    const url = await ask(APART);
    if (url === undefined) {
      misses += 1;
      // Until the next lease.
      await pause(300);
    } else {
      misses = 0;
      await view(url);
      shown += 1;
    }
  }
  const answered: number[] = [];
  const killed = performance.now() + 3000;
  await load(3, async () => {
    await view((await ask())!);
    answered.push(performance.now());
  });
  await (PROFILES ? server.close() : server.kill());
  await agent.close();
  const [apart, others] = await onPlace(place, (driver) =>
    storeOn(driver).read((tx) =>
      Promise.all([booked.apart, booked.account].map((id) => tx.deliveryLedger.listTotals(id))),
    ),
  );
  const sum = (rows: typeof apart, what: 'impressions' | 'spend_local_micro') =>
    (rows ?? []).reduce((all, row) => all + row[what], 0);
  const spent = sum(apart, 'spend_local_micro');
  const each = spent / sum(apart, 'impressions');
  process.stdout.write(
    `a budget of ${BUDGET / 1e6}: ${spent / 1e6} charged, shown for ${((shown * each) / 1e6).toFixed(2)} (aim: at most a lease, ${BUDGET / 20 / 1e6}, more)\n`,
  );
  const certain = answered.filter((time) => time < killed - STORED_EVERY_S * 1000).length;
  const stored = sum(others, 'impressions');
  process.stdout.write(
    `killed: ${answered.length} impressions answered, ${certain} of them a second before, ${stored} in the ledger\n`,
  );
  if (spent > BUDGET || stored > answered.length) throw new Error('the ledger has too much');
  if (PROFILES) process.stdout.write(`the profile is in ${place.folder}\n`);
  else await place.remove();
}

/** An account with line items of many kinds, and one with a line item in a country of its own. */
async function fill(place: Awaited<ReturnType<typeof openPlace>>) {
  const barker = await startBarker(place, { flags: FLAGS });
  const { file } = barker;
  const sandbox = clientOf(file.sandbox_url!, file, systemClock);
  const locations = new Map<string, string>();
  for (const country_code of [...COUNTRIES, APART]) {
    const params = { location_type: 'COUNTRIES', country_code };
    const found = await sandbox.call('GET', '/12/targeting_criteria/locations', { params });
    locations.set(country_code, found.body.data[0].targeting_value as string);
  }
  const flight = { start_time: '2020-01-01', end_time: '2100-01-01' };
  const location = (country: string) => ({ targeting_type: 'LOCATION', targeting_value: locations.get(country)! });
  const criteria = [location(COUNTRIES[0]!), { targeting_type: 'AGE', targeting_value: AGES[0]! }];
  const campaign = { daily_budget_amount_local_micro: 900_000_000_000 };
  const world = { sandbox, keys: file } as unknown as Parameters<typeof bookAd>[0];
  const ad = await bookAd(world, { line: flight, criteria, campaign });
  const limited = { ...flight, total_budget_amount_local_micro: BUDGET };
  const apart = await bookAd(world, { bid: 10_000, line: limited, criteria: [location(APART)] });
  await barker.stop();
  await onPlace(place, (driver) =>
    storeOn(driver).write(async (tx) => {
      const all = async (resource: AnyResource, id: string, column?: string): Promise<Row[]> =>
        (await tx.records.getMany(resource, ad.account, [id], {
          deleted: 'hidden',
          ...(column && { column }),
        })) as never;
      const [own] = await all(lineItems as unknown as AnyResource, ad.line);
      const [shown] = await all(promotedPosts as unknown as AnyResource, ad.creative);
      const meant = await all(criteriaRows as unknown as AnyResource, ad.line, 'line_item_id');
      for (let number = 1; number < LINES; number++) {
        const id = `b${number}`;
        // A third lets the service bid, a third has a budget of its own that is spent over the day.
        const kind =
          number % 3 === 0
            ? { bid_strategy: 'AUTO', bid_amount_local_micro: null }
            : { bid_amount_local_micro: 10_000 + ((number * 7919) % LINES) * 10 };
        const budget = number % 3 === 1 ? { daily_budget_amount_local_micro: 50_000_000, standard_delivery: 1 } : {};
        await tx.records.insert(lineItems, { ...own, id, ...kind, ...budget } as never);
        const creative = { ...shown, id: `c${number}`, line_item_id: id, one_key: null };
        await tx.records.insert(promotedPosts, creative as never);
        for (const [place, row] of meant.entries()) {
          const { targeting_type } = row as unknown as { targeting_type: string };
          const targeting_value =
            targeting_type === 'AGE'
              ? AGES[Math.floor(number / 3) % AGES.length]!
              : locations.get(COUNTRIES[Math.floor(number / 7) % COUNTRIES.length]!)!;
          const criterion = { ...row, id: `t${number}x${place}`, line_item_id: id, one_key: null, targeting_value };
          await tx.records.insert(criteriaRows, criterion as never);
        }
      }
    }),
  );
  return { account: ad.account, path: ad.path, line: ad.line, apart: apart.account, keys: file };
}

async function isReady(url: string): Promise<boolean> {
  const { statusCode, body } = await request(`${url}/readyz`);
  await body.dump();
  return statusCode === 200;
}

/** What a publisher asks for: one ad, for one of 600 kinds of people. */
function questionOf(number: number, country = COUNTRIES[number % COUNTRIES.length]): string {
  const context = { country, age: 18 + (number % 50), language: 'nl', platform: String(number % 3) };
  return JSON.stringify({ placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], context });
}

function wholeRequest(credential: string, body: string): Buffer {
  const head = [
    'POST /delivery/decisions HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${credential}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
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

/** How long a process was ready and no processor was, in seconds. */
function waitedSeconds(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
}
