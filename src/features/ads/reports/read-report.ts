import { addDays, startOfDay } from '../../../base/zones.ts';
import type { AnyResource } from '../../../contract/declare/resource.ts';
import { DELIVERY_METRICS } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import {
  type BreakdownQuestion,
  type CurrencyReport,
  type DailyNumbers,
  REPORT_METRICS,
  type ReportLevel,
  type ReportQuestion,
  type ReportRow,
  type ReportScope,
  type SegmentReport,
  SUMMED_METRICS,
  totalOf,
} from '../../../contract/delivery/report.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DeliveryHours, DeliverySum, SumKeys, SumQuery } from '../../../contract/store/delivery-ledger.ts';
import type { ReadTransaction, Store } from '../../../storage/unit-of-work.ts';
import { bucketsOf } from '../analytics/buckets.ts';
import { readDeliveries, type StatsQuery, yieldToRequests } from '../analytics/read-stats.ts';
import type { SegmentationName } from '../analytics/segmentations.ts';
import { campaigns } from '../campaigns.ts';
import { lineItems } from '../line-items.ts';
import { mediaCreatives } from '../media-creatives.ts';
import { promotedAccounts } from '../promoted-accounts.ts';
import { promotedPosts } from '../promoted-posts.ts';

/** The account of a report. */
type ReportedAccount = Pick<SettledAccount, 'id' | 'environment'>;

/** Number of days summed up at once, to yield to other requests. */
const DAYS_AT_ONCE = 14;
const NAMES = Object.keys(REPORT_METRICS) as (keyof DailyNumbers)[];
const WIDTH = NAMES.length;
const COLUMNS = ['spend_local_micro', 'impressions', 'engagements', 'clicks', 'video_total_views'] as const;
const KEYS = { campaigns: 'campaign_id', line_items: 'line_item_id', ads: 'creative_id' } as const satisfies Record<
  ReportLevel,
  keyof SumKeys
>;

/** Maps metrics of the ledger to slots of a report; -1 for others. */
const slotsOf = (names: readonly (keyof DailyNumbers)[]): Int16Array =>
  Int16Array.from(DELIVERY_METRICS, (metric) => {
    const slot = NAMES.findIndex((name) => REPORT_METRICS[name] === metric);
    return slot >= 0 && names.includes(NAMES[slot]!) ? slot : -1;
  });
type RowKey = (typeof KEYS)[ReportLevel];
const SLOTS = slotsOf(NAMES);
/** The slots to sum up by hour for days without stored sums, which older versions wrote. */
const UNSUMMED_SLOTS = slotsOf(
  NAMES.filter((name) => (SUMMED_METRICS as readonly string[]).includes(REPORT_METRICS[name])),
);

/**
 * Sums up the delivery of an account from the ledger by currency: all placements and ads, including deleted ones. Currencies
 * are sorted by impressions. Never call it inside a unit of work.
 */
export async function readReport(
  store: Pick<Store, 'read'>,
  account: ReportedAccount,
  question: ReportQuestion,
): Promise<CurrencyReport[]> {
  const { days, level, rows_max = Number.POSITIVE_INFINITY, isByDay = false, lastHours } = question;
  const sums = reportSums(days, level && KEYS[level], isByDay);
  const whole = lastHours === undefined ? days : days.slice(0, -1);
  const within = (from: string, last: string): SumQuery => ({
    ...partOf(account, question),
    from,
    until: addDays(last, 1),
  });
  for (let from = 0; from < whole.length; from += DAYS_AT_ONCE) {
    const part = whole.slice(from, from + DAYS_AT_ONCE);
    const query = within(part[0]!, part.at(-1)!);
    const found = await store.read((tx) => readDays(tx, query, sums.groups));
    for (const sum of found.sums) sums.addSum(sum);
    for (const row of found.unsummed) sums.addHours(row, UNSUMMED_SLOTS);
    await yieldToRequests();
  }
  if (lastHours !== undefined) {
    const last = days.at(-1)!;
    const rows = await store.read((tx) => tx.deliveryLedger.listHours(within(last, last), 'all'));
    for (const row of rows) sums.addHours(row, SLOTS, lastHours);
  }
  const found = sums.byCurrency(rows_max);
  if (level) {
    const rows = found.flatMap((each) => each.rows);
    await store.read((tx) => nameRows(tx, account, level, rows));
  }
  return found;
}

/**
 * Divides delivery by a segmentation: the segments of a currency add up to the total of the account, or of the country.
 * Segments are sorted by spend, highest first. Never call it inside a unit of work.
 */
export async function readBreakdown(
  store: Store,
  account: StatsQuery['account'],
  question: BreakdownQuestion,
): Promise<SegmentReport[]> {
  const { days, segmentation, country } = question;
  const end = addDays(days.at(-1)!, 1);
  const bound_ms = (day: string): number => Date.parse(startOfDay(day, account.timezone));
  const query = { ...partOf(account, question), from: days[0]!, until: end };
  const active = await store.read((tx) => tx.deliveryLedger.listSums(query, ['line_item_id']));
  const currencies = [...new Set(active.map(({ currency }) => currency))];
  const places = new Map(active.map(({ line_item_id, currency }) => [line_item_id!, currencies.indexOf(currency)]));
  const { entities } = await readDeliveries(store, {
    account,
    entities: { ids: currencies, lines: [...places.keys()], ownerOf: ({ line_item_id }) => places.get(line_item_id) },
    buckets: bucketsOf(bound_ms(days[0]!), bound_ms(end), 'TOTAL', account.timezone),
    metrics: Object.values(REPORT_METRICS),
    segmentation: { type: segmentation as SegmentationName, country: country ?? null, platform: null },
  });
  const found = entities.flatMap(({ id: currency, parts }) =>
    parts
      .filter(({ series }) => series.size > 0)
      .map(({ segment, series }) => {
        const numbers = NAMES.map((name) => [name, [series.get(REPORT_METRICS[name])?.[0] ?? 0]]);
        return {
          name: segment?.segment_name ?? null,
          currency,
          numbers: Object.fromEntries(numbers) as DailyNumbers,
        };
      }),
  );
  return found.sort((one, other) => other.numbers.spend[0]! - one.numbers.spend[0]!);
}

/** Returns the conditions of a report's scope. */
function partOf({ id }: ReportedAccount, { campaign_id, line_item_id }: ReportScope) {
  if (line_item_id !== undefined) return { account: id, line_item_id };
  return { account: id, ...(campaign_id !== undefined && { campaign_id }) };
}

/** Reads the stored sums of days, and the hours of days without sums. */
export async function readDays(tx: ReadTransaction, query: SumQuery, groups: readonly (readonly (keyof SumKeys)[])[]) {
  let sums: DeliverySum[] = [];
  for (const keys of groups) sums = sums.concat(await tx.deliveryLedger.listSums(query, keys));
  const isWhole = sums.every(({ unsummed }) => unsummed === 0);
  return { sums, unsummed: isWhole ? [] : await tx.deliveryLedger.listHours(query, 'unsummed') };
}

/** Sums up by currency and day and, with a key, by currency and row. */
function reportSums(days: readonly string[], key: RowKey | undefined, isByDay: boolean) {
  const offsets = new Map(days.map((day, at) => [day, at * WIDTH]));
  const currencies = new Map<string, { readonly totals: Float64Array; readonly rows: Map<string, Float64Array> }>();
  const ofCurrency = (currency: string) => {
    const found = currencies.get(currency) ?? { totals: new Float64Array(days.length * WIDTH), rows: new Map() };
    currencies.set(currency, found);
    return found;
  };
  const rowOf = (currency: string, id: string): Float64Array => {
    const { rows } = ofCurrency(currency);
    const row = rows.get(id) ?? new Float64Array((isByDay ? days.length : 1) * WIDTH);
    rows.set(id, row);
    return row;
  };
  const groups: (readonly (keyof SumKeys)[])[] = [['day']];
  if (key) groups.push(isByDay ? [key, 'day'] : [key]);
  return {
    /** The keys by which the database sums up. */
    groups,
    addSum(sum: DeliverySum): void {
      const id = key && sum[key];
      const into = id === undefined ? ofCurrency(sum.currency).totals : rowOf(sum.currency, id);
      const offset = sum.day === undefined ? 0 : offsets.get(sum.day)!;
      for (let slot = 0; slot < WIDTH; slot++) into[offset + slot]! += sum[COLUMNS[slot]!];
    },
    addHours(row: DeliveryHours, slots: Int16Array, hoursMax = Number.POSITIVE_INFINITY): void {
      const { totals } = ofCurrency(row.currency);
      const offset = offsets.get(row.day)!;
      const into = key && rowOf(row.currency, row[key]);
      visitHours(row.hours, slots, (slot, hour, number) => {
        // The hour that contains the limit counts in part.
        const counted = number * Math.max(0, Math.min(1, hoursMax - hour));
        totals[offset + slot]! += counted;
        if (into) into[(isByDay ? offset : 0) + slot]! += counted;
      });
    },
    byCurrency(rows_max: number): CurrencyReport[] {
      const found = [...currencies].map(([currency, { totals, rows }]) => {
        const all = [...rows].map(([id, numbers]) => ({ id, name: null, numbers: numbersOf(numbers) }));
        const ranked = all.sort((one, other) => totalOf(other.numbers.spend) - totalOf(one.numbers.spend));
        return { currency, totals: numbersOf(totals), rows: ranked.slice(0, rows_max), rowCount: all.length };
      });
      return found.sort((one, other) => totalOf(other.totals.impressions) - totalOf(one.totals.impressions));
    },
  };
}

function numbersOf(numbers: Float64Array): DailyNumbers {
  const of = (slot: number): number[] =>
    Array.from({ length: numbers.length / WIDTH }, (_, at) => numbers[at * WIDTH + slot]!);
  return Object.fromEntries(NAMES.map((name, slot) => [name, of(slot)])) as DailyNumbers;
}

const POSTS_AT_ONCE = 500;
/** The kinds of ads, and the column with the content of each. */
const ADS: readonly (readonly [kind: AnyResource, column: string])[] = [
  [promotedPosts, 'post_id'],
  [promotedAccounts, 'user_id'],
  [mediaCreatives, 'account_media_id'],
];

type Named = { -readonly [Member in keyof ReportRow]: ReportRow[Member] };

/** Sets the names of rows; of ads, the texts of their posts. */
async function nameRows(
  tx: ReadTransaction,
  account: ReportedAccount,
  level: ReportLevel,
  rows: readonly ReportRow[],
): Promise<void> {
  const named = new Map(rows.map((row) => [row.id, row as Named]));
  if (level === 'ads') return nameAds(tx, account, named);
  const kind: AnyResource = level === 'campaigns' ? campaigns : lineItems;
  const found = await tx.records.getMany(kind, account.id, [...named.keys()], { deleted: 'shown' });
  for (const row of found) named.get(row.id)!.name = row.name as string;
}

async function nameAds(tx: ReadTransaction, account: ReportedAccount, ads: ReadonlyMap<string, Named>): Promise<void> {
  const byPost = new Map<string, Named[]>();
  for (const [kind, column] of ADS) {
    for (const row of await tx.records.getMany(kind, account.id, [...ads.keys()], { deleted: 'shown' })) {
      const ad = ads.get(row.id)!;
      ad.shown_id = String(row[column]);
      if (column === 'post_id') byPost.set(ad.shown_id, [...(byPost.get(ad.shown_id) ?? []), ad]);
    }
  }
  const posts = [...byPost.keys()];
  for (let from = 0; from < posts.length; from += POSTS_AT_ONCE) {
    for (const { id, text } of await tx.posts.list(account.environment, posts.slice(from, from + POSTS_AT_ONCE))) {
      for (const ad of byPost.get(id)!) ad.name = text;
    }
  }
}
