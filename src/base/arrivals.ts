/** A FIFO queue from which any member can be removed. */
export interface Fifo<Member> extends Iterable<Member> {
  /** Adds a member at the end. Returns a function that removes it, and returns whether it was still queued. */
  add(member: Member): () => boolean;
  /** The first member. */
  oldest(): Member | undefined;
  readonly size: number;
}

interface Entry<Member> {
  readonly member: Member;
  before: Entry<Member> | undefined;
  after: Entry<Member> | undefined;
  isQueued: boolean;
}

/**
 * Creates a queue for short-lived members, such as requests. It is a linked list, because a `Set` allocates a new table
 * whenever it grows or shrinks, and the old table points to it: once one table is promoted to the old generation, all later
 * ones survive until the next full collection, with all their members.
 * @source decision 1009
 */
export function createFifo<Member>(): Fifo<Member> {
  let first: Entry<Member> | undefined;
  let last: Entry<Member> | undefined;
  let size = 0;
  const leave = (entry: Entry<Member>): boolean => {
    if (!entry.isQueued) return false;
    const { before, after } = entry;
    if (before) before.after = after;
    else first = after;
    if (after) after.before = before;
    else last = before;
    // A removed entry must not keep others alive.
    entry.before = undefined;
    entry.after = undefined;
    entry.isQueued = false;
    size -= 1;
    return true;
  };
  return {
    add(member) {
      const entry: Entry<Member> = { member, before: last, after: undefined, isQueued: true };
      if (last) last.after = entry;
      else first = entry;
      last = entry;
      size += 1;
      return () => leave(entry);
    },
    oldest: () => first?.member,
    get size() {
      return size;
    },
    *[Symbol.iterator]() {
      for (let entry = first; entry; ) {
        const next = entry.after;
        yield entry.member;
        entry = next;
      }
    },
  };
}
