import { releaseMemory } from '../../../base/release-memory.ts';

/** Distinct sorted identifiers, and the index of each input among them. */
interface SortedIdentifiers {
  readonly count: number;
  /** Four numbers each. */
  readonly words: Uint32Array;
  /** For each input identifier, its index among the distinct ones. */
  readonly slots: Uint32Array;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
/** Longer sequences with the same first number are not random, and are sorted by comparison. */
const SHORT_RUN = 16;

/** Number of identifiers sorted together, which fit into the L2 cache. */
const PART_IDENTIFIERS = 8192;
const PARTS_BITS_MAX = 10;

/**
 * Sorts identifiers of four numbers, the first of which is evenly distributed: into parts by its first bits, then each part by
 * the whole first number, then by comparison. Consumes its input.
 */
export function sortIdentifiers(words: Uint32Array): SortedIdentifiers {
  const count = words.length / 4;
  const bits = Math.max(0, Math.min(PARTS_BITS_MAX, Math.ceil(Math.log2(count / PART_IDENTIFIERS))));
  const { parted, places, ends } = divide(words, bits);
  const sorted: Sorted = { words, slots: new Uint32Array(count), count: 0 };
  let from = 0;
  for (const to of ends) {
    sortPart(parted.subarray(from * 4, to * 4), places.subarray(from, to), sorted);
    from = to;
  }
  releaseMemory(parted);
  releaseMemory(places);
  return { count: sorted.count, words: words.subarray(0, sorted.count * 4), slots: sorted.slots };
}

/** Divides identifiers by their first bits, in stable order; returns the original place of each, and the ends of the parts. */
function divide(words: Uint32Array, bits: number) {
  const count = words.length / 4;
  const partOf = (place: number): number => (bits === 0 ? 0 : words[place * 4]! >>> (32 - bits));
  const ends = new Uint32Array(1 << bits);
  for (let place = 0; place < count; place++) ends[partOf(place)]! += 1;
  let sum = 0;
  for (let part = 0; part < ends.length; part++) {
    const many = ends[part]!;
    ends[part] = sum;
    sum += many;
  }
  const parted = new Uint32Array(words.length);
  const places = new Uint32Array(count);
  for (let place = 0; place < count; place++) {
    const at = ends[partOf(place)]!++;
    places[at] = place;
    for (let each = 0; each < 4; each++) parted[at * 4 + each] = words[place * 4 + each]!;
  }
  return { parted, places, ends };
}

interface Sorted {
  readonly words: Uint32Array;
  readonly slots: Uint32Array;
  count: number;
}

/** Sorts a part, and appends its distinct identifiers. */
function sortPart(words: Uint32Array, places: Uint32Array, sorted: Sorted): void {
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
  addDistinct(words, order, places, sorted);
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

/** Sorts indices by the first of four numbers. */
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

/** Keys, each with an index. */
interface KeyedIndices {
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

function addDistinct(words: Uint32Array, order: Uint32Array, places: Uint32Array, sorted: Sorted): void {
  const { words: to, slots } = sorted;
  let { count } = sorted;
  for (let index = 0; index < order.length; index++) {
    const from = order[index]! * 4;
    const last = (count - 1) * 4;
    const isSame =
      index > 0 &&
      to[last] === words[from] &&
      to[last + 1] === words[from + 1] &&
      to[last + 2] === words[from + 2] &&
      to[last + 3] === words[from + 3];
    if (!isSame) {
      for (let part = 0; part < 4; part++) to[count * 4 + part] = words[from + part]!;
      count += 1;
    }
    slots[places[order[index]!]!] = count - 1;
  }
  sorted.count = count;
}
