/** Counts members by window, from one second (inclusive) to another (exclusive). */
export interface WindowCounts {
  /** Adds to the count of a window; `by` may be negative. */
  add(effective_at: number, expires_at: number, by: number): void;
  /** `effective_at, expires_at, count` of every window that has members and ends after a time, sorted. */
  table(after: number): Uint32Array;
}

const INITIAL_SLOTS = 64;

/** Counts by window, starting from a table. */
export function windowCounts(start: Uint32Array): WindowCounts {
  let size = INITIAL_SLOTS;
  while (size < start.length) size *= 2;
  let keys = new Uint32Array(size * 2);
  let counts = new Float64Array(size);
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
    counts = new Float64Array(size);
    used = 0;
    for (const [slot, count] of oldCounts.entries()) {
      if (count !== 0) add(oldKeys[slot * 2]!, oldKeys[slot * 2 + 1]!, count);
    }
  };
  const add = (effective_at: number, expires_at: number, by: number): void => {
    const slot = slotOf(effective_at, expires_at);
    // No window ends at 0, which marks a free slot.
    if (keys[slot * 2 + 1] === 0) {
      keys[slot * 2] = effective_at;
      keys[slot * 2 + 1] = expires_at;
      used += 1;
    }
    counts[slot]! += by;
    if (used * 2 > size) grow();
  };
  for (let at = 0; at < start.length; at += 3) add(start[at]!, start[at + 1]!, start[at + 2]!);
  return {
    add,
    table(after) {
      const slots = [...counts.keys()].filter((slot) => counts[slot] !== 0 && keys[slot * 2 + 1]! > after);
      slots.sort((a, b) => keys[a * 2]! - keys[b * 2]! || keys[a * 2 + 1]! - keys[b * 2 + 1]!);
      const table = new Uint32Array(slots.length * 3);
      for (const [index, slot] of slots.entries()) {
        table.set([keys[slot * 2]!, keys[slot * 2 + 1]!, counts[slot]!], index * 3);
      }
      return table;
    },
  };
}

/** Whether a window is open. */
export function isOpen(effective_at: number, expires_at: number, now: number): boolean {
  return effective_at <= now && now < expires_at;
}

/** Whether any window of a table has expired by a time. */
export function hasExpired(table: Uint32Array, now: number): boolean {
  for (let at = 0; at < table.length; at += 3) if (table[at + 1]! <= now) return true;
  return false;
}

/** When a window opens or closes next; Infinity when it has closed. */
export function nextChangeOf(effective_at: number, expires_at: number, now: number): number {
  if (expires_at <= now) return Number.POSITIVE_INFINITY;
  // A window that ends before it begins never opens.
  return effective_at > now && effective_at < expires_at ? effective_at : expires_at;
}

/** The number of members with an open window, and when it may change next. */
export function countOpen(table: Uint32Array, now: number): { readonly size: number; readonly nextChangeAt: number } {
  let size = 0;
  let nextChangeAt = Number.POSITIVE_INFINITY;
  for (let at = 0; at < table.length; at += 3) {
    const [effective_at, expires_at] = [table[at]!, table[at + 1]!];
    if (isOpen(effective_at, expires_at, now)) size += table[at + 2]!;
    nextChangeAt = Math.min(nextChangeAt, nextChangeOf(effective_at, expires_at, now));
  }
  return { size, nextChangeAt };
}
