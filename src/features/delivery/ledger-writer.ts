import { formatInstant, instantMs } from '../../base/instants.ts';
import { localDayAt, startOfHour } from '../../base/zones.ts';
import type { AccountState } from '../../contract/declare/account-state.ts';
import type { AnyResource } from '../../contract/declare/resource.ts';
import type { DeliveryMetric } from '../../contract/delivery/metrics.ts';
import { type DayOfHours, packHours, unpackHours } from '../../contract/delivery/packed-hours.ts';
import {
  type DeliveryCursor,
  type DeliveryDay,
  type DeliverySegment,
  SPENT,
} from '../../contract/store/delivery-ledger.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { campaigns } from '../ads/campaigns.ts';
import { fundingInstruments } from '../ads/funding-instruments.ts';

/** One number per metric and hour of a local day. */
export type HourlyNumbers = ReadonlyMap<DeliveryMetric, readonly number[]>;

/** New deliveries of a creative in a placement on one local day. */
export interface Delivered {
  readonly line_item: { readonly id: string; readonly campaign_id: string; readonly funding_instrument_id: string };
  readonly creative_id: string;
  readonly placement: string;
  /** The local day. */
  readonly day: string;
  /** Number of hours of the day. */
  readonly hours: number;
  readonly added: HourlyNumbers;
  /** The same numbers by segmentation type and value; their sum must not exceed `added`. */
  readonly segments?: ReadonlyMap<string, ReadonlyMap<string, HourlyNumbers>>;
  /** The time span of delivery: UTC texts. */
  readonly from: string;
  readonly until: string;
}

/** Locks the ledger of an account until the unit of work ends. Creates its cursor row, which PostgreSQL needs for the lock, if there is none. */
export async function lockLedger(
  tx: WriteTransaction,
  account_id: string,
  now: string,
): Promise<{ readonly cursor: DeliveryCursor; readonly isNew: boolean }> {
  const found = await tx.deliveryLedger.lockCursor(account_id);
  if (found) return { cursor: found, isNew: false };
  const created = { account_id, settled_until: now, seed: '', knobs: null, plan: null };
  await tx.deliveryLedger.saveCursor(created);
  return { cursor: (await tx.deliveryLedger.lockCursor(account_id)) ?? created, isNew: true };
}

/**
 * Adds deliveries to the ledger of an account, at most one for each creative, placement and day, and updates the spend of
 * campaigns and funding instruments and the record of changes. The caller holds the lock of the cursor.
 */
export async function addToLedger(
  tx: WriteTransaction,
  account: Pick<AccountState, 'id' | 'timezone'>,
  delivered: readonly Delivered[],
  now: string,
): Promise<void> {
  const [first] = delivered;
  if (!first) return;
  const account_id = account.id;
  const lines = [...new Set(delivered.map(({ line_item }) => line_item.id))];
  const dates = delivered.map(({ day }) => day).sort();
  const range = { account: account_id, from: dates[0]!, until: `${dates.at(-1)}~`, line_items: lines };
  const known = new Map((await tx.deliveryLedger.listDays(range)).map((row) => [keyOf(row), row]));
  await tx.deliveryLedger.saveDays(
    delivered.map((each) => {
      const place = placeOf(account_id, each);
      const stored = known.get(keyOf(place));
      const sums = {
        impressions: saturated((stored?.impressions ?? 0) + sumOf(each.added, 'impressions')),
        billed: saturated((stored?.billed ?? 0) + sumOf(each.added, 'billed_engagements')),
        spend_local_micro: saturated((stored?.spend_local_micro ?? 0) + sumOf(each.added, 'billed_charge_local_micro')),
      };
      const hours = addToDay(each.hours, stored?.hours, each.added);
      return { ...place, hours, ...sums, settled_until: each.until, changed_at: now } satisfies DeliveryDay;
    }),
  );
  await addSegments(tx, account_id, delivered, range);
  await tx.deliveryLedger.saveChanges(changesOf(account, delivered, now));
  const spent = (each: Delivered): number => sumOf(each.added, 'billed_charge_local_micro');
  await addSpend(
    tx,
    campaigns,
    account_id,
    totals(delivered, ({ line_item }) => line_item.campaign_id, spent),
  );
  const byInstrument = totals(delivered, ({ line_item }) => line_item.funding_instrument_id, spent);
  await addSpend(tx, fundingInstruments, account_id, byInstrument);
}

type Place = Pick<DeliveryDay, 'account_id' | 'line_item_id' | 'creative_id' | 'placement' | 'day'>;

function placeOf(account_id: string, { line_item, creative_id, placement, day }: Delivered): Place {
  return { account_id, line_item_id: line_item.id, creative_id, placement, day };
}

function keyOf({ line_item_id, creative_id, placement, day }: Omit<Place, 'account_id'>): string {
  return `${line_item_id} ${creative_id} ${placement} ${day}`;
}

function sumOf(numbers: HourlyNumbers, metric: DeliveryMetric): number {
  return numbers.get(metric)?.reduce((sum, number) => sum + number, 0) ?? 0;
}

/** Clamps a sum to the largest safe integer, which no budget exceeds. @source decision 1070 */
function saturated(sum: number): number {
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

/** Adds numbers to a packed day. */
function addToDay(hours: number, stored: Uint8Array | undefined, added: HourlyNumbers): Uint8Array {
  if (!stored) return packHours(hours, added);
  const sum = new Map<DeliveryMetric, readonly number[]>(unpackHours(stored).metrics);
  for (const [metric, numbers] of added) {
    const former = sum.get(metric);
    sum.set(metric, former ? numbers.map((number, hour) => number + former[hour]!) : numbers);
  }
  return packHours(hours, sum satisfies DayOfHours['metrics']);
}

async function addSegments(
  tx: WriteTransaction,
  account_id: string,
  delivered: readonly Delivered[],
  range: { readonly account: string; readonly from: string; readonly until: string; readonly line_items: string[] },
): Promise<void> {
  const types = new Set(delivered.flatMap(({ segments }) => [...(segments?.keys() ?? [])]));
  const rows: DeliverySegment[] = [];
  for (const segmentation of types) {
    const stored = await tx.deliveryLedger.listSegments({ ...range, segmentation });
    const known = new Map(stored.map((row) => [`${keyOf(row)} ${row.value}`, row.hours]));
    for (const each of delivered) {
      const place = placeOf(account_id, each);
      for (const [value, added] of each.segments?.get(segmentation) ?? []) {
        const hours = addToDay(each.hours, known.get(`${keyOf(place)} ${value}`), added);
        rows.push({ ...place, segmentation, value, hours });
      }
    }
  }
  await tx.deliveryLedger.saveSegments(rows);
}

function changesOf(
  { id, timezone }: Pick<AccountState, 'id' | 'timezone'>,
  delivered: readonly Delivered[],
  now: string,
) {
  const now_ms = instantMs(now);
  const recorded_hour = formatInstant(startOfHour(now_ms, localDayAt(now_ms, timezone)));
  return delivered.map((each) => ({
    account_id: id,
    recorded_hour,
    line_item_id: each.line_item.id,
    creative_id: each.creative_id,
    placement: each.placement,
    applies_from: each.from,
    applies_until: each.until,
  }));
}

function totals(
  delivered: readonly Delivered[],
  keyFor: (each: Delivered) => string,
  amountOf: (each: Delivered) => number,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const each of delivered) found.set(keyFor(each), (found.get(keyFor(each)) ?? 0) + amountOf(each));
  return found;
}

/** Adds to the spend of rows in order of id, to prevent deadlocks. */
async function addSpend(
  tx: WriteTransaction,
  resource: AnyResource,
  account: string,
  amounts: ReadonlyMap<string, number>,
): Promise<void> {
  const ids = [...amounts.keys()].filter((id) => amounts.get(id) !== 0).sort();
  for (const row of await tx.records.getMany(resource, account, ids, { deleted: 'shown', lock: true })) {
    const { id } = row;
    const spent = saturated(Number(row[SPENT]) + amounts.get(id)!);
    await tx.records.update(resource, { account, id }, { [SPENT]: spent });
  }
}
