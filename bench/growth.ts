import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../src/base/clock.ts';
import { formatInstant } from '../src/base/instants.ts';
import type { NewEvent } from '../src/contract/store/events.ts';
import { seededRandom } from '../src/dev/samples/seeded-random.ts';
import { mergeUploads } from '../src/features/audiences/members/merge-uploads.ts';
import { packedWriter, UPDATE } from '../src/features/audiences/uploads/packed-format.ts';
import { type Client, clientOf } from '../test/rig/client.ts';
import { bearerClient } from '../test/rig/events.ts';
import { openAccount, openWorld } from '../test/rig/world.ts';
import { load } from './rig/load.ts';
import { manyCampaigns } from './rig/many-campaigns.ts';
import { addPeople, timedEstimate } from './rig/people.ts';
import { addPosts, timedSearch, writePosts } from './rig/posts.ts';
import type { Growth } from './rig/record.ts';
import { median, printGrowth } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient } from './rig/signed.ts';
import { startBarker, type Target } from './rig/target.ts';

type Points = [size: number, cost: number][];

/** What things cost as the work grows, over three orders of magnitude, in one run. */
export async function run(): Promise<void> {
  const of = process.argv[3];
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (of === undefined || of === name) printGrowth(await measure());
  }
}

const MEASURES: Readonly<Record<string, () => Promise<Omit<Growth, 'kind'>>>> = {
  lists,
  batches,
  estimates,
  searches,
  webhooks,
  merging,
};

/** Pages of 200 of an account, and the start of a server that has it. */
async function lists(): Promise<Omit<Growth, 'kind'>> {
  const sizes = [1000, 10_000, 100_000, 1_000_000];
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
  let target = await startBarker({ folder });
  const { account, instrument, path, campaign } = await accountWithCampaigns(target, 40);
  const pages: Readonly<Record<string, string>> = {
    list: `${path}/campaigns?count=200`,
    'sorted by name': `${path}/campaigns?count=200&sort_by=name-asc`,
    'filter by funding instrument': `${path}/campaigns?count=200&funding_instrument_ids=${instrument}`,
    'search by name': `${path}/campaigns?count=200&q=copy%20000000`,
  };
  const lines: Record<string, Points> = Object.fromEntries([...Object.keys(pages), 'start'].map((name) => [name, []]));
  let made = 0;
  for (const size of sizes) {
    manyCampaigns(target, { account, campaign, from: made, to: size - 40 });
    made = size - 40;
    for (const [name, page] of Object.entries(pages)) lines[name]!.push([size, await timeOf(target, page)]);
    const starts: number[] = [];
    for (let time = 0; time < 3; time++) {
      await target.close();
      const startedAt = performance.now();
      target = await startBarker({ folder });
      starts.push(performance.now() - startedAt);
    }
    lines.start!.push([size, median(starts)]);
  }
  await target.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    title: 'Lists of campaigns, and the start of the server',
    of: 'campaigns of an account',
    unit: ' ms',
    lines,
  };
}

/** The median of many signed calls, one after the other. */
async function timeOf(target: Target, page: string): Promise<number> {
  const plan = { origin: target.file.sandbox_url, keys: target.file, method: 'GET', requests: 5000, seconds: 2 };
  return (await load({ ...plan, paths: [page], connections: 1 })).p50_ms;
}

/** Batches of targeting criteria, each into a line item of its own. */
async function batches(): Promise<Omit<Growth, 'kind'>> {
  const target = await startBarker();
  const client = clientOf(target.file.sandbox_url, target.file, systemClock, () => {});
  const { account, path, campaign } = await accountWithCampaigns(target, 1);
  const lines: Record<string, Points> = { 'batch of targeting criteria': [] };
  for (const size of [1, 5, 50, 500]) {
    const times: number[] = [];
    for (let time = 0; time < 9; time++) times.push(await timedBatch(client, { account, path, campaign, size }));
    lines['batch of targeting criteria']!.push([size, median(times.slice(2))]);
  }
  await target.close();
  return { title: 'Batches', of: 'items', unit: ' ms', lines };
}

async function timedBatch(
  client: Client,
  of: { readonly account: string; readonly path: string; readonly campaign: string; readonly size: number },
): Promise<number> {
  const params = {
    ...{ campaign_id: of.campaign, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
    ...{ placements: 'ALL_ON_SERVICE', entity_status: 'PAUSED' },
  };
  const line = await client.call('POST', `${of.path}/line_items`, { params });
  const json = Array.from({ length: of.size }, (_, index) => ({
    operation_type: 'Create',
    params: {
      ...{ line_item_id: line.body.data.id, targeting_type: 'BROAD_KEYWORD' },
      targeting_value: `keyword ${index}`,
    },
  }));
  const startedAt = performance.now();
  const reply = await client.call('POST', `/12/batch/accounts/${of.account}/targeting_criteria`, { json });
  const took = performance.now() - startedAt;
  assert.equal(reply.status, 200, reply.text.slice(0, 500));
  // A line item of a campaign can have so many: the next batch gets its own.
  await client.call('DELETE', `${of.path}/line_items/${line.body.data.id}`);
  return took;
}

/** Estimates of 20 criteria, and what taking the people in costs. */
async function estimates(): Promise<Omit<Growth, 'kind'>> {
  const target = await startBarker({ folder: mkdtempSync(join(tmpdir(), 'barker-bench-')) });
  const client = sandboxClient(target);
  const { path } = await openAccount(client);
  const lines: Record<string, Points> = { estimate: [] };
  for (const size of [1000, 10_000, 100_000, 1_000_000]) {
    await addPeople(target, size);
    await timedEstimate(client, path, target, seededRandom(1, 0));
    const times: number[] = [];
    for (let call = 1; call <= 60; call++) times.push(await timedEstimate(client, path, target, seededRandom(1, call)));
    lines.estimate!.push([size, median(times)]);
  }
  await target.close();
  rmSync(target.folder, { recursive: true, force: true });
  return { title: 'Audience estimates', of: 'people', unit: ' ms', lines };
}

/** Searches of ten keywords by hour, each size with a server of its own. */
async function searches(): Promise<Omit<Growth, 'kind'>> {
  const lines: Record<string, Points> = { 'ten keywords by hour': [] };
  const end = Math.floor(Date.now() / 3_600_000) * 3600;
  for (const count of [2000, 20_000, 200_000, 2_000_000]) {
    const folder = mkdtempSync(join(tmpdir(), 'barker-bench-'));
    const file = join(folder, 'posts.ndjson');
    writePosts(file, count, end);
    const target = await startBarker({ folder });
    const client = sandboxClient(target);
    await addPosts({ folder, databaseUrl: '' }, client, { file, count, end });
    await timedSearch(client, end, seededRandom(1, 0));
    const times: number[] = [];
    for (let call = 1; call <= 60; call++) times.push(await timedSearch(client, end, seededRandom(1, call)));
    lines['ten keywords by hour']!.push([count, median(times)]);
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { title: 'Keyword insights', of: 'posts', unit: ' ms', lines };
}

const EVENTS = 200;

/** Events that one of many subscriptions matches, until they are in the log with all that they match. */
async function webhooks(): Promise<Omit<Growth, 'kind'>> {
  const lines: Record<string, Points> = { 'event written and matched': [] };
  for (const size of [10, 100, 1000, 10_000]) {
    const world = await openWorld({
      which: 'sqlite',
      flags: { access_log: 'failures', rate_limits: 'off', activity_subscriptions_max: size + 1 },
    });
    const client = await bearerClient(world, world.keys);
    for (let made = 0; made < size; made++) {
      const filter = made === 0 ? { user_id: world.keys.user_id! } : { user_id: String(5_000_000_000 + made) };
      const json = { event_type: 'profile.update.bio', filter };
      const reply = await client.call('POST', '/2/activity/subscriptions', { json });
      assert.ok(reply.status < 300, reply.text);
    }
    const event: NewEvent = {
      ...{ event_type: 'profile.update.bio', user_id: world.keys.user_id!, direction: null, text: 'x', payload: '{}' },
    };
    const times: number[] = [];
    for (let number = 0; number < EVENTS; number++) {
      const startedAt = performance.now();
      await world.service.store.write((tx) => tx.events.append([event], formatInstant(world.clock.now())));
      times.push(performance.now() - startedAt);
    }
    lines['event written and matched']!.push([size, median(times)]);
    await world.close();
  }
  return { title: 'Events for webhooks and streams', of: 'subscriptions', unit: ' ms', lines };
}

const BATCH = 200_000;
const NOW = 1_772_470_000;

/** A batch of 200,000 new identifiers that is merged into an audience. */
async function merging(): Promise<Omit<Growth, 'kind'>> {
  const lines: Record<string, Points> = { [`${BATCH.toLocaleString('en')} new identifiers`]: [] };
  for (const size of [20_000, 200_000, 2_000_000, 20_000_000]) {
    const folder = mkdtempSync(join(tmpdir(), 'barker-merging-'));
    const path = join(folder, 'it.members');
    const most = 2_000_000;
    let last = 0;
    for (let made = 0; made < size; made += most) merge(path, Math.min(most, size - made), ++last);
    const times: number[] = [];
    for (let time = 0; time < 3; time++) times.push(merge(path, BATCH, ++last));
    lines[`${BATCH.toLocaleString('en')} new identifiers`]!.push([size, median(times)]);
    rmSync(folder, { recursive: true, force: true });
  }
  return { title: 'Merging uploads into an audience', of: 'identifiers of the audience', unit: ' ms', lines };
}

/** Merges made-up identifiers; the answer is how many milliseconds that took. */
function merge(path: string, count: number, last: number): number {
  const writer = packedWriter(count * 18 + 32);
  writer.operation();
  writer.setOperation(UPDATE, NOW, NOW + 34_000_000);
  for (let person = 0; person < count; person++) {
    writer.person();
    const at = writer.identifier();
    randomFillSync(writer.bytes(), at, 16);
  }
  const payload = writer.finish();
  const startedAt = performance.now();
  mergeUploads(path, { uploads: [{ accepted_at: NOW, payload }], last });
  return performance.now() - startedAt;
}
