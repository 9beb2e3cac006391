import { instantMs } from '../../../base/instants.ts';
import { localDay } from '../../../base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { DeliveryAudience, DeliveryHours, DeliverySegment } from '../../../contract/store/delivery-ledger.ts';
import { byLargestRemainder, dealOut, numberOf, type Turns, turnsOf } from './apportion.ts';
import { COUNTS_OF_AMOUNTS } from './metrics.ts';
import { UNKNOWN } from './segmentations.ts';

/** Receives the numbers of a day. */
export interface Collected {
  /** Adds a number of a slot and an hour to the series of a segment; without segments its value is empty. */
  readonly add: (segment: string, slot: number, hour: number, number: number) => void;
  /** Adds the numbers of all slots of an hour: that of the first stands at `from`, each next one `apart` further. */
  readonly addAll: (segment: string, hour: number, numbers: Float64Array, from: number, apart: number) => void;
}

/** An audience as it takes turns; without turns, it is unknown. */
interface AudienceTurns {
  readonly values: readonly string[];
  readonly turns: Turns | undefined;
}

/** The audience of a line item from a time on. */
interface TimedAudience {
  readonly from_ms: number;
  readonly audience: AudienceTurns;
}

const HOUR_MS = 3_600_000;

/** The audiences of line items, as they divide deliveries by one segmentation. */
export function audienceShares(segmentation: string) {
  const byLine = new Map<string, TimedAudience[]>();
  /** Many line items share an audience. */
  const byShares = new Map<string, AudienceTurns>();
  const turnsOfPeople = (people: Readonly<Record<string, number>>): AudienceTurns => {
    const key = JSON.stringify(people);
    let found = byShares.get(key);
    if (!found) {
      const values = Object.keys(people).sort();
      found = { values, turns: turnsOf(values.map((value) => people[value]!)) };
      byShares.set(key, found);
    }
    return found;
  };
  return {
    /** The line items among these whose audiences are not there yet. */
    missing: (lines: Iterable<string>): string[] => [...new Set(lines)].filter((line) => !byLine.has(line)),
    /** Adds all audiences of line items, in the order of their times. */
    add(lines: readonly string[], audiences: readonly DeliveryAudience[]): void {
      for (const line of lines) byLine.set(line, []);
      for (const { subject, applies_from, shares } of audiences) {
        const audience = turnsOfPeople(shares[segmentation] ?? {});
        byLine.get(subject)!.push({ from_ms: instantMs(applies_from), audience });
      }
    },
    /** The audiences of a line item, in the order of their times. */
    of: (line: string): readonly TimedAudience[] => byLine.get(line) ?? [],
  };
}

/** The audience at the beginning of an hour, or the first that begins within it. */
function audienceAt(all: readonly TimedAudience[], hour_ms: number): AudienceTurns | undefined {
  const inForce = all.findLast(({ from_ms }) => from_ms <= hour_ms);
  return (inForce ?? all.find(({ from_ms }) => from_ms < hour_ms + HOUR_MS))?.audience;
}

interface SegmentSources {
  readonly metrics: readonly DeliveryMetric[];
  readonly segments: readonly DeliverySegment[];
  readonly audiences: Pick<ReturnType<typeof audienceShares>, 'of'>;
  /** The value under which a value of the ledger is shown; undefined when it is left out. */
  readonly shownAs: (value: string) => string | undefined;
  readonly zone: string;
}

/**
 * Divides days of delivery into segments. What the ledger knows by segment is taken from there; the rest of each hour is
 * dealt out among the people of the audience. The parts of each metric and hour add up to its number, with those that are
 * left out, and do not depend on what else is requested.
 * @source decision 962
 */
export class SegmentParts {
  readonly #sources: SegmentSources;
  readonly #metrics: readonly DeliveryMetric[];
  readonly #slots: Int16Array;
  /** By metric: the counts that an amount follows. */
  readonly #countsOf: readonly (readonly number[])[];
  /** Amounts come after the counts that they follow. */
  readonly #order: readonly number[];
  readonly #byDay: ReadonlyMap<string, readonly DeliverySegment[]>;
  #parts = new Float64Array(0);

  constructor(sources: SegmentSources) {
    const { metrics, segments } = sources;
    this.#sources = sources;
    // Whose turn it is follows from the impressions, and amounts follow their counts, whether they are requested or not.
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
  visit(day: DeliveryHours, into: Collected): void {
    const { shownAs, zone, audiences } = this.#sources;
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
    let start = numberOf(keyOf(day));
    for (let hour = 0; hour < hours; hour++) {
      const base = hour * width;
      const found = audienceAt(known, start_ms + hour * HOUR_MS);
      if (found?.turns) {
        const { values, turns } = found;
        this.#divideHour(rest, base, turns, start);
        for (let at = 0; at < values.length; at++) {
          const shown = shownAs(values[at]!);
          if (shown !== undefined) into.addAll(shown, hour, this.#parts, at, values.length);
        }
      } else {
        const shown = shownAs(UNKNOWN);
        if (shown !== undefined) into.addAll(shown, hour, rest, base, 1);
      }
      start += rest[base + impressions]!;
    }
  }

  /** Adds the numbers that the ledger has by segment, and takes them from the rest. */
  #addKnown(day: DeliveryHours, rest: Float64Array, { add }: Collected): void {
    const { metrics, shownAs } = this.#sources;
    const { length: width } = this.#metrics;
    for (const { value, hours } of this.#byDay.get(keyOf(day)) ?? []) {
      visitHours(hours, this.#slots, (slot, hour, number) => {
        const at = hour * width + slot;
        const shown = slot < metrics.length ? shownAs(value) : undefined;
        if (shown !== undefined) add(shown, slot, hour, Math.min(number, rest[at]!));
        rest[at] = Math.max(0, rest[at]! - number);
      });
    }
  }

  /** Divides the rest of an hour: the parts of each slot stand after each other. */
  #divideHour(rest: Float64Array, base: number, turns: Turns, start: number): void {
    const { length } = turns.weights;
    const size = this.#metrics.length * length;
    if (this.#parts.length < size) this.#parts = new Float64Array(size);
    else this.#parts.fill(0, 0, size);
    const parts = this.#parts;
    for (const slot of this.#order) {
      const number = rest[base + slot]!;
      if (number === 0) continue;
      const counts = this.#countsOf[slot]!.filter((count) => rest[base + count]! > 0);
      if (counts.length === 0) dealOut(number, turns, start, parts, slot * length);
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
