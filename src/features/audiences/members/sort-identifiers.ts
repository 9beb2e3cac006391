import { releaseMemory } from '../../../base/release-memory.ts';

/** Distinct sorted identifiers, and the index of each input among them. */
export interface SortedIdentifiers {
  readonly count: number;
  /** Four numbers each. */
  readonly words: Uint32Array;
  /** By input index: the index of the identifier among the distinct ones. */
  readonly slots: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Longer runs with the same first number are not random, and are sorted by comparison. */
const SHORT_RUN = 16;

/** Sorts identifiers of four numbers: a radix sort by the first, which is evenly distributed, then by comparison. */
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
  const sorted = deduplicate(words, order);
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

/** Indices sorted by the first of four numbers, with that number. */
function orderByFirst(words: Uint32Array): KeyedIndices {
  const count = words.length / 4;
  const keys = new Uint32Array(count);
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    keys[place] = words[place * 4]!;
    places[place] = place;
  }
  return sortByKeys({ keys, places });
}

/** Keys with an index each. */
export interface KeyedIndices {
  readonly keys: Uint32Array;
  readonly places: Uint32Array;
}

/** A stable radix sort of indices by key. Consumes its input. */
export function sortByKeys(input: KeyedIndices): KeyedIndices {
  const count = input.keys.length;
  let from = input;
  let to: KeyedIndices = { keys: new Uint32Array(count), places: new Uint32Array(count) };
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

function deduplicate(words: Uint32Array, order: Uint32Array): SortedIdentifiers {
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
