/** The ids of posts of a day that are there already, as hashes: 8 bytes each, and as much again to find them. */
export interface KnownIds {
  /** Every page of the day with a number below was looked at. */
  seen: number;
  has(low: number, high: number): boolean;
  add(low: number, high: number): void;
  readonly size: number;
}

/** No ids yet. */
export function noKnownIds(): KnownIds {
  let size = 0;
  let mask = 1023;
  let slots = new Uint32Array(2 * (mask + 1));
  // Nothing is where both halves are 0; an id that has this hash is taken for its neighbour.
  const placeOf = (low: number, high: number): number => {
    let at = low & mask;
    while ((slots[at * 2] !== 0 || slots[at * 2 + 1] !== 0) && !(slots[at * 2] === low && slots[at * 2 + 1] === high)) {
      at = (at + 1) & mask;
    }
    return at * 2;
  };
  const isAt = (place: number): boolean => slots[place] !== 0 || slots[place + 1] !== 0;
  const grow = (): void => {
    const old = slots;
    mask = mask * 2 + 1;
    slots = new Uint32Array(2 * (mask + 1));
    for (let at = 0; at < old.length; at += 2) {
      if (old[at] === 0 && old[at + 1] === 0) continue;
      const place = placeOf(old[at]!, old[at + 1]!);
      slots[place] = old[at]!;
      slots[place + 1] = old[at + 1]!;
    }
  };
  return {
    seen: 0,
    get size() {
      return size;
    },
    has: (low, high) => isAt(placeOf(low, high || 1)),
    add(low, high) {
      const place = placeOf(low, high || 1);
      if (isAt(place)) return;
      slots[place] = low;
      slots[place + 1] = high || 1;
      size += 1;
      if (size * 2 > mask) grow();
    },
  };
}
