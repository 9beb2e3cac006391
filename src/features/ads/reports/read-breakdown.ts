import { formatInstant } from '../../../base/instants.ts';
import { plusDays, startOfDay } from '../../../base/zones.ts';
import {
  type BreakdownQuestion,
  type DailyNumbers,
  REPORT_METRICS,
  type SegmentReport,
} from '../../../contract/delivery/report.ts';
import type { Store } from '../../../contract/store/store.ts';
import { readStats, type StatsQuery } from '../analytics/read-stats.ts';
import type { SegmentationName } from '../analytics/segmentations.ts';
import { partOf } from './read-report.ts';

/** Line items that are divided at once. */
const LINES_AT_ONCE = 500;
const NAMES = Object.keys(REPORT_METRICS) as (keyof DailyNumbers)[];

/**
 * Divides what was delivered by a segmentation: together, the segments of a currency are the whole, or that of the country.
 * Those with the highest spend come first. Never call it inside a unit of work.
 */
export async function readBreakdown(
  store: Store,
  account: StatsQuery['account'],
  question: BreakdownQuestion,
): Promise<SegmentReport[]> {
  const { days, segmentation, country } = question;
  const end = plusDays(days.at(-1)!, 1);
  const bound = (day: string): string => formatInstant(Date.parse(startOfDay(day, account.timezone)));
  const query = { ...partOf(account, question), from: days[0]!, until: end };
  const active = await store.read((tx) => tx.deliveryLedger.listSums(query, ['line_item_id']));
  const currencies = new Map(active.map(({ line_item_id, currency }) => [line_item_id!, currency]));
  const lines = [...currencies.keys()];
  const found = new Map<string, SegmentReport>();
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const { entities } = await readStats(store, {
      ...{ account, entity: 'LINE_ITEM', entity_ids: lines.slice(from, from + LINES_AT_ONCE), granularity: 'TOTAL' },
      ...{ from: bound(days[0]!), until: bound(end), groups: ['ENGAGEMENT', 'BILLING', 'VIDEO'] },
      segmentation: { type: segmentation as SegmentationName, country, platform: undefined },
    });
    for (const { id, parts } of entities) {
      const currency = currencies.get(id)!;
      for (const { segment, series } of parts) {
        if (series.size === 0) continue;
        const name = segment?.segment_name ?? null;
        const key = `${currency} ${name}`;
        const known = found.get(key) ?? { name, currency, numbers: nothing() };
        found.set(key, known);
        for (const each of NAMES) known.numbers[each][0]! += series.get(REPORT_METRICS[each])?.[0] ?? 0;
      }
    }
  }
  return [...found.values()].sort((one, other) => other.numbers.spend[0]! - one.numbers.spend[0]!);
}

function nothing(): DailyNumbers {
  return Object.fromEntries(NAMES.map((name) => [name, [0]])) as unknown as DailyNumbers;
}
