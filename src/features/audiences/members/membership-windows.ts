/** Counts members and their identifiers by window, from one second (inclusive) to another (exclusive). */
interface WindowCounts {
  /** Adds to the counts of a window; both may be negative. */
  add(effective_at: number, expires_at: number, members: number, identifiers: number): void;
  /** Returns `effective_at, expires_at, members, identifiers` of each window with members that ends after a time, sorted. */
  table(after: number): Uint32Array;
}

/** Width of a table. */
const WINDOW_WIDTH = 4;

const INITIAL_SLOTS = 64;

/** Creates counts by window, starting from a table. */
export function windowCounts(start: Uint32Array): WindowCounts {
  let size = INITIAL_SLOTS;
  while (size < start.length) size *= 2;
  let keys = new Uint32Array(size * 2);
  let counts = new Float64Array(size * 2);
  let used = 0;
  const slotOf = (effective_at: number, expires_at: number): number => {
    let slot = (Math.imul(effective_at, 0x9e3779b1) ^ Math.imul(expires_at, 0x85ebca6b)) >>> 0;
    for (slot = (slot ^ (slot >>> 15)) & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      const isFree = keys[slot * 2 + 1] === 0;
      if (isFree || (keys[slot * 2] === effective_at && keys[slot * 2 + 1] === expires_at)) return slot;
    }
  };
  const grow = (): void => {
    const [oldKeys, oldCounts] = [keys, counts];
    size *= 2;
    keys = new Uint32Array(size * 2);
    counts = new Float64Array(size * 2);
    used = 0;
    for (let slot = 0; slot < oldCounts.length / 2; slot++) {
      const [members, identifiers] = [oldCounts[slot * 2]!, oldCounts[slot * 2 + 1]!];
      if (members !== 0) add(oldKeys[slot * 2]!, oldKeys[slot * 2 + 1]!, members, identifiers);
    }
  };
  const add: WindowCounts['add'] = (effective_at, expires_at, members, identifiers) => {
    const slot = slotOf(effective_at, expires_at);
    // No window ends at 0, which marks a free slot.
    if (keys[slot * 2 + 1] === 0) {
      keys[slot * 2] = effective_at;
      keys[slot * 2 + 1] = expires_at;
      used += 1;
    }
    counts[slot * 2]! += members;
    counts[slot * 2 + 1]! += identifiers;
    if (used * 2 > size) grow();
  };
  for (let at = 0; at < start.length; at += WINDOW_WIDTH) {
    add(start[at]!, start[at + 1]!, start[at + 2]!, start[at + 3]!);
  }
  return {
    add,
    table(after) {
      const all = Array.from({ length: size }, (_, slot) => slot);
      const slots = all.filter((slot) => counts[slot * 2] !== 0 && keys[slot * 2 + 1]! > after);
      slots.sort((a, b) => keys[a * 2]! - keys[b * 2]! || keys[a * 2 + 1]! - keys[b * 2 + 1]!);
      const table = new Uint32Array(slots.length * WINDOW_WIDTH);
      for (const [index, slot] of slots.entries()) {
        const window = [keys[slot * 2]!, keys[slot * 2 + 1]!, counts[slot * 2]!, counts[slot * 2 + 1]!];
        table.set(window, index * WINDOW_WIDTH);
      }
      return table;
    },
  };
}

/** Whether a window is open. */
export function isOpen(effective_at: number, expires_at: number, now: number): boolean {
  return effective_at <= now && now < expires_at;
}

/** Returns the number of identifiers of all members of a table. */
export function countIdentifiers(table: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < table.length; at += WINDOW_WIDTH) count += table[at + 3]!;
  return count;
}

/** Returns the time when a window opens or closes next; Infinity if it has closed. */
export function nextChangeOf(effective_at: number, expires_at: number, now: number): number {
  if (expires_at <= now) return Number.POSITIVE_INFINITY;
  // A window that ends before it starts never opens.
  return effective_at > now && effective_at < expires_at ? effective_at : expires_at;
}

/** Returns the number of members with an open window, and the time when it may change next. */
export function countOpen(table: Uint32Array, now: number): { readonly size: number; readonly nextChangeAt: number } {
  let size = 0;
  let nextChangeAt = Number.POSITIVE_INFINITY;
  for (let at = 0; at < table.length; at += WINDOW_WIDTH) {
    const [effective_at, expires_at] = [table[at]!, table[at + 1]!];
    if (isOpen(effective_at, expires_at, now)) size += table[at + 2]!;
    nextChangeAt = Math.min(nextChangeAt, nextChangeOf(effective_at, expires_at, now));
  }
  return { size, nextChangeAt };
}
