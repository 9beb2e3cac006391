import { instantMs } from '../../../base/instants.ts';
import { localDay } from '../../../base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { DeliveryAudience, DeliveryHours, DeliverySegment } from '../../../contract/store/delivery-ledger.ts';
import { COUNTS_OF_AMOUNTS } from './metrics.ts';
import { byLargestRemainder, distribute, fnv1a, type Rotation, rotationOf } from './segment-rotation.ts';
import { UNKNOWN } from './segmentations.ts';

/** Receives the numbers of a day. */
export interface NumberSink {
  /** Adds a number of a slot and an hour to the series of a segment, which is '' for totals. */
  readonly add: (segment: string, slot: number, hour: number, number: number) => void;
  /** Adds the numbers of all slots of an hour: every `stride`th element from `from` on. */
  readonly addAll: (segment: string, hour: number, numbers: Float64Array, from: number, stride: number) => void;
}

/** The segments of an audience and their rotation; undefined for an unknown audience. */
interface AudienceSegments {
  readonly values: readonly string[];
  readonly rotation: Rotation | undefined;
}

/** The audience of a line item, and the time from which it applies. */
interface TimedAudience {
  readonly from_ms: number;
  readonly audience: AudienceSegments;
}

const HOUR_MS = 3_600_000;

/** Creates a cache of the audiences of line items, divided by one segmentation. */
export function audienceCache(segmentation: string) {
  const byLine = new Map<string, TimedAudience[]>();
  /** Many line items share an audience. */
  const byShares = new Map<string, AudienceSegments>();
  const segmentsOfPeople = (people: Readonly<Record<string, number>>): AudienceSegments => {
    const key = JSON.stringify(people);
    const known = byShares.get(key);
    if (known) return known;
    const values = Object.keys(people).sort();
    const found = { values, rotation: rotationOf(values.map((value) => people[value]!)) };
    byShares.set(key, found);
    return found;
  };
  return {
    /** Returns the line items whose audiences are missing. */
    missing: (lines: Iterable<string>): string[] => [...new Set(lines)].filter((line) => !byLine.has(line)),
    /** Adds all audiences of line items, in chronological order. */
    add(lines: readonly string[], audiences: readonly DeliveryAudience[]): void {
      for (const line of lines) byLine.set(line, []);
      for (const { subject, applies_from, shares } of audiences) {
        const audience = segmentsOfPeople(shares[segmentation] ?? {});
        byLine.get(subject)!.push({ from_ms: instantMs(applies_from), audience });
      }
    },
    /** Returns the audiences of a line item, in chronological order. */
    of: (line: string): readonly TimedAudience[] => byLine.get(line) ?? [],
  };
}

/** Returns the audience at the start of an hour, or the first one that begins within it. */
function audienceAt(all: readonly TimedAudience[], hour_ms: number): AudienceSegments | undefined {
  const inForce = all.findLast(({ from_ms }) => from_ms <= hour_ms);
  return (inForce ?? all.find(({ from_ms }) => from_ms < hour_ms + HOUR_MS))?.audience;
}

interface SegmentSources {
  readonly metrics: readonly DeliveryMetric[];
  readonly segments: readonly DeliverySegment[];
  readonly audiences: Pick<ReturnType<typeof audienceCache>, 'of'>;
  /** Maps a value of the ledger to its segment value; undefined if it is filtered out. */
  readonly toSegment: (value: string) => string | undefined;
  readonly zone: string;
}

/**
 * Divides days of delivery into segments. Numbers that the ledger has by segment are used as they are; the rest of each
 * hour is distributed in proportion to the audience. The parts of each metric and hour, including filtered ones, add up to
 * its number, and do not depend on the other requested metrics.
 * @source decision 962
 */
export class SegmentDivider {
  readonly #sources: SegmentSources;
  readonly #metrics: readonly DeliveryMetric[];
  readonly #slots: Int16Array;
  /** By metric: the counts that an amount is proportional to. */
  readonly #countsOf: readonly (readonly number[])[];
  /** Slots in processing order: amounts after their counts. */
  readonly #order: readonly number[];
  readonly #byDay: ReadonlyMap<string, readonly DeliverySegment[]>;
  #parts = new Float64Array(0);

  constructor(sources: SegmentSources) {
    const { metrics, segments } = sources;
    this.#sources = sources;
    // The position in the rotation depends on impressions, and amounts depend on their counts, even if not requested.
    const counts = metrics.flatMap((metric) => COUNTS_OF_AMOUNTS.get(metric) ?? []);
    const all = [...new Set<DeliveryMetric>([...metrics, 'impressions', ...counts])];
    const countsOf = all.map((metric) => (COUNTS_OF_AMOUNTS.get(metric) ?? []).map((count) => all.indexOf(count)));
    this.#metrics = all;
    this.#slots = Int16Array.from(DELIVERY_METRICS, (metric) => all.indexOf(metric));
    this.#countsOf = countsOf;
    this.#order = [...all.keys()].sort((one, other) => countsOf[one]!.length - countsOf[other]!.length || one - other);
    this.#byDay = Map.groupBy(segments, keyOf);
  }

  /** Adds the parts of a day. */
  visit(day: DeliveryHours, into: NumberSink): void {
    const { toSegment, zone, audiences } = this.#sources;
    const { length: width } = this.#metrics;
    const impressions = this.#metrics.indexOf('impressions');
    const hours = day.hours[0] ?? 0;
    const rest = new Float64Array(width * hours);
    visitHours(day.hours, this.#slots, (slot, hour, number) => {
      rest[hour * width + slot] = number;
    });
    this.#addKnown(day, rest, into);
    const { start_ms } = localDay(day.day, zone);
    const known = audiences.of(day.line_item_id);
    let start = fnv1a(keyOf(day));
    for (let hour = 0; hour < hours; hour++) {
      const base = hour * width;
      const found = audienceAt(known, start_ms + hour * HOUR_MS);
      if (found?.rotation) {
        const { values, rotation } = found;
        this.#divideHour(rest, base, rotation, start);
        for (let at = 0; at < values.length; at++) {
          const segment = toSegment(values[at]!);
          if (segment !== undefined) into.addAll(segment, hour, this.#parts, at, values.length);
        }
      } else {
        const segment = toSegment(UNKNOWN);
        if (segment !== undefined) into.addAll(segment, hour, rest, base, 1);
      }
      start += rest[base + impressions]!;
    }
  }

  /** Adds the numbers that the ledger has by segment, and subtracts them from the rest. */
  #addKnown(day: DeliveryHours, rest: Float64Array, { add }: NumberSink): void {
    const { metrics, toSegment } = this.#sources;
    const { length: width } = this.#metrics;
    for (const { value, hours } of this.#byDay.get(keyOf(day)) ?? []) {
      visitHours(hours, this.#slots, (slot, hour, number) => {
        const at = hour * width + slot;
        const segment = slot < metrics.length ? toSegment(value) : undefined;
        if (segment !== undefined) add(segment, slot, hour, Math.min(number, rest[at]!));
        rest[at] = Math.max(0, rest[at]! - number);
      });
    }
  }

  /** Divides the rest of an hour into `#parts`, slot by slot. */
  #divideHour(rest: Float64Array, base: number, rotation: Rotation, start: number): void {
    const { length } = rotation.weights;
    const size = this.#metrics.length * length;
    if (this.#parts.length < size) this.#parts = new Float64Array(size);
    else this.#parts.fill(0, 0, size);
    const parts = this.#parts;
    for (const slot of this.#order) {
      const number = rest[base + slot]!;
      if (number === 0) continue;
      const counts = this.#countsOf[slot]!.filter((count) => rest[base + count]! > 0);
      if (counts.length === 0) distribute(number, rotation, start, parts, slot * length);
      else {
        const weights = new Array<number>(length).fill(0);
        for (const count of counts) for (let at = 0; at < length; at++) weights[at]! += parts[count * length + at]!;
        parts.set(byLargestRemainder(number, weights), slot * length);
      }
    }
  }
}

function keyOf({
  line_item_id,
  creative_id,
  placement,
  day,
}: Pick<DeliveryHours, 'line_item_id' | 'creative_id' | 'placement' | 'day'>): string {
  return `${line_item_id} ${creative_id} ${placement} ${day}`;
}
