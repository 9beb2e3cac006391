import { instantMs } from '../../../base/instants.ts';
import { localDay } from '../../../base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import { visitHours } from '../../../contract/delivery/packed-hours.ts';
import type { DeliveryAudience, DeliveryHours, DeliverySegment } from '../../../contract/store/delivery-ledger.ts';
import { byLargestRemainder, dealOut, numberOf, type Turns, turnsOf } from './apportion.ts';
import { COUNTS_OF_AMOUNTS } from './metrics.ts';
import { UNKNOWN } from './segmentations.ts';

/** Where the numbers of a day go. */
export interface Collected {
  /** Adds a number of a slot and an hour to the series of a segment; without segments its value is empty. */
  readonly add: (segment: string, slot: number, hour: number, number: number) => void;
  /** Adds the numbers of all slots of an hour: that of the first stands at `from`, each next one `apart` further. */
  readonly addAll: (segment: string, hour: number, numbers: Float64Array, from: number, apart: number) => void;
}

/** An audience as it takes turns; without turns nothing is known of it. */
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
  /** Many line items mean the same people. */
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

/** What dividing days into segments needs. */
export interface SegmentSources {
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
 * left out, and do not depend on what else is asked for.
 * @source decision 962
 */
export function segmentParts({ metrics, segments, audiences, shownAs, zone }: SegmentSources) {
  // Whose turn it is follows from the impressions, and amounts follow their counts, whether they are asked for or not.
  const all = [
    ...new Set<DeliveryMetric>([
      ...metrics,
      'impressions',
      ...metrics.flatMap((metric) => COUNTS_OF_AMOUNTS.get(metric) ?? []),
    ]),
  ];
  const slots = Int16Array.from(DELIVERY_METRICS, (metric) => all.indexOf(metric));
  const impressions = all.indexOf('impressions');
  const countsOf = all.map((metric) => (COUNTS_OF_AMOUNTS.get(metric) ?? []).map((count) => all.indexOf(count)));
  // Amounts come after the counts that they follow.
  const order = [...all.keys()].sort((one, other) => countsOf[one]!.length - countsOf[other]!.length || one - other);
  const byDay = Map.groupBy(segments, keyOf);

  let parts = new Float64Array(0);

  /** Divides the rest of an hour: the parts of each slot stand after each other. */
  const divideHour = (rest: Float64Array, base: number, turns: Turns, start: number): void => {
    const { length } = turns.weights;
    if (parts.length < all.length * length) parts = new Float64Array(all.length * length);
    else parts.fill(0, 0, all.length * length);
    for (const slot of order) {
      const number = rest[base + slot]!;
      if (number === 0) continue;
      const counts = countsOf[slot]!.filter((count) => rest[base + count]! > 0);
      if (counts.length === 0) dealOut(number, turns, start, parts, slot * length);
      else {
        const weights = new Array<number>(length).fill(0);
        for (const count of counts) for (let at = 0; at < length; at++) weights[at]! += parts[count * length + at]!;
        parts.set(byLargestRemainder(number, weights), slot * length);
      }
    }
  };

  return {
    /** Adds the parts of a day. */
    visit(day: DeliveryHours, { add, addAll }: Collected): void {
      const hours = day.hours[0] ?? 0;
      const rest = new Float64Array(all.length * hours);
      visitHours(day.hours, slots, (slot, hour, number) => {
        rest[hour * all.length + slot] = number;
      });
      const addShown = (value: string, slot: number, hour: number, number: number): void => {
        const shown = slot < metrics.length ? shownAs(value) : undefined;
        if (shown !== undefined) add(shown, slot, hour, number);
      };
      for (const { value, hours: stored } of byDay.get(keyOf(day)) ?? []) {
        visitHours(stored, slots, (slot, hour, number) => {
          const at = hour * all.length + slot;
          addShown(value, slot, hour, Math.min(number, rest[at]!));
          rest[at] = Math.max(0, rest[at]! - number);
        });
      }
      const { start_ms } = localDay(day.day, zone);
      const known = audiences.of(day.line_item_id);
      let start = numberOf(keyOf(day));
      for (let hour = 0; hour < hours; hour++) {
        const base = hour * all.length;
        const found = audienceAt(known, start_ms + hour * HOUR_MS);
        if (found?.turns) {
          const { values, turns } = found;
          divideHour(rest, base, turns, start);
          for (let at = 0; at < values.length; at++) {
            const shown = shownAs(values[at]!);
            if (shown !== undefined) addAll(shown, hour, parts, at, values.length);
          }
        } else {
          const shown = shownAs(UNKNOWN);
          if (shown !== undefined) addAll(shown, hour, rest, base, 1);
        }
        start += rest[base + impressions]!;
      }
    },
  };
}

function keyOf({
  line_item_id,
  creative_id,
  placement,
  day,
}: Pick<DeliveryHours, 'line_item_id' | 'creative_id' | 'placement' | 'day'>): string {
  return `${line_item_id} ${creative_id} ${placement} ${day}`;
}
