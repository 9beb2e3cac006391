/**
 * The index of the first entry, from `from` on, whose first number is not below `number`; entries are sorted by it.
 * A galloping search: steps double, then a binary search.
 */
export function seek(entries: Uint32Array, from: number, end: number, width: number, number: number): number {
  if (from >= end || entries[from]! >= number) return from;
  let below = from;
  let step = width;
  let high = from + step;
  while (high < end && entries[high]! < number) {
    below = high;
    step *= 2;
    high = below + step;
  }
  let [low, up] = [below / width, Math.min(high, end) / width];
  while (up - low > 1) {
    const middle = (low + up) >>> 1;
    if (entries[middle * width]! < number) low = middle;
    else up = middle;
  }
  return up * width;
}
