import { releaseMemory } from '../../../base/release-memory.ts';

/** Identifiers in order, each once, and which of them stands at each place of what was sorted. */
export interface SortedIdentifiers {
  readonly count: number;
  /** Four numbers each. */
  readonly words: Uint32Array;
  /** By place: the number of the identifier in the order. */
  readonly slots: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Longer runs of the same first number are no accident, and are sorted by comparing. */
const SHORT_RUN = 16;

/** Sorts identifiers of four numbers each: by the digits of the first, which are spread evenly, then what is left. */
export function sortIdentifiers(words: Uint32Array): SortedIdentifiers {
  const { keys, places: order } = orderByFirst(words);
  const compare = (a: number, b: number): number => {
    for (let part = 1; part < 4; part++) {
      const difference = words[a * 4 + part]! - words[b * 4 + part]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    const first = keys[from];
    while (to < keys.length && keys[to] === first) to += 1;
    if (to - from > SHORT_RUN) order.subarray(from, to).sort(compare);
    else if (to - from > 1) insertionSort(order, from, to, compare);
    from = to;
  }
  releaseMemory(keys);
  const sorted = distinct(words, order);
  releaseMemory(order);
  return sorted;
}

function insertionSort(order: Uint32Array, from: number, to: number, compare: (a: number, b: number) => number): void {
  for (let at = from + 1; at < to; at++) {
    const moved = order[at]!;
    let hole = at;
    while (hole > from && compare(order[hole - 1]!, moved) > 0) {
      order[hole] = order[hole - 1]!;
      hole -= 1;
    }
    order[hole] = moved;
  }
}

/** Places in the order of the first of four numbers, with that. */
function orderByFirst(words: Uint32Array): Keyed {
  const count = words.length / 4;
  const keys = new Uint32Array(count);
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    keys[place] = words[place * 4]!;
    places[place] = place;
  }
  return sortByKeys({ keys, places });
}

/** Keys, and what belongs to each. */
export interface Keyed {
  readonly keys: Uint32Array;
  readonly places: Uint32Array;
}

/** Sorts places by their keys, those of equal keys in the order in which they came. What is given is used up. */
export function sortByKeys(input: Keyed): Keyed {
  const count = input.keys.length;
  let from = input;
  let to: Keyed = { keys: new Uint32Array(count), places: new Uint32Array(count) };
  const starts = new Uint32Array(DIGITS);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    starts.fill(0);
    for (let at = 0; at < count; at++) starts[(from.keys[at]! >>> shift) & (DIGITS - 1)]! += 1;
    let sum = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const many = starts[digit]!;
      starts[digit] = sum;
      sum += many;
    }
    for (let at = 0; at < count; at++) {
      const key = from.keys[at]!;
      const place = starts[(key >>> shift) & (DIGITS - 1)]!++;
      to.keys[place] = key;
      to.places[place] = from.places[at]!;
    }
    [from, to] = [to, from];
  }
  releaseMemory(to.keys);
  releaseMemory(to.places);
  return from;
}

function distinct(words: Uint32Array, order: Uint32Array): SortedIdentifiers {
  const slots = new Uint32Array(order.length);
  const sorted = new Uint32Array(words.length);
  let count = 0;
  for (const place of order) {
    const from = place * 4;
    const last = (count - 1) * 4;
    const isSame =
      count > 0 &&
      sorted[last] === words[from] &&
      sorted[last + 1] === words[from + 1] &&
      sorted[last + 2] === words[from + 2] &&
      sorted[last + 3] === words[from + 3];
    if (!isSame) {
      for (let part = 0; part < 4; part++) sorted[count * 4 + part] = words[from + part]!;
      count += 1;
    }
    slots[place] = count - 1;
  }
  return { count, words: sorted.subarray(0, count * 4), slots };
}
