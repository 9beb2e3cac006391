import { instantMs } from '../../../base/instants.ts';
import { nextTurn } from '../../../base/timers.ts';
import { addDays } from '../../../base/zones.ts';
import type { AccountState } from '../../../contract/declare/account-state.ts';
import type { AnyResource } from '../../../contract/declare/resource.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { DayQuery, DeliveryHours } from '../../../contract/store/delivery-ledger.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { type Buckets, bucketsOf, type DayBuckets, type Granularity } from './buckets.ts';
import {
  type FoundEntities,
  findEntities,
  STATS_ENTITIES,
  type StatsEntity,
  type StatsEntityName,
} from './entities.ts';
import { METRIC_GROUPS, type Metric, type MetricGroup } from './metrics.ts';
import { audienceCache, type NumberSink, SegmentDivider } from './segment-parts.ts';
import {
  canBeSegmented,
  SEGMENTATIONS,
  type Segment,
  type Segmentation,
  type SegmentationQuery,
  segmentsOf,
  valueFilter,
} from './segmentations.ts';

/** A query for statistics. */
export interface StatsQuery {
  readonly account: Pick<AccountState, 'id' | 'environment' | 'timezone'>;
  readonly entity: StatsEntityName;
  readonly entity_ids: readonly string[];
  /** Whole hours of the time zone of the account, as UTC texts; `until` is exclusive. */
  readonly from: string;
  readonly until: string;
  readonly granularity: Granularity;
  readonly groups: readonly MetricGroup[];
  /** All by default. */
  readonly placement?: string;
  readonly segmentation?: SegmentationQuery | undefined;
}

/** A query for sums of the ledger. */
interface LedgerQuery extends Pick<StatsQuery, 'placement' | 'segmentation'> {
  readonly account: Pick<AccountState, 'id' | 'timezone'>;
  readonly entities: FoundEntities;
  readonly buckets: Buckets;
  readonly metrics: readonly DeliveryMetric[];
}

/** The numbers of each active metric, by bucket. */
export type Series = Map<DeliveryMetric, Float64Array>;

/** The delivery of an entity: in total, or by active segment. */
export interface EntityStats {
  readonly id: string;
  readonly parts: readonly { readonly segment: Segment | null; readonly series: Series }[];
}

/** The result of a query, in the order of the ids. */
export interface Stats {
  /** Number of buckets in a series. */
  readonly length: number;
  readonly entities: readonly EntityStats[];
}

/** Number of days and line items read at once, to bound memory and yield to other requests. */
const DAYS_AT_ONCE = 7;
const LINES_AT_ONCE = 500;
/** Placements with separate statistics; all others count as ALL_ON_SERVICE. @source analytics 5 */
const OWN_PLACEMENTS: ReadonlySet<string> = new Set(['PUBLISHER_NETWORK', 'SPOTLIGHT', 'TREND']);

/** Maps a placement to that of statistics. */
export function statsPlacement(placement: string): string {
  return OWN_PLACEMENTS.has(placement) ? placement : 'ALL_ON_SERVICE';
}

interface StatsOptions {
  /** The resource with the names of conversion tags. */
  readonly tags?: AnyResource | undefined;
  readonly signal?: AbortSignal;
}

/** Reads the delivery of entities. Never call it inside a unit of work. @source analytics 0 */
export async function readStats(store: Store, query: StatsQuery, options: StatsOptions = {}): Promise<Stats> {
  const { account, entity, entity_ids, from, until, granularity } = query;
  const entities = await store.read((tx) => findEntities(tx, account, entity, entity_ids));
  const buckets = bucketsOf(instantMs(from), instantMs(until), granularity, account.timezone);
  return readDeliveries(store, { ...query, entities, buckets, metrics: metricsOf(query) }, options);
}

/**
 * Sums up the delivery of entities from the ledger. Never call it inside a unit of work.
 */
export async function readDeliveries(
  store: Store,
  query: LedgerQuery,
  { tags, signal }: StatsOptions = {},
): Promise<Stats> {
  const { account, entities, buckets, metrics, segmentation } = query;
  const collected = collector(entities, buckets, metrics);
  const slots = Int16Array.from(DELIVERY_METRICS, (metric) => metrics.indexOf(metric));
  const audiences = segmentation && audienceCache(segmentation.type);
  const isIdle = metrics.length === 0 || entities.ids.length === 0;
  for (const range of isIdle ? [] : rangesOf(entities, buckets)) {
    signal?.throwIfAborted();
    const { days, segments } = await store.read(async (tx) => {
      const listed = await tx.deliveryLedger.listHours({ account: account.id, ...range }, 'all');
      const { placement } = query;
      const days =
        placement === undefined ? listed : listed.filter((day) => statsPlacement(day.placement) === placement);
      if (!audiences || days.length === 0) return { days, segments: [] };
      const missing = audiences.missing(days.map(({ line_item_id }) => line_item_id));
      audiences.add(missing, await tx.deliveryLedger.listAudiences(account.id, missing));
      const divided = { account: account.id, ...range, segmentation: segmentation!.type };
      return { days, segments: await tx.deliveryLedger.listSegments(divided) };
    });
    if (audiences) {
      const toSegment = valueFilter(segmentation!, account.timezone);
      const divider = new SegmentDivider({ metrics, segments, audiences, toSegment, zone: account.timezone });
      for (const day of days) collected.add(day, (into) => divider.visit(day, into));
    } else {
      for (const day of days) {
        collected.add(day, ({ add }) =>
          visitHours(day.hours, slots, (slot, hour, number) => add('', slot, hour, number)),
        );
      }
    }
    await yieldToRequests();
  }
  const parts = collected.series();
  const values = [...new Set(parts.flatMap((each) => each.map(([value]) => value)))];
  const segments =
    segmentation && (await store.read((tx) => segmentsOf(tx, account.id, segmentation.type, values, tags)));
  return {
    length: buckets.length,
    entities: entities.ids.map((id, at) => ({ id, parts: partsInOrder(parts[at]!, segments) })),
  };
}

/** Returns the impressions of line items in a range on all placements; line items without any are absent. */
export async function readImpressions(
  store: Store,
  account: StatsQuery['account'],
  lines: readonly string[],
  { from, until }: Pick<StatsQuery, 'from' | 'until'>,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const buckets = bucketsOf(instantMs(from), instantMs(until), 'TOTAL', account.timezone);
  const slots = Int16Array.from(DELIVERY_METRICS, (metric) => (metric === 'impressions' ? 0 : -1));
  for (const [first, end] of lines.length === 0 ? [] : chunksOf(buckets)) {
    const range = { account: account.id, from: first, until: end, line_items: lines };
    for (const day of await store.read((tx) => tx.deliveryLedger.listDays(range))) {
      const hours = buckets.days.get(day.day);
      let sum = found.get(day.line_item_id) ?? 0;
      visitHours(day.hours, slots, (_, hour, number) => {
        if (hours && hour >= hours.first && hour < hours.end) sum += number;
      });
      found.set(day.line_item_id, sum);
    }
    await yieldToRequests();
  }
  return found;
}

/** Yields to pending requests during a long reply. */
export function yieldToRequests(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}

/** Returns the metrics of the ledger that a query needs. */
function metricsOf({ entity, groups, segmentation }: StatsQuery): DeliveryMetric[] {
  const about: StatsEntity = STATS_ENTITIES[entity];
  const without = segmentation && (SEGMENTATIONS[segmentation.type] as Segmentation).without;
  const metrics = new Set<DeliveryMetric>();
  for (const group of without?.includes(entity) ? [] : groups) {
    if (!about.groups.includes(group)) continue;
    if (segmentation && !canBeSegmented(segmentation.type, group)) continue;
    for (const { name, members } of METRIC_GROUPS[group] as readonly Metric[]) {
      if (group === 'ENGAGEMENT' && about.engagement && !about.engagement.includes(name as DeliveryMetric)) continue;
      for (const { sumOf } of members) for (const metric of sumOf) metrics.add(metric);
    }
  }
  return [...metrics];
}

function* rangesOf({ lines }: FoundEntities, buckets: Buckets): Iterable<Omit<DayQuery, 'account'>> {
  for (let at = 0; at < (lines?.length ?? 1); at += LINES_AT_ONCE) {
    const line_items = lines?.slice(at, at + LINES_AT_ONCE);
    for (const [from, until] of chunksOf(buckets)) yield { from, until, ...(line_items && { line_items }) };
  }
}

function* chunksOf({ days }: Buckets): Iterable<readonly [from: string, until: string]> {
  const dates = [...days.keys()];
  for (let at = 0; at < dates.length; at += DAYS_AT_ONCE) {
    yield [dates[at]!, addDays(dates[Math.min(at + DAYS_AT_ONCE, dates.length) - 1]!, 1)];
  }
}

/** Sums up deliveries by entity, segment, metric and bucket. */
function collector({ ids, ownerOf }: FoundEntities, { length, days }: Buckets, metrics: readonly DeliveryMetric[]) {
  const width = metrics.length;
  const sums = ids.map(() => new Map<string, Float64Array>());
  let ofEntity = sums[0]!;
  let place: DayBuckets;
  let segment: string | undefined;
  let numbers: Float64Array = new Float64Array(0);
  const selectSegment = (value: string): void => {
    segment = value;
    numbers = ofEntity.get(value) ?? new Float64Array(length * width);
    ofEntity.set(value, numbers);
  };
  /** Offset of the numbers of an hour; the metrics of a bucket are adjacent. */
  const rowOf = (hour: number): number => (place.bucket + (hour - place.first) * place.step) * width;
  const into: NumberSink = {
    add(value, slot, hour, number) {
      if (hour < place.first || hour >= place.end) return;
      if (value !== segment) selectSegment(value);
      numbers[rowOf(hour) + slot]! += number;
    },
    addAll(value, hour, parts, from, stride) {
      if (hour < place.first || hour >= place.end) return;
      if (value !== segment) selectSegment(value);
      const row = rowOf(hour);
      for (let slot = 0, at = from; slot < width; slot++, at += stride) numbers[row + slot]! += parts[at]!;
    },
  };
  return {
    /** The sums by entity and segment. */
    series: (): Parts[] => sums.map((bySegment) => seriesOf(bySegment, metrics, length)),
    /** Adds the numbers that `visit` reports of a day, if it belongs to an entity. */
    add(day: DeliveryHours, visit: (into: NumberSink) => void): void {
      const owner = ownerOf(day);
      const found = days.get(day.day);
      if (owner === undefined || !found) return;
      ofEntity = sums[owner]!;
      place = found;
      segment = undefined;
      visit(into);
    },
  };
}

type Parts = readonly (readonly [value: string, series: Series])[];

/** Returns the series of each active segment and metric. */
function seriesOf(
  bySegment: ReadonlyMap<string, Float64Array>,
  metrics: readonly DeliveryMetric[],
  length: number,
): Parts {
  const found: [value: string, series: Series][] = [];
  for (const [value, numbers] of bySegment) {
    const series: Series = new Map();
    for (const [slot, metric] of metrics.entries()) {
      const own = Float64Array.from({ length }, (_, bucket) => numbers[bucket * metrics.length + slot]!);
      if (own.some((number) => number > 0)) series.set(metric, own);
    }
    if (series.size > 0) found.push([value, series]);
  }
  return found;
}

/** Returns the total, or the segments by value; an entity without activity has one empty part. */
function partsInOrder(parts: Parts, segments: ReadonlyMap<string, Segment> | undefined): EntityStats['parts'] {
  if (parts.length === 0) return [{ segment: null, series: new Map() }];
  const sorted = parts.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([value, series]) => ({ segment: segments?.get(value) ?? null, series }));
}
