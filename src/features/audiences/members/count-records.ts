import type { AudienceTree, Subject } from '../../../contract/store/audiences.ts';
import { isMeant, leavesOf } from './audience-tree.ts';
import { MEMBER_RECORDS, MEMBER_WIDTH, openMembers } from './member-file.ts';
import { isOpen, openNow } from './membership-windows.ts';
import { recordSource } from './record-file.ts';

/** The members of one leaf whose window is open, identifier by identifier. */
interface LeafCursor {
  /** Which leaf it is, as a bit. */
  readonly bit: number;
  /** What is added to the numbers of its members, to tell them from those of other leaves. */
  readonly base: number;
  words: Uint32Array;
  at: number;
  /** Goes on to the next identifier; false when there is none. */
  next(): boolean;
}

/** How many records a tree means, and when that may change; infinity for never. */
export interface RecordCount {
  readonly size: number;
  readonly change: number;
}

/**
 * Counts the records of leaves that a tree means. Members of different leaves that have an identifier in common are one
 * record; who is in none of the leaves is nobody. Needs memory for a number of each member.
 */
export function countRecords(tree: AudienceTree, pathOf: (leaf: Subject) => string, now: number): RecordCount {
  const leaves = leavesOf(tree);
  const files = leaves.map((leaf) => openMembers(pathOf(leaf)));
  try {
    let room = 0;
    let change = Number.POSITIVE_INFINITY;
    const cursors: LeafCursor[] = [];
    for (const [index, file] of files.entries()) {
      if (!file) continue;
      change = Math.min(change, openNow(file.windows, now).change);
      cursors.push(openCursor(recordSource(file.records, MEMBER_RECORDS), 1 << index, room, now));
      room += file.next;
    }
    const partOf = new Uint32Array(room);
    const leafBits = new Uint16Array(room);
    joinRecords(cursors, partOf, leafBits);
    return { size: countMeant(tree, leaves, partOf, leafBits), change };
  } finally {
    for (const file of files) file?.close();
  }
}

function openCursor(source: ReturnType<typeof recordSource>, bit: number, base: number, now: number): LeafCursor {
  const cursor = {
    bit,
    base,
    words: source.words,
    at: 0,
    next() {
      for (;;) {
        cursor.at += MEMBER_WIDTH;
        if (cursor.at >= source.end) {
          if (!source.next()) return false;
          cursor.at = 0;
        }
        if (isOpen(cursor.words[cursor.at + 5]!, cursor.words[cursor.at + 6]!, now)) return true;
      }
    },
  };
  return cursor;
}

function compareCursors(a: LeafCursor, b: LeafCursor): number {
  for (let part = 0; part < 4; part++) {
    const difference = a.words[a.at + part]! - b.words[b.at + part]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Goes through all identifiers in order, and makes one record of the members that have one in common. */
function joinRecords(cursors: readonly LeafCursor[], partOf: Uint32Array, leafBits: Uint16Array): void {
  for (let handle = 0; handle < partOf.length; handle++) partOf[handle] = handle;
  let open = cursors.filter((cursor) => cursor.next());
  while (open.length > 0) {
    let least = open[0]!;
    for (const cursor of open) if (compareCursors(cursor, least) < 0) least = cursor;
    const same = open.filter((cursor) => cursor === least || compareCursors(cursor, least) === 0);
    const first = least.base + least.words[least.at + 4]!;
    for (const cursor of same) {
      const handle = cursor.base + cursor.words[cursor.at + 4]!;
      leafBits[handle]! |= cursor.bit;
      partOf[rootOf(partOf, handle)] = rootOf(partOf, first);
    }
    const ended = same.filter((cursor) => !cursor.next());
    if (ended.length > 0) open = open.filter((cursor) => !ended.includes(cursor));
  }
}

function rootOf(partOf: Uint32Array, handle: number): number {
  let found = handle;
  while (partOf[found] !== found) {
    partOf[found] = partOf[partOf[found]!]!;
    found = partOf[found]!;
  }
  return found;
}

function countMeant(
  tree: AudienceTree,
  leaves: readonly Subject[],
  partOf: Uint32Array,
  leafBits: Uint16Array,
): number {
  const isMeantBy = Array.from({ length: 1 << leaves.length }, (_, bits) =>
    isMeant(tree, (leaf) => (bits & (1 << leaves.indexOf(leaf))) !== 0),
  );
  for (let handle = 0; handle < partOf.length; handle++) {
    const root = rootOf(partOf, handle);
    if (root !== handle) leafBits[root]! |= leafBits[handle]!;
  }
  let size = 0;
  for (let handle = 0; handle < partOf.length; handle++) {
    if (partOf[handle] === handle && leafBits[handle] !== 0 && isMeantBy[leafBits[handle]!]) size += 1;
  }
  return size;
}
