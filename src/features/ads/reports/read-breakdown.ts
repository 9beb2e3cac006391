import { plusDays, startOfDay } from '../../../base/zones.ts';
import {
  type BreakdownQuestion,
  type DailyNumbers,
  REPORT_METRICS,
  type SegmentReport,
} from '../../../contract/delivery/report.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { bucketsOf } from '../analytics/buckets.ts';
import { readDeliveries, type Series, type StatsQuery } from '../analytics/read-stats.ts';
import type { SegmentationName } from '../analytics/segmentations.ts';
import { partOf } from './read-report.ts';

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
    segmentation: { type: segmentation as SegmentationName, country, platform: undefined },
  });
  const found = entities.flatMap(({ id: currency, parts }) =>
    parts
      .filter(({ series }) => series.size > 0)
      .map(({ segment, series }) => ({ name: segment?.segment_name ?? null, currency, numbers: numbersOf(series) })),
  );
  return found.sort((one, other) => other.numbers.spend[0]! - one.numbers.spend[0]!);
}

function numbersOf(series: Series): DailyNumbers {
  const entries = NAMES.map((name) => [name, [series.get(REPORT_METRICS[name])?.[0] ?? 0]]);
  return Object.fromEntries(entries) as DailyNumbers;
}
