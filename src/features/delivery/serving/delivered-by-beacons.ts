import { formatInstant } from '../../../base/instants.ts';
import { localDayAt, startOfHour } from '../../../base/zones.ts';
import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Delivered } from '../ledger-writer.ts';
import { type ServedAd, segmentsOf } from './beacon.ts';

/** A counted beacon, and the amount charged for it. */
export interface Counted {
  readonly beacon: ServedAd;
  readonly kind: 'impression' | 'click';
  readonly at_ms: number;
  readonly charged: number;
  /** Whether it was the billed action, and an amount was charged. */
  readonly isBilled: boolean;
}

const HOUR_MS = 3_600_000;

type Numbers = Map<DeliveryMetric, number[]>;

/** Sums up beacons by creative, placement and local day, for the ledger. @source decision 983 */
export function deliveredBy(counted: readonly Counted[], timezone: string): Delivered[] {
  const found = new Map<string, { head: Omit<Delivered, 'added' | 'from' | 'until'>; times: number[] }>();
  const numbers = new Map<string, { added: Numbers; segments: Map<string, Map<string, Numbers>> }>();
  for (const each of counted) {
    const { beacon, at_ms } = each;
    const day = localDayAt(at_ms, timezone);
    const hour = Math.floor((startOfHour(at_ms, day) - day.start_ms) / HOUR_MS);
    const key = `${beacon.line} ${beacon.creative} ${beacon.placement} ${day.date}`;
    const line_item = { id: beacon.line, campaign_id: beacon.campaign, funding_instrument_id: beacon.instrument };
    const { creative: creative_id, placement } = beacon;
    const entry = found.get(key) ?? {
      head: { line_item, creative_id, placement, day: day.date, hours: day.hours },
      times: [],
    };
    entry.times.push(at_ms);
    found.set(key, entry);
    const sums = numbers.get(key) ?? { added: new Map(), segments: new Map() };
    numbers.set(key, sums);
    const metrics = metricsOf(each);
    add(sums.added, metrics, hour, day.hours);
    for (const [type, value] of segmentsOf(beacon)) {
      const values = sums.segments.get(type) ?? new Map<string, Numbers>();
      const own = values.get(value) ?? new Map();
      sums.segments.set(type, values.set(value, own));
      add(own, metrics, hour, day.hours);
    }
  }
  return [...found].map(([key, { head, times }]) => ({
    ...head,
    ...numbers.get(key)!,
    from: formatInstant(Math.min(...times)),
    // Times are to the second, and the end is exclusive.
    until: formatInstant(Math.max(...times) + 1000),
  }));
}

function metricsOf({ beacon, kind, charged, isBilled }: Counted): (readonly [DeliveryMetric, number])[] {
  const billed = isBilled
    ? ([
        ['billed_engagements', 1],
        ['billed_charge_local_micro', charged],
      ] as const)
    : [];
  if (kind === 'impression') return [['impressions', 1], ...billed];
  return [
    ['engagements', 1],
    ['clicks', 1],
    ...(beacon.click === 'none' ? [] : [[beacon.click, 1] as const]),
    ...billed,
  ];
}

function add(to: Numbers, metrics: readonly (readonly [DeliveryMetric, number])[], hour: number, hours: number): void {
  for (const [metric, amount] of metrics) {
    const row = to.get(metric) ?? new Array<number>(hours).fill(0);
    row[hour]! += amount;
    to.set(metric, row);
  }
}
