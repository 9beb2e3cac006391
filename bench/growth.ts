import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { seededRandom } from '../src/dev/samples/seeded-random.ts';
import { mergeUploads } from '../src/features/audiences/members/merge-uploads.ts';
import { type Client, clientOf } from '../test/rig/client.ts';
import { openAccount, openWorld, type World } from '../test/rig/world.ts';
import { addKeywords, newLine } from './rig/criteria.ts';
import { manyCampaigns } from './rig/many-campaigns.ts';
import { NOW, newPeople } from './rig/new-people.ts';
import { addPeople, timedEstimate } from './rig/people.ts';
import { addPosts, timedSearch, writePosts } from './rig/posts.ts';
import { emit, openReceived, rate } from './rig/received-events.ts';
import type { Growth } from './rig/record.ts';
import { median, printGrowth } from './rig/report.ts';
import { accountWithCampaigns, sandboxClient, timedCall } from './rig/signed.ts';
import { startBarker } from './rig/target.ts';

type Points = [size: number, cost: number][];

/**
 * What things cost as the work grows, over three orders of magnitude, in one run. `npm run bench -- growth [MEASURE]`
 */
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
    await manyCampaigns(target, { account, path, campaign, from: made, to: size - 40 });
    made = size - 40;
    for (const [name, page] of Object.entries(pages)) lines[name]!.push([size, await timedCall(target, page)]);
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

/** Batches of targeting criteria, each into a line item of its own. */
async function batches(): Promise<Omit<Growth, 'kind'>> {
  const target = await startBarker();
  const client = clientOf(target.file.sandbox_url, target.file, systemClock, () => {});
  const { account, path, campaign } = await accountWithCampaigns(target, 1);
  const points: Points = [];
  for (const size of [1, 5, 50, 500]) {
    const times: number[] = [];
    for (let time = 0; time < 9; time++) times.push(await timedBatch(client, { account, path, campaign, size }));
    points.push([size, median(times.slice(2))]);
  }
  await target.close();
  return { title: 'Batches', of: 'items', unit: ' ms', lines: { 'batch of targeting criteria': points } };
}

/** How many milliseconds a batch takes. */
async function timedBatch(
  client: Client,
  of: { readonly account: string; readonly path: string; readonly campaign: string; readonly size: number },
): Promise<number> {
  const { account, path, campaign, size } = of;
  const line = await newLine(client, path, campaign);
  const startedAt = performance.now();
  await addKeywords(client, account, line, size);
  const took = performance.now() - startedAt;
  // A campaign has room for so many line items.
  await client.call('DELETE', `${path}/line_items/${line}`);
  return took;
}

/** Estimates of 20 criteria. */
async function estimates(): Promise<Omit<Growth, 'kind'>> {
  const sizes = [1000, 10_000, 100_000, 1_000_000];
  const target = await startBarker({ folder: mkdtempSync(join(tmpdir(), 'barker-bench-')), people: sizes[0]! });
  const client = sandboxClient(target);
  const { path } = await openAccount(client);
  const points: Points = [];
  for (const size of sizes) {
    await addPeople(target, size);
    await timedEstimate(client, path, target, seededRandom(1, 0));
    const times: number[] = [];
    for (let call = 1; call <= 60; call++) times.push(await timedEstimate(client, path, target, seededRandom(1, call)));
    points.push([size, median(times)]);
  }
  await target.close();
  rmSync(target.folder, { recursive: true, force: true });
  return { title: 'Audience estimates', of: 'people', unit: ' ms', lines: { estimate: points } };
}

/** Searches of ten keywords by hour, each size with a server of its own. */
async function searches(): Promise<Omit<Growth, 'kind'>> {
  const points: Points = [];
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
    points.push([count, median(times)]);
    await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { title: 'Keyword insights', of: 'posts', unit: ' ms', lines: { 'ten keywords by hour': points } };
}

const EVENTS = 2000;

/** Events that one of many subscriptions matches, from the log to the receiver of its webhook. */
async function webhooks(): Promise<Omit<Growth, 'kind'>> {
  const points: Points = [];
  for (const size of [10, 100, 1000, 10_000]) {
    const world = await openWorld({ which: 'sqlite', flags: { access_log: 'failures', rate_limits: 'off' } });
    const { receiver, user_id } = await openReceived(world);
    await subscribeToOthers(world, size - 1);
    const perSecond: number[] = [];
    for (let time = 0; time < 4; time++) {
      perSecond.push(await rate(receiver, EVENTS, () => emit(world, user_id, EVENTS)));
    }
    // The first warms up.
    points.push([size, 1000 / median(perSecond.slice(1))]);
    receiver.send('end');
    await world.close();
  }
  const lines = { 'an event delivered': points };
  return { title: 'Events to a webhook', of: 'subscriptions', unit: ' ms', lines };
}

/** Adds copies of the subscription of a world, each to a user who does nothing, straight into the tables. */
async function subscribeToOthers({ service }: World, count: number): Promise<void> {
  await service.store.write(async (tx) => {
    const [own] = await tx.subscriptions.listAll('', 1);
    for (let number = 1; number <= count; number++) {
      const filter_user_id = String(5_000_000_000 + number);
      const filter = JSON.stringify({ user_id: filter_user_id });
      const others = { id: String(6_000_000_000 + number), webhook_id: null, filter, filter_user_id };
      await tx.subscriptions.add({ ...own!, ...others, sense: `benchmark ${number}` });
    }
  });
}

const BATCH = 200_000;

/** A batch of 200,000 new identifiers that is merged into an audience. */
async function merging(): Promise<Omit<Growth, 'kind'>> {
  const points: Points = [];
  for (const size of [20_000, 200_000, 2_000_000, 20_000_000]) {
    const folder = mkdtempSync(join(tmpdir(), 'barker-merging-'));
    const path = join(folder, 'it.runs');
    const most = 2_000_000;
    let last = 0;
    for (let made = 0; made < size; made += most) merge(path, Math.min(most, size - made), ++last);
    const times: number[] = [];
    for (let time = 0; time < 3; time++) times.push(merge(path, BATCH, ++last));
    points.push([size, median(times)]);
    rmSync(folder, { recursive: true, force: true });
  }
  const lines = { [`${BATCH.toLocaleString('en')} new identifiers`]: points };
  return { title: 'Merging uploads into an audience', of: 'identifiers of the audience', unit: ' ms', lines };
}

/** How many milliseconds new people take to be merged. */
function merge(path: string, count: number, last: number): number {
  const payload = newPeople(count);
  const startedAt = performance.now();
  mergeUploads(path, { uploads: [{ accepted_at: NOW, payload }], last });
  return performance.now() - startedAt;
}
