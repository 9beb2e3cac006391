/** Members in the order in which they came; any of them may leave. */
export interface Arrivals<Member> extends Iterable<Member> {
  /** Adds a member at the end. The result takes it out, and says whether it was still there. */
  add(member: Member): () => boolean;
  /** The member that has been here longest; undefined when there is none. */
  oldest(): Member | undefined;
  readonly size: number;
}

interface Place<Member> {
  readonly member: Member;
  before: Place<Member> | undefined;
  after: Place<Member> | undefined;
  isHere: boolean;
}

/**
 * Members that stay for a moment each, such as requests. A linked list: a `Set` makes a new table each time that it has
 * room to make, and the former points to it. Once one of them is among the old objects, all that follow are kept until
 * the next full collection, with every member that they had; so each request would be moved twice before it is dropped.
 * @source decision 1009
 */
export function arrivals<Member>(): Arrivals<Member> {
  let first: Place<Member> | undefined;
  let last: Place<Member> | undefined;
  let size = 0;
  const leave = (place: Place<Member>): boolean => {
    if (!place.isHere) return false;
    const { before, after } = place;
    if (before) before.after = after;
    else first = after;
    if (after) after.before = before;
    else last = before;
    // What has left must not keep what is still here.
    place.before = undefined;
    place.after = undefined;
    place.isHere = false;
    size -= 1;
    return true;
  };
  return {
    add(member) {
      const place: Place<Member> = { member, before: last, after: undefined, isHere: true };
      if (last) last.after = place;
      else first = place;
      last = place;
      size += 1;
      return () => leave(place);
    },
    oldest: () => first?.member,
    get size() {
      return size;
    },
    *[Symbol.iterator]() {
      for (let place = first; place; ) {
        const next = place.after;
        yield place.member;
        place = next;
      }
    },
  };
}
