import { addDays } from '../src/base/zones.ts';
import type { AnyResource, Row } from '../src/contract/declare/resource.ts';
import { lineItems } from '../src/features/ads/line-items.ts';
import { promotedPosts } from '../src/features/ads/promoted-posts.ts';
import { normalCdf } from '../src/features/delivery/simulation/normal.ts';
import { fillDirectory, openDelivering } from '../test/resources/delivery-calls.ts';
import { booking, ModelRun } from '../test/rig/delivery-model.ts';
import { openWorld, type World } from '../test/rig/world.ts';
import { median } from './rig/report.ts';

const LINES = 10_000;
const DAY_S = 24 * 3600;
const PEOPLE = 20_000;
const ROUNDS = 3;
const INTEGRALS = 10_000_000;

/** Settles 10,000 line items for a day: the arithmetic alone, then with the database and the directory. */
export async function run(): Promise<void> {
  const lines = Array.from({ length: LINES }, (_, at) => {
    const given = booking(`line${at}`);
    return { ...given, campaign: { ...given.campaign, id: `campaign${at % 2000}` } };
  });
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const model = new ModelRun(lines, 'America/Los_Angeles', `${addDays('2026-03-03', round)}T08:00:00Z`);
    const before = process.cpuUsage();
    const delivered = model.deliver(model.now_ms + DAY_S * 1000);
    const { user, system } = process.cpuUsage(before);
    // The first round warms up.
    if (round > 0) times.push((user + system) / 1000);
    if (delivered.length < LINES) throw new Error('nothing was delivered');
  }
  const arithmetic_ms = median(times);
  print('arithmetic, processor time', arithmetic_ms);
  const integrals_ms = median([timeIntegrals(), timeIntegrals(), timeIntegrals()]);
  process.stdout.write(
    `that is ${(arithmetic_ms / integrals_ms).toFixed(1)} times ${INTEGRALS / 1e6} million normal integrals in the same run\n`,
  );
  const world = await openWorld({ which: 'sqlite', flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  try {
    await settleWorld(world);
  } finally {
    await world.close();
  }
}

/** How fast this machine is now: what the arithmetic is compared with. */
function timeIntegrals(): number {
  const before = process.cpuUsage();
  let sum = 0;
  for (let each = 0; each < INTEGRALS; each++) sum += normalCdf((each % 600) / 100 - 3);
  const { user, system } = process.cpuUsage(before);
  if (Math.abs(sum / INTEGRALS - 0.5) > 0.01) throw new Error('the integrals are wrong');
  return (user + system) / 1000;
}

async function settleWorld(world: World): Promise<void> {
  await fillDirectory(world, PEOPLE);
  const place = await openDelivering(world);
  const campaign = await place.campaign();
  const line = await place.line(campaign, { daily_budget_amount_local_micro: 20_000_000 });
  await place.promote(line);
  const { store } = world.service;
  await store.write(async (tx) => {
    const only = async (resource: AnyResource): Promise<Row> =>
      (
        await tx.records.getMany(resource, place.account, [line], {
          deleted: 'hidden',
          column: resource === lineItems ? 'id' : 'line_item_id',
        })
      )[0] as unknown as Row;
    const [own, promoted] = [await only(lineItems as AnyResource), await only(promotedPosts as AnyResource)];
    const copies = Array.from({ length: LINES - 1 }, (_, at) => ({ ...own, id: `z${at}` }));
    await tx.records.insertAll(lineItems as AnyResource, copies);
    const shown = copies.map(({ id }) => ({ ...promoted, id: `y${id}`, line_item_id: id, one_key: null }));
    await tx.records.insertAll(promotedPosts as AnyResource, shown as unknown as Row[]);
  });
  const timed = async (what: string, seconds: number): Promise<void> => {
    world.clock.advance(seconds);
    const startedAt = performance.now();
    await place.settle();
    print(what, performance.now() - startedAt);
  };
  await timed('the first hour with the database, audiences counted', 3600);
  await timed('a day with the database', DAY_S);
  await timed('five minutes with the database', 300);
  await timed('five more minutes', 300);
}

function print(what: string, ms: number): void {
  process.stdout.write(`${LINES} line items, ${what}: ${Math.round(ms)} ms\n`);
}
