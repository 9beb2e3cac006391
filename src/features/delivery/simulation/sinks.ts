import { formatInstant } from '../../../base/instants.ts';
import type { LocalDay } from '../../../base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Delivered } from '../ledger-writer.ts';
import type { Counts } from './counts.ts';
import type { PreparedLine, Spot } from './prepared-line.ts';

/** What a spot delivers on a day. */
interface Sink {
  readonly line: PreparedLine;
  readonly spot: Spot;
  /** The places of its metrics, and the hours of each in the same order. */
  readonly places: number[];
  readonly hours: number[][];
  from_s: number;
  until_s: number;
}

/** Where delivered numbers add up by spot and day, one day after the other. */
export class Sinks {
  readonly #delivered: Delivered[] = [];
  #day: LocalDay | undefined;
  #sinks: (Sink | undefined)[] = [];

  /** Adds what a spot did in a range of time within an hour of a day: seconds since 1970. */
  add(
    line: PreparedLine,
    spot: Spot,
    day: LocalDay,
    hour: number,
    counts: Counts,
    from_s: number,
    until_s: number,
  ): void {
    if (this.#day?.date !== day.date) this.#endDay(day);
    let sink = this.#sinks[spot.ordinal];
    if (!sink) {
      sink = { line, spot, places: [], hours: [], from_s, until_s };
      this.#sinks[spot.ordinal] = sink;
    }
    sink.until_s = until_s;
    for (let each = 0; each < counts.size; each++) {
      const place = counts.places[each]!;
      let at = sink.places.indexOf(place);
      if (at < 0) {
        at = sink.places.push(place) - 1;
        sink.hours.push(new Array<number>(day.hours).fill(0));
      }
      sink.hours[at]![hour]! += counts.get(place);
    }
  }

  /** All that was added. */
  delivered(): readonly Delivered[] {
    this.#endDay(undefined);
    return this.#delivered;
  }

  #endDay(next: LocalDay | undefined): void {
    const day = this.#day;
    if (day) for (const sink of this.#sinks) if (sink) this.#delivered.push(deliveredOf(sink, day));
    this.#day = next;
    this.#sinks = [];
  }
}

function deliveredOf({ line, spot, places, hours, from_s, until_s }: Sink, day: LocalDay): Delivered {
  const { id, campaign, instrument } = line.booking;
  const added = new Map<DeliveryMetric, readonly number[]>();
  for (let at = 0; at < places.length; at++) added.set(DELIVERY_METRICS[places[at]!]!, hours[at]!);
  return {
    line_item: { id, campaign_id: campaign.id, funding_instrument_id: instrument.id },
    creative_id: spot.creative.id,
    placement: spot.placement,
    day: day.date,
    hours: day.hours,
    added,
    from: formatInstant(from_s * 1000),
    until: formatInstant(until_s * 1000),
  };
}
