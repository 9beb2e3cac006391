import { DELIVERY_METRICS, type DeliveryMetric } from '../../../contract/delivery/metrics.ts';

const PLACES = new Map(DELIVERY_METRICS.map((metric, place) => [metric, place]));

/** Returns the index of a metric in `DELIVERY_METRICS`. */
export function placeOf(metric: DeliveryMetric): number {
  return PLACES.get(metric)!;
}

/** Alternating metric indexes and their non-zero numbers. */
export type Numbers = readonly number[];

/** Numbers by metric index; reused for one creative and hour after the other. */
export class Counts {
  /** The metrics with a number: the first `size` elements, in order of their first addition. */
  readonly places = new Int32Array(DELIVERY_METRICS.length);
  size = 0;
  readonly #numbers = new Float64Array(DELIVERY_METRICS.length);

  get(place: number): number {
    return this.#numbers[place]!;
  }

  /** Adds a positive number; ignores all others. */
  add(place: number, number: number): void {
    if (!(number > 0)) return;
    if (this.#numbers[place] === 0) this.places[this.size++] = place;
    this.#numbers[place]! += number;
  }

  clear(): void {
    for (let at = 0; at < this.size; at++) this.#numbers[this.places[at]!] = 0;
    this.size = 0;
  }

  /** Returns a copy. */
  numbers(): number[] {
    const found: number[] = [];
    for (let at = 0; at < this.size; at++) found.push(this.places[at]!, this.#numbers[this.places[at]!]!);
    return found;
  }
}
