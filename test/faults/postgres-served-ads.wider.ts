import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, request } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { pause } from '../../src/base/timers.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { flagsOf, MASTER_KEY } from '../commands/program.ts';
import { clientOf } from '../rig/client.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { startS3 } from '../rig/s3.ts';
import { recordSecret } from '../rig/secrets.ts';
import { bookAd, TARGET } from '../rig/served-ads.ts';
import { openAccount } from '../rig/world.ts';

/** What a server needs to know to belong to the others. */
const SHARED_FILES = ['dev.json', 'master.key', 'operator.token'];
const PRICE = 10_000;
/** Longer than counts stay in one process: each stores its own once a second. */
const STORED_MS = 1500;

let redis: OwnRedis;
let objects: Awaited<ReturnType<typeof startS3>>;
let place: Place;
let other: Place;
let servers: Running[];
let credential: string;
const agent = new Agent({ connections: 8 });

before(async () => {
  redis = await startRedis();
  objects = await startS3();
  place = await openPlace('postgres');
  const first = await start(place);
  const folder = mkdtempSync(join(tmpdir(), 'barker-test-'));
  for (const file of SHARED_FILES) copyFileSync(join(place.folder, file), join(folder, file));
  other = { ...place, folder };
  servers = [first, await start(other)];
  credential = makePublisher();
});
after(async () => {
  await Promise.all(servers.map((each) => each.stop()));
  await agent.close();
  await place.remove();
  rmSync(other.folder, { recursive: true, force: true });
  await objects.close();
  await redis.stop();
});

const start = (where: Place): Promise<Running> =>
  startBarker(where, {
    flags: ['--delivery-sandbox', 'served', '--rate-limits', 'off'],
    variables: {
      BARKER_REDIS_URL: redis.url,
      ...Object.fromEntries(
        Object.entries(objects.flags).map(([name, value]) => [`BARKER_${name.toUpperCase()}`, String(value)]),
      ),
    },
  });

function makePublisher(): string {
  const args = ['bin/barker.js', 'publisher', 'create', 'News', '--environment', 'sandbox', ...flagsOf(place)];
  const env = { ...process.env, BARKER_MASTER_KEY: MASTER_KEY };
  const made = /pub_\w+/.exec(execFileSync(process.execPath, args, { encoding: 'utf8', env }))![0];
  recordSecret('publisher', made);
  return made;
}

const worldOf = ({ file }: Running) =>
  ({ sandbox: clientOf(file.sandbox_url!, file, systemClock), keys: file }) as unknown as Parameters<typeof bookAd>[0];
const FLIGHT = { start_time: '2020-01-01', end_time: '2100-01-01' };

/** The path of the impression's beacon, which any server takes; undefined when there is no ad. */
async function ask({ file }: Running, key?: string): Promise<string | undefined> {
  const { statusCode, body } = await request(`${file.sandbox_url}/delivery/decisions`, {
    ...{ dispatcher: agent, method: 'POST' },
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify({ placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], ...(key && { user: { key } }) }),
  });
  const text = await body.text();
  assert.equal(statusCode, 200, text);
  const [decision] = JSON.parse(text).data.placements[0].decisions;
  return decision && new URL(decision.impression_url).pathname;
}

async function view({ file }: Running, path: string): Promise<void> {
  const { statusCode, body } = await request(`${file.sandbox_url}${path}`, { dispatcher: agent });
  await body.dump();
  assert.equal(statusCode, 204);
}

const totalsOf = (account: string) =>
  onPlace(place, async (driver) => {
    const [totals] = await storeOn(driver).read((tx) => tx.deliveryLedger.listTotals(account));
    return { impressions: totals?.impressions ?? 0, spent: totals?.spend_local_micro ?? 0 };
  });

test('two servers hold a frequency cap, once what each has counted is stored', async () => {
  const [one] = servers as [Running, Running];
  const world = worldOf(one);
  const account = await openAccount(world.sandbox);
  await world.sandbox.call('POST', `${account.path}/features`, { params: { feature_keys: 'REACH_FREQUENCY_CAP' } });
  const line = { ...FLIGHT, objective: 'REACH', goal: 'MAX_REACH', frequency_cap: 3, duration_in_days: 1 };
  const ad = await bookAd(world, { in: account, bid: null, line });
  const shownTo = async (reader: string, isSeenAtOther: boolean): Promise<number> => {
    let shown = 0;
    for (let round = 0; round < 8; round++) {
      const [decides, sees] = isSeenAtOther ? [round % 2, (round + 1) % 2] : [round % 2, round % 2];
      const path = await ask(servers[decides]!, reader);
      if (path === undefined) continue;
      shown += 1;
      await view(servers[sees]!, path);
      await pause(STORED_MS);
    }
    return shown;
  };
  assert.equal(await shownTo('reader', false), 3);
  // The one that decided expects the beacon for a minute, and counts it until then.
  const elsewhere = await shownTo('another', true);
  assert.ok(elsewhere > 0 && elsewhere <= 3, `${elsewhere} shown`);
  await world.sandbox.call('DELETE', `${ad.path}/line_items/${ad.line}`);
});

test('a budget holds while two servers spend it and one of them is killed; its lease comes back', async () => {
  const [one, two] = servers as [Running, Running];
  const total = 80 * PRICE;
  const line = { ...FLIGHT, ...TARGET, total_budget_amount_local_micro: total };
  const ad = await bookAd(worldOf(one), { bid: 1000 * PRICE, line });
  const answered: string[] = [];
  const spend = async (server: Running): Promise<boolean> => {
    const path = await ask(server);
    if (path === undefined) return false;
    await view(server, path);
    answered.push(path);
    return true;
  };
  while (answered.length < 30) {
    await Promise.all([spend(one), spend(two)]);
    await pause(20);
  }
  await one.kill();
  // What the killed server had leased and not spent is returned when the others notice its end.
  for (let misses = 0; misses < 240; ) {
    if (await spend(two)) misses = 0;
    else {
      misses += 1;
      await pause(250);
    }
    const { spent } = await totalsOf(ad.account);
    assert.ok(spent <= total, `${spent} of ${total} charged`);
    if (spent === total) break;
  }
  assert.ok(answered.length <= 84, `${answered.length} shown: more than a lease beyond the budget`);
  // What was lost with the server counts when it is sent again; what is stored does not count twice.
  for (const path of answered) await view(two, path);
  await pause(STORED_MS);
  const { impressions, spent } = await totalsOf(ad.account);
  assert.equal(impressions, answered.length);
  assert.equal(spent, total);
  servers[0] = await start(place);
});
