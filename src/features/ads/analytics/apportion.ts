/** An order in which the segments of an audience take their turns, over and over. */
export interface Turns {
  /** The segment of each turn of a period. */
  readonly order: Uint16Array;
  /** How many turns of a period each segment has. */
  readonly weights: readonly number[];
  /** How many turns each segment had before each block of turns, block by block; a block has a turn for each segment. */
  readonly before: Uint16Array;
}

/** Turns of a period at most: shares are exact for audiences up to this size, and to this part beyond. */
const PERIOD_MAX = 2048;

/**
 * The turns of segments with these weights: at any point each has had as many as its share asks for, within rounding
 * (the divisor method of Sainte-Laguë). Weights are whole numbers; undefined when all are zero.
 * @source decision 962
 */
export function turnsOf(people: readonly number[]): Turns | undefined {
  const total = people.reduce((sum, each) => sum + each, 0);
  if (total === 0) return undefined;
  const weights = total <= PERIOD_MAX ? [...people] : byLargestRemainder(PERIOD_MAX, people);
  const all: (readonly [priority: number, segment: number])[] = [];
  for (const [segment, weight] of weights.entries()) {
    for (let turn = 0; turn < weight; turn++) all.push([(turn + 0.5) / weight, segment]);
  }
  all.sort(([one, first], [other, second]) => one - other || first - second);
  const order = Uint16Array.from(all, ([, segment]) => segment);
  const block = weights.length;
  const before = new Uint16Array(block * (Math.ceil(order.length / block) + 1));
  const had = new Uint16Array(block);
  for (let at = 0; at < order.length; at++) {
    // A block is as long as the row of the table about it.
    if (at % block === 0) before.set(had, at);
    had[order[at]!]! += 1;
  }
  return { order, weights, before };
}

/**
 * Deals out a number of things to segments, one a turn from turn `start` on: adds to the parts at `offset`. The parts of a
 * smaller number from the same start are nowhere larger, so that what counts a subset stays one in each segment.
 */
export function dealOut(count: number, turns: Turns, start: number, parts: Float64Array, offset = 0): void {
  const { order, weights } = turns;
  const { length } = order;
  const over = count % length;
  const periods = (count - over) / length;
  if (periods > 0) for (let at = 0; at < weights.length; at++) parts[offset + at]! += periods * weights[at]!;
  const from = start % length;
  const until = from + over;
  addTurns(turns, from, Math.min(until, length), parts, offset);
  if (until > length) addTurns(turns, 0, until - length, parts, offset);
}

/** Adds the turns of a range of a period. */
function addTurns(
  { order, before, weights }: Turns,
  from: number,
  until: number,
  parts: Float64Array,
  offset: number,
): void {
  const { length } = weights;
  const first = Math.ceil(from / length) * length;
  const last = Math.floor(until / length) * length;
  if (last <= first) {
    for (let at = from; at < until; at++) parts[offset + order[at]!]! += 1;
    return;
  }
  for (let at = from; at < first; at++) parts[offset + order[at]!]! += 1;
  // The last block may be at the end of the period, before which all turns were taken.
  const isEnd = last === order.length;
  for (let at = 0; at < length; at++) {
    parts[offset + at]! += (isEnd ? weights[at]! : before[last + at]!) - before[first + at]!;
  }
  for (let at = last; at < until; at++) parts[offset + order[at]!]! += 1;
}

/**
 * Divides a whole number in proportion to weights: each part is rounded down, and what is left goes to the largest
 * remainders, the first of equal ones. All zero when the weights are.
 */
export function byLargestRemainder(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, each) => sum + each, 0);
  if (total === 0) return weights.map(() => 0);
  const isExact = amount <= Number.MAX_SAFE_INTEGER / total;
  const remainders = new Array<number>(weights.length);
  const parts = weights.map((weight, at) => {
    if (isExact) {
      const part = Math.floor((amount * weight) / total);
      remainders[at] = amount * weight - part * total;
      return part;
    }
    const product = BigInt(amount) * BigInt(weight);
    remainders[at] = Number(product % BigInt(total));
    return Number(product / BigInt(total));
  });
  for (let left = amount - parts.reduce((sum, part) => sum + part, 0); left > 0; left--) {
    let largest = 0;
    for (let at = 1; at < remainders.length; at++) if (remainders[at]! > remainders[largest]!) largest = at;
    parts[largest]! += 1;
    remainders[largest] = -1;
  }
  return parts;
}

/** A number that a text stands for: always the same, and unlike those of similar texts (FNV-1a). */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
