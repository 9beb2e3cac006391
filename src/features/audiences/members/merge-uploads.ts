import { join } from 'node:path';
import { releaseMemory } from '../../../base/release-memory.ts';
import { readPacked, UPDATE } from '../uploads/packed-format.ts';
import { compactRuns } from './compact-runs.ts';
import { type FoundEntries, findEntries } from './find-entries.ts';
import {
  AMENDMENT_WIDTH,
  EFFECTIVE_AT,
  ENTRY_WIDTH,
  EXPIRES_AT,
  IDENTIFIERS,
  type MemberMetadata,
  NO_MEMBERS,
  NUMBER,
  openRunWriter,
  type RunWriter,
  STATE,
  STATE_WIDTH,
} from './member-run.ts';
import { openMembers, removeOthers, runName } from './member-runs.ts';
import {
  addMember,
  createMemberTable,
  ELSEWHERE,
  isAlive,
  type MemberTable,
  mergeMember,
  NO_MEMBER,
  ROW_WIDTH,
  rootMember,
} from './member-table.ts';
import { windowCounts } from './membership-windows.ts';
import { NO_PLACE, numberMap } from './number-map.ts';
import { sortIdentifiers } from './sort-identifiers.ts';

/** Consecutive uploads of the log; `last` is the number of the last one. */
export interface Batch {
  readonly uploads: readonly PendingUpload[];
  readonly last: number;
}

/**
 * Merges uploads into the members of a subject: finds their entries, applies the uploads, writes the changes as a new
 * run, and compacts runs if there are many. Consumes the uploads, to release memory as soon as possible.
 * @source decision 280
 */
export function mergeUploads(folder: string, batch: Batch): MemberMetadata {
  const notes = appendRun(folder, batch);
  try {
    compactRuns(folder);
  } catch (error) {
    // The merge is complete. Compaction needs additional space for a while, and waits for the next batch.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return notes;
}

/** Merges uploads into a new run. */
export function appendRun(folder: string, { uploads, last }: Batch): MemberMetadata {
  const before = openMembers(folder);
  try {
    const { runs, merged, accepted_at, next, windows: formerWindows } = before ?? { ...NO_MEMBERS, runs: [] };
    removeOthers(folder, runs);
    const pending = unpackUploads(uploads);
    const { words, slots } = sortIdentifiers(pending.words);
    const found = findEntries(runs, words);
    const members = createMemberTable(found.count + pending.identifiersEnd.length);
    const { words: rows } = members;
    const holders = assignHandles(found, members);
    const touched = members.end;
    const windows = windowCounts(formerWindows);
    const count = (handle: number, by: 1 | -1): void => {
      const [effective_at, expires_at] = [rows[handle + EFFECTIVE_AT]!, rows[handle + EXPIRES_AT]!];
      windows.add(effective_at, expires_at, by, by * rows[handle + IDENTIFIERS]!);
    };
    for (let handle = 0; handle < touched; handle += ROW_WIDTH) count(handle, -1);
    const after = applyUploads({ pending, slots, holders, members, next });
    if (after > NUMBERS_MAX) throw new Error('the audience has no member numbers left');
    const now = uploads.at(-1)?.accepted_at ?? accepted_at;
    for (let handle = 0; handle < members.end; handle += ROW_WIDTH) {
      if (rootMember(members, handle) === handle && isAlive(members, handle, now)) count(handle, 1);
    }
    const notes = { merged: last, accepted_at: now, next: after, windows: windows.table(now) };
    const first = merged + 1;
    const sink = openRunWriter(join(folder, runName(first, last)));
    try {
      writeEntries(sink, { words, hasEntry: found.hasEntry, holders, members, now });
      sink.finish({ ...notes, first, amendments: amendmentsUpTo(members, touched, now) });
    } catch (error) {
      sink.discard();
      throw error;
    }
    return notes;
  } finally {
    before?.close();
  }
}

/** Maximum member number. @source decision 288 */
const NUMBERS_MAX = 0xffff_fff0;

/** Assigns a handle to each found member; returns the handle by identifier. */
function assignHandles({ states, count }: FoundEntries, members: MemberTable): Int32Array {
  const { words: rows } = members;
  const holders = new Int32Array(states.length / STATE_WIDTH).fill(NO_MEMBER);
  const handles = numberMap(count);
  for (let slot = 0; count > 0 && slot < holders.length; slot++) {
    const state = slot * STATE_WIDTH;
    const number = states[state + NUMBER]!;
    if (number === 0) continue;
    let handle = handles.find(number);
    if (handle === NO_PLACE) {
      handle = addMember(members, number, states[state + IDENTIFIERS]!);
      rows[handle + EFFECTIVE_AT] = states[state + EFFECTIVE_AT]!;
      rows[handle + EXPIRES_AT] = states[state + EXPIRES_AT]!;
      rows[handle + ELSEWHERE] = states[state + IDENTIFIERS]!;
      handles.add(number, handle);
    }
    rows[handle + ELSEWHERE]! -= 1;
    holders[slot] = handle;
  }
  releaseMemory(states);
  return holders;
}

interface WriteInput {
  readonly words: Uint32Array;
  readonly hasEntry: Uint8Array;
  readonly holders: Int32Array;
  readonly members: MemberTable;
  readonly now: number;
}

/** Writes an entry for each identifier with a member, and a tombstone for others that have an entry in an earlier run. */
function writeEntries(sink: RunWriter, { words, hasEntry, holders, members, now }: WriteInput): void {
  const { words: entries } = sink;
  const { words: rows } = members;
  for (let slot = 0; slot < holders.length; slot++) {
    if (slot % PREFETCHED === 0) prefetchRows(rows, holders, slot);
    const holder = holders[slot]!;
    const handle = holder === NO_MEMBER ? NO_MEMBER : rootMember(members, holder);
    const hasMember = handle !== NO_MEMBER && isAlive(members, handle, now);
    if (!hasMember && hasEntry[slot] === 0) continue;
    const { at } = sink;
    for (let part = 0; part < 4; part++) entries[at + part] = words[slot * 4 + part]!;
    if (hasMember) for (let part = 0; part < STATE_WIDTH; part++) entries[at + STATE + part] = rows[handle + part]!;
    else entries.fill(0, at + STATE, at + ENTRY_WIDTH);
    sink.at = at + ENTRY_WIDTH;
    if (sink.at === entries.length) sink.flush();
  }
}

/** Number of rows that fit into the L1 cache. */
const PREFETCHED = 256;

/**
 * Prefetches the next rows, which are at random addresses: a loop without other work has many cache misses in flight, while a
 * single miss takes longer than writing an entry.
 */
function prefetchRows(rows: Uint32Array, holders: Int32Array, from: number): number {
  let sum = 0;
  const to = Math.min(holders.length, from + PREFETCHED);
  for (let slot = from; slot < to; slot++) sum ^= rows[Math.max(0, holders[slot]!)]!;
  return sum;
}

/** Returns the amendments of members, up to a handle, with further identifiers in earlier runs. */
function amendmentsUpTo(members: MemberTable, touched: number, now: number): Uint32Array {
  const { words: rows } = members;
  const handles: number[] = [];
  for (let handle = 0; handle < touched; handle += ROW_WIDTH) if (rows[handle + ELSEWHERE]! > 0) handles.push(handle);
  handles.sort((a, b) => rows[a + NUMBER]! - rows[b + NUMBER]!);
  const amendments = new Uint32Array(handles.length * AMENDMENT_WIDTH);
  for (const [index, handle] of handles.entries()) {
    const at = index * AMENDMENT_WIDTH;
    const whole = rootMember(members, handle);
    amendments[at] = rows[handle + NUMBER]!;
    if (!isAlive(members, whole, now)) continue;
    for (let part = 0; part < STATE_WIDTH; part++) amendments[at + 1 + part] = rows[whole + part]!;
  }
  return amendments;
}

/** The input of `applyUploads`. */
interface ApplyInput {
  readonly pending: UnpackedUploads;
  /** For each uploaded identifier, its index among the distinct identifiers. */
  readonly slots: Uint32Array;
  /** For each distinct identifier, the handle of its member. Changed in place. */
  readonly holders: Int32Array;
  readonly members: MemberTable;
  /** The number of the next new member. */
  readonly next: number;
}

/**
 * Applies uploads in log order; returns the number of the next new member. A member that has ended or expired is left
 * alone, and its identifiers can be claimed by a new member.
 * @source creatives 19.5; decision 281, 282
 */
function applyUploads({ pending, slots, holders, members, next }: ApplyInput): number {
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

/** Ends a member at once, or at a future `effective_at`. @source decision 283 */
function endMember({ words }: MemberTable, handle: number, effective_at: number, now: number): void {
  const expires_at = handle + EXPIRES_AT;
  words[expires_at] = effective_at <= now ? 0 : Math.min(words[expires_at]!, effective_at);
}

/** An upload to merge. */
interface PendingUpload {
  readonly accepted_at: number;
  readonly payload: Uint8Array;
}

/** Uploads as columns, in log order. */
interface UnpackedUploads {
  /** By operation: 1 if it adds people. */
  readonly isUpdate: Uint8Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  readonly accepted_at: Uint32Array;
  /** By operation: the index after its last person. */
  readonly peopleEnd: Uint32Array;
  /** By person: the index after their last identifier. */
  readonly identifiersEnd: Uint32Array;
  /** By identifier: four big-endian numbers, which sort like its bytes. */
  readonly words: Uint32Array;
}

interface Counts {
  operations: number;
  people: number;
  identifiers: number;
}

/** Unpacks uploads into columns, and releases their memory. */
function unpackUploads(uploads: readonly PendingUpload[]): UnpackedUploads {
  const counts: Counts = { operations: 0, people: 0, identifiers: 0 };
  for (const { payload } of uploads) {
    readPacked(payload, {
      operation() {
        counts.operations += 1;
      },
      person(_at, identifiers) {
        counts.people += 1;
        counts.identifiers += identifiers;
      },
    });
  }
  const pending: UnpackedUploads = {
    isUpdate: new Uint8Array(counts.operations),
    effective_at: new Uint32Array(counts.operations),
    expires_at: new Uint32Array(counts.operations),
    accepted_at: new Uint32Array(counts.operations),
    peopleEnd: new Uint32Array(counts.operations),
    identifiersEnd: new Uint32Array(counts.people),
    words: new Uint32Array(counts.identifiers * 4),
  };
  const read: Counts = { operations: 0, people: 0, identifiers: 0 };
  for (const upload of uploads) {
    addTo(pending, upload, read);
    releaseMemory(upload.payload);
  }
  return pending;
}

function addTo(pending: UnpackedUploads, { payload, accepted_at }: PendingUpload, read: Counts): void {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const { words, identifiersEnd } = pending;
  readPacked(payload, {
    operation(type, effective_at, expires_at, people) {
      const operation = read.operations++;
      pending.isUpdate[operation] = type === UPDATE ? 1 : 0;
      pending.effective_at[operation] = effective_at;
      pending.expires_at[operation] = expires_at;
      pending.accepted_at[operation] = accepted_at;
      pending.peopleEnd[operation] = read.people + people;
    },
    person(at, identifiers) {
      const end = read.identifiers + identifiers;
      for (let word = read.identifiers * 4, from = at; word < end * 4; word++, from += 4) {
        words[word] = view.getUint32(from, false);
      }
      read.identifiers = end;
      identifiersEnd[read.people++] = end;
    },
  });
}
