import { EXPIRES_AT, IDENTIFIERS, STATE_WIDTH } from './member-run.ts';

/** The handle of no member. */
export const NO_MEMBER = -1;

/**
 * Members during a merge: first existing ones in the uploads, then new ones. The handle of a member is the offset of its row in
 * `words`: its state, the handle of the member into which it was merged (its own otherwise), and the number of its identifiers
 * that are not in the uploads. Rows instead of columns, because a merge accesses members in random order.
 */
export interface MemberTable {
  readonly words: Uint32Array;
  /** The offset after the last row. */
  end: number;
}

/** Width of a row. */
export const ROW_WIDTH = STATE_WIDTH + 2;
const MERGED_INTO = STATE_WIDTH;
/** The column of identifiers that are not in the uploads. */
export const ELSEWHERE = STATE_WIDTH + 1;

/** Creates an empty table with room for this many members. */
export function createMemberTable(room: number): MemberTable {
  return { words: new Uint32Array(room * ROW_WIDTH), end: 0 };
}

/** Adds a member; returns its handle. */
export function addMember(members: MemberTable, number: number, identifiers: number): number {
  const { words, end: handle } = members;
  members.end += ROW_WIDTH;
  words[handle] = number;
  words[handle + IDENTIFIERS] = identifiers;
  words[handle + MERGED_INTO] = handle;
  return handle;
}

/** Returns the member into which a member was merged, with path compression. */
export function rootMember({ words }: MemberTable, handle: number): number {
  let found = handle;
  for (let parent = words[found + MERGED_INTO]!; parent !== found; parent = words[found + MERGED_INTO]!) {
    words[found + MERGED_INTO] = words[parent + MERGED_INTO]!;
    found = words[found + MERGED_INTO]!;
  }
  return found;
}

/** Merges a member into another; both are roots. */
export function mergeMember({ words }: MemberTable, handle: number, into: number): void {
  words[handle + MERGED_INTO] = into;
  words[into + IDENTIFIERS]! += words[handle + IDENTIFIERS]!;
}

/** Whether a root member has neither ended nor expired; its window may be in the future. */
export function isAlive({ words }: MemberTable, handle: number, now: number): boolean {
  return words[handle + EXPIRES_AT]! > now;
}
