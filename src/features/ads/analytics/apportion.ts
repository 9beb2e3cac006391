/** An order in which the segments of an audience take their turns, over and over. */
export interface Turns {
  /** The segment of each turn of a period. */
  readonly order: Uint16Array;
  /** How many turns of a period each segment has. */
  readonly weights: readonly number[];
  /** How many turns each segment had before each block of turns, block by block. */
  readonly before: Uint16Array;
}

const BLOCK = 64;
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
  const before = new Uint16Array(weights.length * (Math.ceil(order.length / BLOCK) + 1));
  const had = new Uint16Array(weights.length);
  for (let at = 0; at < order.length; at++) {
    if (at % BLOCK === 0) before.set(had, (at / BLOCK) * had.length);
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
  const first = Math.ceil(from / BLOCK);
  const last = Math.floor(until / BLOCK);
  if (last <= first) {
    for (let at = from; at < until; at++) parts[offset + order[at]!]! += 1;
    return;
  }
  for (let at = from; at < first * BLOCK; at++) parts[offset + order[at]!]! += 1;
  const { length } = weights;
  const [lower, upper] = [first * length, last * length];
  // The last block may be at the end of the period, before which all turns were taken.
  const isEnd = last * BLOCK === order.length;
  for (let at = 0; at < length; at++) {
    parts[offset + at]! += (isEnd ? weights[at]! : before[upper + at]!) - before[lower + at]!;
  }
  for (let at = last * BLOCK; at < until; at++) parts[offset + order[at]!]! += 1;
}

/**
 * Divides a whole number in proportion to weights: each part is rounded down, and what is left goes to the largest
 * remainders, the first of equal ones. All zero when the weights are.
 */
export function byLargestRemainder(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, each) => sum + each, 0);
  if (total === 0) return weights.map(() => 0);
  const isExact = amount <= Number.MAX_SAFE_INTEGER / total;
  const quotas = weights.map((weight) => quotaOf(amount, weight, total, isExact));
  const parts = quotas.map(([part]) => part);
  let left = amount - parts.reduce((sum, part) => sum + part, 0);
  for (; left > 0; left--) {
    let largest = 0;
    for (let at = 1; at < quotas.length; at++) if (quotas[at]![1] > quotas[largest]![1]) largest = at;
    parts[largest]! += 1;
    quotas[largest]![1] = -1;
  }
  return parts;
}

/** A part, rounded down, and its remainder; exact also where the product is no safe integer. */
function quotaOf(amount: number, weight: number, total: number, isExact: boolean): [part: number, remainder: number] {
  if (isExact) return [Math.floor((amount * weight) / total), (amount * weight) % total];
  const product = BigInt(amount) * BigInt(weight);
  return [Number(product / BigInt(total)), Number(product % BigInt(total))];
}

/** A number that a text stands for: always the same, and unlike those of similar texts (FNV-1a). */
export function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
