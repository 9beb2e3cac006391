import { EFFECTIVE_AT, EXPIRES_AT, IDENTIFIERS } from './member-run.ts';
import { addMember, isAlive, type MemberTable, mergeMember, NO_MEMBER, rootMember } from './member-table.ts';
import type { UnpackedUploads } from './unpack-uploads.ts';

/** The input of `applyUploads`. */
export interface ApplyInput {
  readonly pending: UnpackedUploads;
  /** By identifier of the uploads: its index among the distinct ones. */
  readonly slots: Uint32Array;
  /** By distinct identifier: the handle of its member. Changed in place. */
  readonly holders: Int32Array;
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
  const { words } = members;
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
        else mergeMember(members, holder, whole);
      }
      if (!adds || from === end) continue;
      if (whole === NO_MEMBER) whole = addMember(members, number++, 0);
      words[whole + EFFECTIVE_AT] = effective_at;
      words[whole + EXPIRES_AT] = expires_at;
      for (let place = from; place < end; place++) {
        const slot = slots[place]!;
        const holder = holders[slot]!;
        if (holder === NO_MEMBER || rootMember(members, holder) !== whole) words[whole + IDENTIFIERS]! += 1;
        holders[slot] = whole;
      }
    }
  }
  return number;
}

/** Ends a member at once, or closes their window at a future `effective_at`. @source decision 283 */
function endMember({ words }: MemberTable, handle: number, effective_at: number, now: number): void {
  const expires_at = handle + EXPIRES_AT;
  words[expires_at] = effective_at <= now ? 0 : Math.min(words[expires_at]!, effective_at);
}
