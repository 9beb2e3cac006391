import type { AudienceTree, Subject } from '../../../contract/store/audiences.ts';
import { isInTree, leavesOf } from './audience-tree.ts';
import { FileGone } from './file-paths.ts';
import { EFFECTIVE_AT, ENTRY_WIDTH, EXPIRES_AT, NUMBER, STATE } from './member-run.ts';
import { openMembers } from './member-runs.ts';
import { countOpen, isOpen } from './membership-windows.ts';
import { readMembers } from './read-members.ts';
import type { RecordReader } from './record-file.ts';

/** Iterates over the identifiers of a leaf whose window is open. */
interface LeafCursor {
  /** The bit of the leaf. */
  readonly bit: number;
  /** Offset of its member numbers, which makes them distinct from those of other leaves. */
  readonly base: number;
  words: Uint32Array;
  at: number;
  /** Moves to the next identifier; false at the end. */
  next(): boolean;
}

/** The number of records of a tree, and the time when it may change without an upload; Infinity for never. */
interface RecordCount {
  readonly size: number;
  readonly nextChangeAt: number;
}

/**
 * Counts the records of a tree. Members of different leaves that share an identifier are one record. Negated leaves
 * only count members of other leaves. Memory is proportional to the number of members.
 * @source decision 284
 */
export function countRecords(tree: AudienceTree, pathOf: (leaf: Subject) => string, now: number): RecordCount {
  const leaves = leavesOf(tree);
  const files = leaves.map((leaf) => openMembers(pathOf(leaf)));
  try {
    for (const [index, leaf] of leaves.entries()) {
      if (!files[index] && pathOf(leaf) !== '') throw new FileGone(pathOf(leaf));
    }
    let room = 0;
    let nextChangeAt = Number.POSITIVE_INFINITY;
    const cursors: LeafCursor[] = [];
    for (const [index, file] of files.entries()) {
      if (!file) continue;
      nextChangeAt = Math.min(nextChangeAt, countOpen(file.windows, now).nextChangeAt);
      cursors.push(openCursor(readMembers(file.runs), 1 << index, room, now));
      room += file.next;
    }
    const parents = new Uint32Array(room);
    const leafBits = new Uint16Array(room);
    joinRecords(cursors, parents, leafBits);
    return { size: countMatching(tree, leaves, parents, leafBits), nextChangeAt };
  } finally {
    for (const file of files) file?.close();
  }
}

function openCursor(source: RecordReader, bit: number, base: number, now: number): LeafCursor {
  const cursor = {
    bit,
    base,
    words: source.words,
    at: 0,
    next() {
      for (;;) {
        cursor.at += ENTRY_WIDTH;
        if (cursor.at >= source.end) {
          if (!source.next()) return false;
          cursor.at = 0;
        }
        const state = cursor.at + STATE;
        if (isOpen(cursor.words[state + EFFECTIVE_AT]!, cursor.words[state + EXPIRES_AT]!, now)) return true;
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

/** Merges all identifiers in order, and unites members that share one (union-find). */
function joinRecords(cursors: readonly LeafCursor[], parents: Uint32Array, leafBits: Uint16Array): void {
  for (let handle = 0; handle < parents.length; handle++) parents[handle] = handle;
  let open = cursors.filter((cursor) => cursor.next());
  while (open.length > 0) {
    let least = open[0]!;
    for (const cursor of open) if (compareCursors(cursor, least) < 0) least = cursor;
    const same = open.filter((cursor) => cursor === least || compareCursors(cursor, least) === 0);
    const first = least.base + least.words[least.at + STATE + NUMBER]!;
    for (const cursor of same) {
      const handle = cursor.base + cursor.words[cursor.at + STATE + NUMBER]!;
      leafBits[handle]! |= cursor.bit;
      parents[rootOf(parents, handle)] = rootOf(parents, first);
    }
    const ended = same.filter((cursor) => !cursor.next());
    if (ended.length > 0) open = open.filter((cursor) => !ended.includes(cursor));
  }
}

function countMatching(
  tree: AudienceTree,
  leaves: readonly Subject[],
  parents: Uint32Array,
  leafBits: Uint16Array,
): number {
  const isMatch = Array.from({ length: 1 << leaves.length }, (_, bits) =>
    isInTree(tree, (leaf) => (bits & (1 << leaves.indexOf(leaf))) !== 0),
  );
  for (let handle = 0; handle < parents.length; handle++) {
    const root = rootOf(parents, handle);
    if (root !== handle) leafBits[root]! |= leafBits[handle]!;
  }
  let size = 0;
  for (let handle = 0; handle < parents.length; handle++) {
    if (parents[handle] === handle && leafBits[handle] !== 0 && isMatch[leafBits[handle]!]) size += 1;
  }
  return size;
}

/**
 * The root of an element in a union-find forest, where `parents` has the parent of each element and a root is its own
 * parent. Shortens the path that it follows.
 */
function rootOf(parents: Uint32Array, element: number): number {
  let found = element;
  while (parents[found] !== found) {
    parents[found] = parents[parents[found]!]!;
    found = parents[found]!;
  }
  return found;
}
