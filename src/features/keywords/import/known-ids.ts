/** A hash set of the ids of a day's posts: 64-bit hashes, half of the slots empty. */
export interface KnownIds {
  /** Pages below this number are loaded. */
  seen: number;
  has(low: number, high: number): boolean;
  add(low: number, high: number): void;
  readonly size: number;
}

/** An empty set. */
export function noKnownIds(): KnownIds {
  let size = 0;
  let mask = 1023;
  let slots = new Uint32Array(2 * (mask + 1));
  // Both halves 0 mark an empty slot, so the hash 0 is stored as 1.
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
