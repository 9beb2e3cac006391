import { rootOf } from '../../../base/union-find.ts';
import type { UnpackedUploads } from './unpack-uploads.ts';

/** The handle that stands for no member. */
export const NO_MEMBER = 0xffff_ffff;

/** Members during a merge, by handle: touched members of the file first, then new ones. */
export interface MemberTable {
  /** The number of a member in the file. */
  readonly number: Uint32Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  /** The handle of the member it was merged into; its own handle otherwise. */
  readonly mergedInto: Uint32Array;
  readonly hasEnded: Uint8Array;
  count: number;
}

/** An empty table with a capacity. */
export function createMemberTable(room: number): MemberTable {
  return {
    number: new Uint32Array(room),
    effective_at: new Uint32Array(room),
    expires_at: new Uint32Array(room),
    mergedInto: new Uint32Array(room),
    hasEnded: new Uint8Array(room),
    count: 0,
  };
}

/** Adds a member; returns its handle. */
export function addMember(members: MemberTable, number: number, effective_at: number, expires_at: number): number {
  const handle = members.count++;
  members.number[handle] = number;
  members.effective_at[handle] = effective_at;
  members.expires_at[handle] = expires_at;
  members.mergedInto[handle] = handle;
  return handle;
}

/** The member that a member was merged into. */
export function rootMember({ mergedInto }: MemberTable, handle: number): number {
  return rootOf(mergedInto, handle);
}

/** Whether a root member has neither ended nor expired at a time; its window may not have begun. */
export function isAlive({ hasEnded, expires_at }: MemberTable, handle: number, now: number): boolean {
  return hasEnded[handle] === 0 && expires_at[handle]! > now;
}

/** The input of `applyUploads`. */
export interface ApplyInput {
  readonly pending: UnpackedUploads;
  /** By identifier of the uploads: its index among the distinct ones. */
  readonly slots: Uint32Array;
  /** By distinct identifier: the handle of its member. Changed in place. */
  readonly holders: Uint32Array;
  readonly members: MemberTable;
  /** The number of the next new member. */
  readonly next: number;
}

/**
 * Applies uploads in log order; returns the number of the next new member. A member that has ended or expired is not
 * changed, and its identifiers are free.
 * @source creatives 19.5; decision 281, 282
 */
export function applyUploads({ pending, slots, holders, members, next }: ApplyInput): number {
  let number = next;
  let person = 0;
  let identifier = 0;
  const holderAt = (place: number, now: number): number => {
    const handle = holders[slots[place]!]!;
    if (handle === NO_MEMBER) return NO_MEMBER;
    const whole = rootMember(members, handle);
    return isAlive(members, whole, now) ? whole : NO_MEMBER;
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
      let whole = NO_MEMBER;
      for (; identifier < end; identifier++) {
        const holder = holderAt(identifier, now);
        if (holder === NO_MEMBER || holder === whole) continue;
        if (!adds) endMember(members, holder, effective_at, now);
        else if (whole === NO_MEMBER) whole = holder;
        else members.mergedInto[holder] = whole;
      }
      if (!adds || from === end) continue;
      if (whole === NO_MEMBER) whole = addMember(members, number++, effective_at, expires_at);
      members.effective_at[whole] = effective_at;
      members.expires_at[whole] = expires_at;
      for (let place = from; place < end; place++) holders[slots[place]!] = whole;
    }
  }
  return number;
}

/** Ends a member at once, or closes their window at a future `effective_at`. @source decision 283 */
function endMember(members: MemberTable, handle: number, effective_at: number, now: number): void {
  if (effective_at <= now) members.hasEnded[handle] = 1;
  else members.expires_at[handle] = Math.min(members.expires_at[handle]!, effective_at);
}
