import { join } from 'node:path';
import { releaseMemory } from '../../../base/release-memory.ts';
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
import { keepOnly, openMembers, runName } from './member-runs.ts';
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
import { type PendingUpload, type UnpackedUploads, unpackUploads } from './unpack-uploads.ts';

/** Consecutive uploads of the log; `last` is the number of the last one. */
export interface Batch {
  readonly uploads: readonly PendingUpload[];
  readonly last: number;
}

/**
 * Merges uploads into the members of a subject: finds the entries that they touch, applies the uploads to them, and
 * writes what has changed as a new run. Then runs are compacted, if there are many. The uploads are consumed: memory is
 * released as soon as possible.
 * @source decision 280
 */
export function mergeUploads(folder: string, batch: Batch): MemberMetadata {
  const notes = appendRun(folder, batch);
  try {
    compactRuns(folder);
  } catch (error) {
    // The merge is complete. Compaction, which needs room for a while, waits for the next batch.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  return notes;
}

/** Merges uploads into a new run. */
export function appendRun(folder: string, { uploads, last }: Batch): MemberMetadata {
  const before = openMembers(folder);
  try {
    const { runs, merged, accepted_at, next, windows: formerWindows } = before ?? { ...NO_MEMBERS, runs: [] };
    keepOnly(folder, runs);
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
      sink.finish({ ...notes, first, amendments: amend(members, touched, now) });
    } catch (error) {
      sink.discard();
      throw error;
    }
    return notes;
  } finally {
    before?.close();
  }
}

/** The largest member number. @source decision 288 */
const NUMBERS_MAX = 0xffff_fff0;

/** Assigns a handle to each member found; returns by identifier the handle of its member. */
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

/** Writes an entry for each identifier that has a member now, and a tombstone where an earlier run has one. */
function writeEntries(sink: RunWriter, { words, hasEntry, holders, members, now }: WriteInput): void {
  const { words: entries } = sink;
  const { words: rows } = members;
  for (let slot = 0; slot < holders.length; slot++) {
    if (slot % NEAR === 0) fetchRows(rows, holders, slot);
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

/** Rows that fit into the nearest cache of a processor. */
const NEAR = 256;

/**
 * Reads the rows that come next, which are anywhere. A loop that does nothing else waits for many of them at the same
 * time; one after the other, each would take longer than writing its entry.
 */
function fetchRows(rows: Uint32Array, holders: Int32Array, from: number): number {
  let sum = 0;
  const to = Math.min(holders.length, from + NEAR);
  for (let slot = from; slot < to; slot++) sum ^= rows[Math.max(0, holders[slot]!)]!;
  return sum;
}

/** The amendments for members, up to a handle, that have identifiers elsewhere, in earlier runs. */
function amend(members: MemberTable, touched: number, now: number): Uint32Array {
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

/** Ends a member at once, or closes their window at a future `effective_at`. @source decision 283 */
function endMember({ words }: MemberTable, handle: number, effective_at: number, now: number): void {
  const expires_at = handle + EXPIRES_AT;
  words[expires_at] = effective_at <= now ? 0 : Math.min(words[expires_at]!, effective_at);
}
