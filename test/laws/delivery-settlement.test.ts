import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { SPENT } from '../../src/contract/store/delivery-ledger.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import { audienceCounter } from '../../src/features/delivery/audiences/count-audiences.ts';
import { Settlement } from '../../src/features/delivery/settle.ts';
import { type DeliveringAccount, fillDirectory, openDelivering, sumOf } from '../resources/delivery-calls.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';
import { closeAll, openWorld, openWorldOver, type World } from '../rig/world.ts';

const RUNS = rounds(4);
const HOUR_S = 3600;
const FLAGS = { rate_limits: 'off', delivery_sandbox: 'simulated' };

/** One world settles when it must. The other one, on the database of this run, often, in several processes, and fails. */
let calm: World;
let busy: World;
/** After how many more statements the database of the busy world fails. */
let failsAfter = Number.POSITIVE_INFINITY;
before(async () => {
  calm = await openWorld({ which: 'sqlite', flags: FLAGS, nodes: 1 });
  const probe = (): void => {
    failsAfter -= 1;
    if (failsAfter < 0) throw new Error('the disk of rack 7 is on fire');
  };
  busy = await openWorldOver((driver) => driver, { probe, flags: FLAGS, nodes: 1 });
  for (const world of [calm, busy]) await fillDirectory(world, 3000);
});
after(() => closeAll([calm, busy]));

/** A campaign, its line items, and when the second of them ends if that is changed. */
interface Ids {
  readonly campaign: string;
  readonly lines: readonly string[];
  readonly end: string;
}
type Change = (place: DeliveringAccount, ids: Ids) => Promise<void>;

const CHANGES: Readonly<Record<string, Change>> = {
  nothing: async () => {},
  pause: (place, { lines }) => place.put(`line_items/${lines[0]}`, { entity_status: 'PAUSED' }),
  resume: (place, { lines }) => place.put(`line_items/${lines[0]}`, { entity_status: 'ACTIVE' }),
  budget: (place, { campaign }) => place.put(`campaigns/${campaign}`, { daily_budget_amount_local_micro: 30_000_000 }),
  halt: (place, { campaign }) => place.put(`campaigns/${campaign}`, { entity_status: 'PAUSED' }),
  restart: (place, { campaign }) => place.put(`campaigns/${campaign}`, { entity_status: 'ACTIVE' }),
  bid: (place, { lines }) => place.put(`line_items/${lines[1]}`, { bid_amount_local_micro: 900_000 }),
  end: (place, { lines, end }) => place.put(`line_items/${lines[1]}`, { end_time: end }),
  promote: (place, { lines }) => place.promote(lines[0]!),
  target: (place, { lines }) =>
    place.post('targeting_criteria', { line_item_id: lines[0]!, targeting_type: 'GENDER', targeting_value: '1' }),
};

const look = fc.record({
  after_s: fc.integer({ min: 1, max: 3 * HOUR_S }),
  by: fc.constantFrom('itself', 'another', 'both', 'failing'),
  statements: fc.integer({ min: 1, max: 40 }),
});
const program = fc.record({
  cap: fc.option(fc.integer({ min: 1, max: 3 })),
  later: fc.integer({ min: 0, max: 2 * HOUR_S }),
  steps: fc.array(
    fc.record({
      after_s: fc.integer({ min: 60, max: 9 * HOUR_S }),
      change: fc.constantFrom(...Object.keys(CHANGES)),
      looks: fc.array(look, { maxLength: 3 }),
    }),
    { minLength: 3, maxLength: 6 },
  ),
});
type Look = typeof look extends fc.Arbitrary<infer Value> ? Value : never;

async function lookAt(place: DeliveringAccount, { by, statements }: Look): Promise<void> {
  const { services } = busy.service;
  const { store, clock, delivery } = services;
  const account = { id: place.account, environment: 'sandbox', timezone: 'America/Los_Angeles' } as const;
  const other = new Settlement({
    ...{ store, clock, counter: audienceCounter(services), step_s: 300, readPeriod_s: 0 },
    mode: () => 'simulated',
    serving: () => services.serving,
    unitsPerDollar: delivery.unitsPerDollar,
    onError(error) {
      if (by !== 'failing') throw error;
    },
  });
  if (by === 'itself') return place.settle();
  if (by === 'both') return void (await Promise.all([place.settle(), other.settle(account)]));
  failsAfter = by === 'failing' ? statements : Number.POSITIVE_INFINITY;
  try {
    await other.settle(account);
  } finally {
    failsAfter = Number.POSITIVE_INFINITY;
  }
}

async function begin(
  world: World,
  cap: number | null,
  later_s: number,
): Promise<{ place: DeliveringAccount; ids: Ids }> {
  const place = await openDelivering(world);
  const campaign = await place.campaign();
  if (cap !== null) await place.post('features', { feature_keys: 'REACH_FREQUENCY_CAP' });
  const inHours = (hours: number): string =>
    new Date(world.clock.now() + (later_s + hours * HOUR_S) * 1000).toISOString();
  const start = inHours(0);
  const kind = { objective: 'ENGAGEMENTS', ...(cap !== null && { frequency_cap: cap, duration_in_days: 1 }) };
  const lines = [
    await place.line(campaign, kind),
    await place.line(campaign, { ...kind, start_time: start, bid_strategy: 'MAX', bid_amount_local_micro: 700_000 }),
  ];
  for (const line of lines) await place.promote(line, 2);
  return { place, ids: { campaign, lines, end: inHours(10.25) } };
}

describe('simulated delivery, as it is stored', () => {
  // Laws 1 and 11. To see them fail: leave the plan out of the cursor in settlement.ts, or `settlesDelivery` out of line items.
  test('is the same on both databases, however often, wherever and with whatever failures it is settled', async () => {
    type Neighbour = Awaited<ReturnType<typeof begin>>;
    const rename = ({ place, ids }: Neighbour) => place.put(`campaigns/${ids.campaign}`, { name: 'Bread again' });
    const neighbours = [await begin(calm, null, 0), await begin(busy, null, 0)];
    await fc.assert(
      fc.asyncProperty(program, async ({ cap, later, steps }) => {
        const [one, other] = [await begin(calm, cap, later), await begin(busy, cap, later)];
        assert.deepEqual(other.ids, one.ids);
        for (const { after_s, change, looks } of steps) {
          let left_s = after_s;
          for (const each of looks) {
            const some_s = Math.min(each.after_s, left_s);
            busy.clock.advance(some_s);
            left_s -= some_s;
            await lookAt(other.place, each);
            await rename(neighbours[1]!);
          }
          busy.clock.advance(left_s);
          calm.clock.advance(after_s);
          // Both take as many ids.
          for (const _ of looks) await rename(neighbours[0]!);
          await CHANGES[change]!(one.place, one.ids);
          await CHANGES[change]!(other.place, other.ids);
        }
        for (const { place } of [one, other]) await place.settle();
        const delivered = await one.place.rows();
        assert.equal(await other.place.rows(), delivered);
        assert.ok(delivered.length > 0);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  // Law 2. To see it fail: add spend to campaigns only, in ledger-writer.ts.
  test('adds up from hours to line items, campaigns and instruments', async () => {
    const { place, ids } = await begin(calm, null, 0);
    calm.clock.advance(50 * HOUR_S);
    await place.put(`line_items/${ids.lines[0]}`, { entity_status: 'PAUSED' });
    calm.clock.advance(20 * HOUR_S);
    const hours = await place.hours();
    const { store } = calm.service;
    const { account, instrument } = place;
    const totals = await store.read((tx) => tx.deliveryLedger.listTotals(account));
    assert.equal(totals.length, 2);
    for (const total of totals) {
      const own = hours.filter(({ line }) => line === total.line_item_id);
      assert.equal(total.impressions, sumOf(own, 'impressions'));
      assert.equal(total.billed, sumOf(own, 'billed_engagements'));
      assert.equal(total.spend_local_micro, sumOf(own, 'billed_charge_local_micro'));
    }
    const spent = await store.read(async (tx) => [
      await tx.records.get(campaigns, { account, id: ids.campaign }, { deleted: 'hidden' }),
      await tx.records.get(fundingInstruments, { account, id: instrument }, { deleted: 'hidden' }),
    ]);
    const spend = sumOf(hours, 'billed_charge_local_micro');
    assert.ok(spend > 0);
    for (const row of spent) assert.equal(Number((row as unknown as { [SPENT]: number })[SPENT]), spend);
  });

  // Law 5. To see it fail: leave `settlesDelivery` out of line items.
  test('freezes at the second in which a line item or its campaign is paused', async () => {
    // In the morning: late in a day on which little was spent, AUTO outbids the other line item.
    const sinceMorning_ms = (calm.clock.now() - Date.parse('2026-03-01T16:00:00Z')) % (24 * HOUR_S * 1000);
    calm.clock.advance(24 * HOUR_S - sinceMorning_ms / 1000);
    const { place, ids } = await begin(calm, null, 0);
    for (const end of [`line_items/${ids.lines[0]}`, `line_items/${ids.lines[1]}`, `campaigns/${ids.campaign}`]) {
      calm.clock.advance(1500);
      await place.put(end, { entity_status: 'PAUSED' });
      const own = ids.lines.find((line) => end.endsWith(line));
      const ofPaused = async () => (await place.hours()).filter(({ line }) => own === undefined || line === own);
      const before = await ofPaused();
      assert.ok(sumOf(before, 'impressions') > 0);
      calm.clock.advance(1800);
      assert.deepEqual(await ofPaused(), before);
      await place.put(end, { entity_status: 'ACTIVE' });
      calm.clock.advance(1800);
      assert.ok(sumOf(await ofPaused(), 'impressions') > sumOf(before, 'impressions'));
    }
  });

  // To see it fail: leave the bookings out of `digestOf` in settlement.ts.
  test('goes by a new bid from the second on, in the middle of an hour', async () => {
    const { place, ids } = await begin(calm, null, 0);
    const line = ids.lines[1]!;
    // It would take most of the people.
    await place.put(`line_items/${ids.lines[0]}`, { entity_status: 'PAUSED' });
    const ofLine = async () =>
      sumOf(
        (await place.hours()).filter((each) => each.line === line),
        'impressions',
      );
    calm.clock.advance(1200);
    const before = await ofLine();
    assert.ok(before > 10, String(before));
    await place.put(`line_items/${line}`, { bid_amount_local_micro: 10_000 });
    calm.clock.advance(1200);
    assert.ok((await ofLine()) - before <= 2);
  });

  // Laws 3 and 10. To see it fail: leave out what others spent today in read-state.ts.
  test('keeps a daily budget while line items come and go', async () => {
    const { place, ids } = await begin(calm, null, 0);
    await place.put(`campaigns/${ids.campaign}`, {
      daily_budget_amount_local_micro: 20_000_000,
      standard_delivery: false,
    });
    for (let at = 0; at < 4; at++) {
      calm.clock.advance(3 * HOUR_S);
      await place.remove(`line_items/${at % 2 === 0 ? ids.lines[at / 2] : await place.line(ids.campaign)}`);
      await place.promote(await place.line(ids.campaign));
    }
    calm.clock.advance(30 * HOUR_S);
    const hours = await place.hours();
    const days = new Set(hours.map(({ day }) => day));
    assert.ok(days.size > 1);
    for (const day of days) {
      const spend = sumOf(
        hours.filter((each) => each.day === day),
        'billed_charge_local_micro',
      );
      assert.ok(spend <= 20_000_000, `${spend} on ${day}`);
    }
  });
});
