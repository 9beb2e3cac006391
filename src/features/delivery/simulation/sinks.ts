import { formatInstant } from '../../../base/instants.ts';
import type { LocalDay } from '../../../base/zones.ts';
import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { Delivered } from '../ledger-writer.ts';
import { type Counts, placeOf } from './counts.ts';
import type { PreparedLine, Spot } from './prepared-line.ts';

/** Numbers per block. */
const BLOCK = 65_536;

/** The deliveries of a spot on a day. */
interface Sink {
  readonly line: PreparedLine;
  readonly spot: Spot;
  readonly from_s: number;
  until_s: number;
  /** Triples in chronological order: the hour, the offset of its numbers, and their count. */
  readonly chunks: number[];
}

/**
 * Accumulates delivered numbers by spot and day, one day after the other. Within a day it only appends, and sums up at the end,
 * because random access to so much memory is slow.
 */
export class Sinks {
  readonly #delivered: Delivered[] = [];
  #day: LocalDay | undefined;
  /** The sinks of the day, by ordinal of the spot. */
  readonly #sinks: (Sink | undefined)[];
  #ordinals: number[] = [];
  readonly #blocks: Float64Array[] = [];
  /** Offset of the next number across all blocks. */
  #size = 0;

  /** @param spots number of spots */
  constructor(spots: number) {
    this.#sinks = new Array<Sink | undefined>(spots).fill(undefined);
  }

  /** Adds the numbers of a spot in a range of time within an hour: seconds since 1970. */
  add(
    line: PreparedLine,
    spot: Spot,
    day: LocalDay,
    hour: number,
    counts: Counts,
    from_s: number,
    until_s: number,
  ): void {
    if (this.#day?.date !== day.date) this.endDay(day);
    let sink = this.#sinks[spot.ordinal];
    if (!sink) {
      sink = { line, spot, from_s, until_s, chunks: [] };
      this.#sinks[spot.ordinal] = sink;
      this.#ordinals.push(spot.ordinal);
    }
    sink.until_s = until_s;
    const block = this.#blockFor(2 * counts.size);
    sink.chunks.push(hour, this.#size, counts.size);
    let at = this.#size % BLOCK;
    for (let each = 0; each < counts.size; each++) {
      const place = counts.places[each]!;
      block[at++] = place;
      block[at++] = counts.get(place);
    }
    this.#size += 2 * counts.size;
  }

  /** Ends the day, and starts the next one, if given. */
  endDay(next?: LocalDay): void {
    const day = this.#day;
    if (day) {
      for (const ordinal of this.#ordinals) {
        this.#delivered.push(deliveredOf(this.#sinks[ordinal]!, day, this.#blocks));
        this.#sinks[ordinal] = undefined;
      }
    }
    this.#day = next;
    this.#ordinals = [];
    this.#size = 0;
  }

  /** Ends the day, and returns all deliveries. */
  delivered(): readonly Delivered[] {
    this.endDay();
    return this.#delivered;
  }

  /** Returns a block with room for this many consecutive numbers. */
  #blockFor(more: number): Float64Array {
    if ((this.#size % BLOCK) + more > BLOCK) this.#size += BLOCK - (this.#size % BLOCK);
    const index = Math.floor(this.#size / BLOCK);
    this.#blocks[index] ??= new Float64Array(BLOCK);
    return this.#blocks[index];
  }
}

/** Buffer for the hours of each metric of a sink. */
const collected = new Array<number[] | undefined>(DELIVERY_METRICS.length).fill(undefined);

/** Sums up the hours of each metric. */
function hoursOf({ chunks }: Sink, day: LocalDay, blocks: readonly Float64Array[]): Delivered['added'] {
  const added = new Map<DeliveryMetric, number[]>();
  for (let chunk = 0; chunk < chunks.length; chunk += 3) {
    const hour = chunks[chunk]!;
    const numbers = blocks[Math.floor(chunks[chunk + 1]! / BLOCK)]!;
    const start = chunks[chunk + 1]! % BLOCK;
    const end = start + 2 * chunks[chunk + 2]!;
    for (let from = start; from < end; from += 2) {
      const place = numbers[from]!;
      let hours = collected[place];
      if (!hours) {
        hours = new Array<number>(day.hours).fill(0);
        collected[place] = hours;
        added.set(DELIVERY_METRICS[place]!, hours);
      }
      hours[hour]! += numbers[from + 1]!;
    }
  }
  for (const metric of added.keys()) collected[placeOf(metric)] = undefined;
  return added;
}

/** Creates a formatter of seconds since 1970 that caches the last result. */
function instantText(): (second: number) => string {
  let [second, text] = [Number.NaN, ''];
  return (each) => {
    if (each !== second) [second, text] = [each, formatInstant(each * 1000)];
    return text;
  };
}

const fromText = instantText();
const untilText = instantText();

function deliveredOf(sink: Sink, day: LocalDay, blocks: readonly Float64Array[]): Delivered {
  const { line, spot, from_s, until_s } = sink;
  const { id, campaign, instrument } = line.booking;
  const added = hoursOf(sink, day, blocks);
  const segments = tagsOf(line, added);
  return {
    line_item: { id, campaign_id: campaign.id, funding_instrument_id: instrument.id },
    creative_id: spot.creative.id,
    placement: spot.placement,
    day: day.date,
    hours: day.hours,
    added,
    from: fromText(from_s),
    until: untilText(until_s),
    ...(segments && { segments }),
  };
}

/** Returns conversions on websites by the tag that measures them. @source decision 940 */
function tagsOf({ booking, conversions }: PreparedLine, added: Delivered['added']): Delivered['segments'] {
  const { primary_web_event_tag: tag } = booking;
  if (tag === null || conversions.length === 0 || conversions[0]!.isMobile) return undefined;
  const { metric: name } = conversions[0]!;
  const own = [...added].filter(([metric]) => metric.startsWith(`${name}.`));
  return own.length === 0 ? undefined : new Map([['CONVERSION_TAGS', new Map([[tag, new Map(own)]])]]);
}
