/** A repeating sequence that assigns units to segments in proportion to their weights. */
export interface Rotation {
  /** The segment of each turn of a period. */
  readonly order: Uint16Array;
  /** Number of turns of each segment in a period. */
  readonly weights: readonly number[];
  /** Number of turns of each segment before each block, by block; a block has as many turns as there are segments. */
  readonly before: Uint16Array;
}

/** Longest period; shares of larger audiences are approximated to 1/2048. */
const PERIOD_MAX = 2048;

/**
 * Builds the rotation of segments with these weights: at any point each has had its share of turns, within rounding (the
 * divisor method of Sainte-Laguë). Weights are integers; undefined if all are zero.
 * @source decision 962
 */
export function rotationOf(people: readonly number[]): Rotation | undefined {
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
    // A block has as many turns as `before` has columns.
    if (at % block === 0) before.set(had, at);
    had[order[at]!]! += 1;
  }
  return { order, weights, before };
}

/**
 * Distributes `count` units among the segments, beginning at turn `start`, and adds them to the parts at `offset`. The parts
 * of a smaller count from the same start are never larger, so that a subset stays a subset in each segment.
 */
export function distribute(count: number, rotation: Rotation, start: number, parts: Float64Array, offset = 0): void {
  const { order, weights } = rotation;
  const { length } = order;
  const over = count % length;
  const periods = (count - over) / length;
  if (periods > 0) for (let at = 0; at < weights.length; at++) parts[offset + at]! += periods * weights[at]!;
  const from = start % length;
  const until = from + over;
  addTurns(rotation, from, Math.min(until, length), parts, offset);
  if (until > length) addTurns(rotation, 0, until - length, parts, offset);
}

/** Adds the turns of a range of a period. */
function addTurns(
  { order, before, weights }: Rotation,
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
  // At the end of the period, each segment has had all its turns.
  const isEnd = last === order.length;
  for (let at = 0; at < length; at++) {
    parts[offset + at]! += (isEnd ? weights[at]! : before[last + at]!) - before[first + at]!;
  }
  for (let at = last; at < until; at++) parts[offset + order[at]!]! += 1;
}

/**
 * Divides an integer in proportion to weights: each part is rounded down, and the rest goes to the largest remainders, the
 * first of equal ones. All parts are zero if the weights are.
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

/** Computes the 32-bit FNV-1a hash. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
