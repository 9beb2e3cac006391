/**
 * Where the first entry stands that is not below a number, from a place on: entries are in the order of their first number,
 * of which `entries[from]` is one. It looks at few of them, the further ahead the more sparsely.
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
