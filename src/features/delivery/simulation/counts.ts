import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';

const PLACES = new Map(DELIVERY_METRICS.map((metric, place) => [metric, place]));

/** The place of a metric in `DELIVERY_METRICS`. */
export function placeOf(metric: DeliveryMetric): number {
  return PLACES.get(metric)!;
}

/** Whole numbers by place, those without activity left out: place, number, place, number and so on. */
export type Numbers = readonly number[];

/** Numbers by place that are counted again and again, for one creative and hour after the other. */
export class Counts {
  /** The places that have a number, `size` of them, in the order in which they got it. */
  readonly places = new Int32Array(DELIVERY_METRICS.length);
  size = 0;
  readonly #numbers = new Float64Array(DELIVERY_METRICS.length);

  get(place: number): number {
    return this.#numbers[place]!;
  }

  /** Adds a number above zero; others add nothing. */
  add(place: number, number: number): void {
    if (!(number > 0)) return;
    if (this.#numbers[place] === 0) this.places[this.size++] = place;
    this.#numbers[place]! += number;
  }

  clear(): void {
    for (let at = 0; at < this.size; at++) this.#numbers[this.places[at]!] = 0;
    this.size = 0;
  }

  /** A copy that stays. */
  numbers(): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.size; at++) found.push(this.places[at]!, this.#numbers[this.places[at]!]!);
    return found;
  }
}
