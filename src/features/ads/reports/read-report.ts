import { plusDays } from '../../../base/zones.ts';
import { DELIVERY_METRICS } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import {
  type CurrencyReport,
  type DailyNumbers,
  REPORT_METRICS,
  type ReportLevel,
  type ReportQuestion,
  type ReportScope,
} from '../../../contract/delivery/report.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DayQuery, DeliveryOwner } from '../../../contract/store/delivery-ledger.ts';
import type { Store } from '../../../contract/store/store.ts';
import { othersTurn } from '../analytics/read-stats.ts';
import { nameRows } from './name-rows.ts';

/** The account of a report. */
export type ReportedAccount = Pick<SettledAccount, 'id' | 'environment'>;

const NAMES = Object.keys(REPORT_METRICS) as (keyof DailyNumbers)[];
const WIDTH = NAMES.length;
const SLOTS = Int16Array.from(DELIVERY_METRICS, (metric) => NAMES.findIndex((name) => REPORT_METRICS[name] === metric));

/**
 * Adds up what an account delivered, straight from the ledger, by currency: all placements, all kinds of ads, deleted ones
 * too. Currencies come in the order of their impressions. Never call it inside a unit of work.
 */
export async function readReport(
  store: Pick<Store, 'read'>,
  account: ReportedAccount,
  question: ReportQuestion,
): Promise<CurrencyReport[]> {
  const { days, level, rows_max = Number.POSITIVE_INFINITY, isByDay = false, lastHours } = question;
  const sums = reportSums(days.length, isByDay);
  const owners = await ownersIn(store, account, question);
  const lines = limitTo(question, owners);
  for (const [at, day] of days.entries()) {
    const range = { account: account.id, from: day, until: plusDays(day, 1), ...lines };
    const hoursMax = at === days.length - 1 ? lastHours : undefined;
    await store.read(async (tx) => {
      for (const { line_item_id, creative_id, hours } of await tx.deliveryLedger.listHours(range)) {
        const owner = owners.get(line_item_id);
        if (!owner) continue;
        const row = sums.rowOf(owner.currency, keyOf(level, owner, { line_item_id, creative_id }));
        sums.add(row, at, hours, hoursMax);
      }
    });
    // A large account lets others in between.
    await othersTurn();
  }
  const found = sums.byCurrency(rows_max);
  await store.read((tx) =>
    nameRows(
      tx,
      account,
      level,
      found.flatMap(({ rows }) => rows),
    ),
  );
  return found;
}

function keyOf(
  level: ReportLevel,
  { campaign_id }: DeliveryOwner,
  { line_item_id, creative_id }: { readonly line_item_id: string; readonly creative_id: string },
): string {
  if (level === 'campaigns') return campaign_id;
  return level === 'ads' ? creative_id : line_item_id;
}

/** To what each line item of a scope belongs. */
export async function ownersIn(
  store: Pick<Store, 'read'>,
  { id }: ReportedAccount,
  scope: ReportScope,
): Promise<ReadonlyMap<string, DeliveryOwner>> {
  const owners = await store.read((tx) => tx.deliveryLedger.listOwners(id, scope));
  return new Map(owners.map((owner) => [owner.line_item_id, owner]));
}

/** The line items that a query over days is limited to. */
export function limitTo(
  { campaign_id, line_item_id }: ReportScope,
  owners: ReadonlyMap<string, DeliveryOwner>,
): Pick<DayQuery, 'line_items'> {
  return campaign_id === undefined && line_item_id === undefined ? {} : { line_items: [...owners.keys()] };
}

/** Adds up days of hours by currency and row. */
function reportSums(length: number, isByDay: boolean) {
  type Row = { readonly totals: Float64Array; readonly row: Float64Array };
  const currencies = new Map<string, { readonly totals: Float64Array; readonly rows: Map<string, Float64Array> }>();
  return {
    rowOf(currency: string, key: string): Row {
      const found = currencies.get(currency) ?? { totals: new Float64Array(length * WIDTH), rows: new Map() };
      currencies.set(currency, found);
      const { totals, rows } = found;
      const row = rows.get(key) ?? new Float64Array((isByDay ? length : 1) * WIDTH);
      rows.set(key, row);
      return { totals, row };
    },
    add({ totals, row }: Row, day: number, hours: Uint8Array, hoursMax = Number.POSITIVE_INFINITY): void {
      const ofDay = day * WIDTH;
      const inRow = isByDay ? ofDay : 0;
      visitHours(hours, SLOTS, (slot, hour, number) => {
        // The hour in which the limit lies counts in part.
        const counted = number * Math.max(0, Math.min(1, hoursMax - hour));
        totals[ofDay + slot]! += counted;
        row[inRow + slot]! += counted;
      });
    },
    byCurrency(rows_max: number): CurrencyReport[] {
      const found = [...currencies].map(([currency, { totals, rows }]) => {
        const all = [...rows].map(([id, numbers]) => ({ id, name: null, numbers: numbersOf(numbers) }));
        const ranked = all.sort((one, other) => spendOf(other.numbers) - spendOf(one.numbers));
        return { currency, totals: numbersOf(totals), rows: ranked.slice(0, rows_max), rowCount: all.length };
      });
      const seen = ({ totals }: CurrencyReport): number => totals.impressions.reduce((sum, each) => sum + each, 0);
      return found.sort((one, other) => seen(other) - seen(one));
    },
  };
}

function numbersOf(numbers: Float64Array): DailyNumbers {
  const of = (slot: number): number[] =>
    Array.from({ length: numbers.length / WIDTH }, (_, at) => numbers[at * WIDTH + slot]!);
  return Object.fromEntries(NAMES.map((name, slot) => [name, of(slot)])) as DailyNumbers;
}

function spendOf({ spend }: DailyNumbers): number {
  return spend.reduce((sum, each) => sum + each, 0);
}
