import type { Pending } from './unpack-uploads.ts';

/** No member. */
export const NOBODY = 0xffff_ffff;

/** Members during a merge, by handle: those of the file that the uploads touch come first, then new ones. */
export interface Members {
  /** The number by which the file knows a member. */
  readonly number: Uint32Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  /** Of which member it became a part; its own handle when of none. */
  readonly partOf: Uint32Array;
  readonly hasEnded: Uint8Array;
  count: number;
}

/** Room for members. */
export function membersFor(room: number): Members {
  return {
    number: new Uint32Array(room),
    effective_at: new Uint32Array(room),
    expires_at: new Uint32Array(room),
    partOf: new Uint32Array(room),
    hasEnded: new Uint8Array(room),
    count: 0,
  };
}

/** Adds a member that is part of no other; the answer is its handle. */
export function addMember(members: Members, number: number, effective_at: number, expires_at: number): number {
  const handle = members.count++;
  members.number[handle] = number;
  members.effective_at[handle] = effective_at;
  members.expires_at[handle] = expires_at;
  members.partOf[handle] = handle;
  return handle;
}

/** The member that a member has become a part of. */
export function wholeOf({ partOf }: Members, handle: number): number {
  let found = handle;
  while (partOf[found] !== found) {
    partOf[found] = partOf[partOf[found]!]!;
    found = partOf[found]!;
  }
  return found;
}

/** Whether a member that is part of no other is there at a time, its window open or not. */
export function isAlive({ hasEnded, expires_at }: Members, handle: number, now: number): boolean {
  return hasEnded[handle] === 0 && expires_at[handle]! > now;
}

/** What the uploads leave of a merge. */
export interface Resolving {
  readonly pending: Pending;
  /** By identifier of the uploads: which of the distinct ones it is. */
  readonly slots: Uint32Array;
  /** By distinct identifier: the handle of the member that holds it. Changed in place. */
  readonly holders: Uint32Array;
  readonly members: Members;
  /** The number that the next new member gets. */
  readonly next: number;
}

/**
 * Does what uploads say, in the order of the log; the answer is the number that the next new member would get. A member
 * that has ended or expired stays what it is, and its identifiers are free.
 * @source creatives 19.5
 */
export function resolve({ pending, slots, holders, members, next }: Resolving): number {
  let number = next;
  let person = 0;
  let identifier = 0;
  const holderAt = (place: number, now: number): number => {
    const handle = holders[slots[place]!]!;
    if (handle === NOBODY) return NOBODY;
    const whole = wholeOf(members, handle);
    return isAlive(members, whole, now) ? whole : NOBODY;
  };
  for (let operation = 0; operation < pending.isUpdate.length; operation++) {
    const now = pending.accepted_at[operation]!;
    const effective_at = pending.effective_at[operation]!;
    const expires_at = pending.expires_at[operation]!;
    const adds = pending.isUpdate[operation] === 1;
    const peopleEnd = pending.peopleEnd[operation]!;
    for (; person < peopleEnd; person++) {
      const from = identifier;
      const end = pending.identifiersEnd[person]!;
      let whole = NOBODY;
      for (; identifier < end; identifier++) {
        const holder = holderAt(identifier, now);
        if (holder === NOBODY || holder === whole) continue;
        if (!adds) endAt(members, holder, effective_at, now);
        else if (whole === NOBODY) whole = holder;
        else members.partOf[holder] = whole;
      }
      if (!adds || from === end) continue;
      if (whole === NOBODY) whole = addMember(members, number++, effective_at, expires_at);
      members.effective_at[whole] = effective_at;
      members.expires_at[whole] = expires_at;
      for (let place = from; place < end; place++) holders[slots[place]!] = whole;
    }
  }
  return number;
}

function endAt(members: Members, handle: number, effective_at: number, now: number): void {
  if (effective_at <= now) members.hasEnded[handle] = 1;
  else members.expires_at[handle] = Math.min(members.expires_at[handle]!, effective_at);
}
