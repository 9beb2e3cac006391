import { releaseMemory } from '../../../base/release-memory.ts';
import {
  addMember,
  applyUploads,
  createMemberTable,
  isAlive,
  type MemberTable,
  NO_MEMBER,
  rootMember,
} from './apply-uploads.ts';
import {
  MEMBER_RECORDS,
  MEMBER_WIDTH,
  type MemberFile,
  type MemberMetadata,
  NO_MEMBERS,
  openMembers,
  recordMetadataOf,
} from './member-file.ts';
import { hasExpired, windowCounts } from './membership-windows.ts';
import { openRecordWriter, type RecordWriter, readRecords } from './record-file.ts';
import { seek } from './seek.ts';
import { type SortedIdentifiers, sortIdentifiers } from './sort-identifiers.ts';
import { type TouchedMembers, touchedMembers } from './touched-members.ts';
import { type PendingUpload, unpackUploads } from './unpack-uploads.ts';

/** Consecutive uploads of the log; `last` is the number of the last one. */
export interface Batch {
  readonly uploads: readonly PendingUpload[];
  readonly last: number;
}

/**
 * Merges uploads into the members of a subject in two sequential passes: find the entries that the uploads touch, apply
 * the uploads to them, then rewrite the file, which replaces the old one at the end. The uploads are consumed: memory
 * is released as soon as possible, because batches are as large as memory allows.
 * @source decision 280
 */
export function mergeUploads(path: string, { uploads, last }: Batch): MemberMetadata {
  const file = openMembers(path);
  try {
    const before = file ?? NO_MEMBERS;
    const pending = unpackUploads(uploads);
    const sorted = sortIdentifiers(pending.words);
    releaseMemory(pending.words);
    const found = file ? findTouched(file, sorted) : undefined;
    const people = pending.identifiersEnd.length;
    const members = createMemberTable((found?.count ?? 0) + people);
    const { touched, holders } = assignHandles(found, members, sorted.count);
    const windows = windowCounts(before.windows);
    for (let handle = 0; handle < members.count; handle++) {
      windows.add(members.effective_at[handle]!, members.expires_at[handle]!, -1);
    }
    const next = applyUploads({ pending, slots: sorted.slots, holders, members, next: before.next });
    if (next > NUMBERS_MAX) throw new Error('the audience has no member numbers left');
    const now = uploads.at(-1)?.accepted_at ?? before.accepted_at;
    for (let handle = 0; handle < members.count; handle++) {
      if (members.mergedInto[handle] !== handle || !isAlive(members, handle, now)) continue;
      windows.add(members.effective_at[handle]!, members.expires_at[handle]!, 1);
    }
    const notes = { merged: last, accepted_at: now, next, windows: windows.table(now) };
    const sink = openRecordWriter(path, MEMBER_RECORDS);
    try {
      rewrite({ file, sorted, holders, members, touched, now }, sink);
      sink.finish(recordMetadataOf(notes));
    } catch (error) {
      sink.discard();
      throw error;
    }
    return notes;
  } finally {
    file?.close();
  }
}

/** The largest member number. @source decision 288 */
const NUMBERS_MAX = 0xffff_fff0;

/** By distinct identifier of the uploads: its entry in the file; `expires_at` is 0 where there is none. */
interface FoundEntries {
  readonly number: Uint32Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  /** Number of entries found. */
  count: number;
}

/** The first pass: finds the entries of the identifiers in the uploads. */
function findTouched({ records }: MemberFile, { words, count }: SortedIdentifiers): FoundEntries {
  const found: FoundEntries = {
    number: new Uint32Array(count),
    effective_at: new Uint32Array(count),
    expires_at: new Uint32Array(count),
    count: 0,
  };
  const source = readRecords(records, MEMBER_RECORDS);
  let slot = 0;
  while (slot < count && source.next()) {
    const { words: entries, end } = source;
    for (let at = 0; at < end && slot < count; ) {
      const first = words[slot * 4]!;
      at = seek(entries, at, end, MEMBER_WIDTH, first);
      if (at === end) break;
      const order = compare(entries, at, words, slot * 4);
      if (order === 0) {
        found.number[slot] = entries[at + 4]!;
        found.effective_at[slot] = entries[at + 5]!;
        found.expires_at[slot] = entries[at + 6]!;
        found.count += 1;
      }
      if (order <= 0) at += MEMBER_WIDTH;
      if (order >= 0) slot += 1;
    }
  }
  return found;
}

function compare(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  return a[atA]! - b[atB]! || a[atA + 1]! - b[atB + 1]! || a[atA + 2]! - b[atB + 2]! || a[atA + 3]! - b[atB + 3]!;
}

/** Assigns a handle to each member found, and maps identifiers to handles. Consumes `found`. */
function assignHandles(
  found: FoundEntries | undefined,
  members: MemberTable,
  identifiers: number,
): { readonly touched: TouchedMembers; readonly holders: Uint32Array } {
  const holders = new Uint32Array(identifiers).fill(NO_MEMBER);
  const touched = touchedMembers(found?.count ?? 0);
  for (let slot = 0; found && slot < identifiers; slot++) {
    const expires_at = found.expires_at[slot]!;
    if (expires_at === 0) continue;
    const number = found.number[slot]!;
    let handle = touched.find(number);
    if (handle === NO_MEMBER) {
      handle = addMember(members, number, found.effective_at[slot]!, expires_at);
      touched.add(number, handle);
    }
    holders[slot] = handle;
  }
  if (found) for (const column of [found.number, found.effective_at, found.expires_at]) releaseMemory(column);
  return { touched, holders };
}

interface RewriteInput {
  readonly file: MemberFile | undefined;
  readonly sorted: SortedIdentifiers;
  readonly holders: Uint32Array;
  readonly members: MemberTable;
  readonly touched: TouchedMembers;
  /** Members that have expired by this time are left out. */
  readonly now: number;
}

/** The second pass: merges the entries of the file and of the uploads by identifier. */
function rewrite({ file, sorted, holders, members, touched, now }: RewriteInput, sink: RecordWriter): void {
  const { words, count } = sorted;
  let slot = 0;
  const writeMember = (from: Uint32Array, at: number, handle: number): void => {
    const whole = rootMember(members, handle);
    if (!isAlive(members, whole, now)) return;
    const { words: to, at: place } = sink;
    for (let part = 0; part < 4; part++) to[place + part] = from[at + part]!;
    to[place + 4] = members.number[whole]!;
    to[place + 5] = members.effective_at[whole]!;
    to[place + 6] = members.expires_at[whole]!;
    sink.at = place + MEMBER_WIDTH;
    if (sink.at === to.length) sink.flush();
  };
  const writeSlot = (): void => {
    if (holders[slot] !== NO_MEMBER) writeMember(words, slot * 4, holders[slot]!);
    slot += 1;
  };
  const source = file && readRecords(file.records, MEMBER_RECORDS);
  const isAsItWas = touched.isEmpty() && !(file && hasExpired(file.windows, now));
  while (source?.next()) {
    const { words: entries, end } = source;
    for (let at = 0; at < end; ) {
      while (slot < count && compare(words, slot * 4, entries, at) < 0) writeSlot();
      const first = slot < count ? words[slot * 4]! : Number.POSITIVE_INFINITY;
      let to = at;
      // Unchanged entries below the next identifier are copied in one step.
      if (isAsItWas) to = seek(entries, at, end, MEMBER_WIDTH, first);
      while (to < end && entries[to]! < first && !touched.mayContain(entries[to + 4]!) && entries[to + 6]! > now) {
        to += MEMBER_WIDTH;
      }
      copy(entries, at, to, sink);
      at = to;
      if (at === end) break;
      if (slot < count && compare(words, slot * 4, entries, at) <= 0) {
        // The uploads replace the entry of the same identifier.
        if (compare(words, slot * 4, entries, at) === 0) at += MEMBER_WIDTH;
        writeSlot();
        continue;
      }
      const handle = touched.find(entries[at + 4]!);
      if (handle !== NO_MEMBER) writeMember(entries, at, handle);
      else if (entries[at + 6]! > now) copy(entries, at, at + MEMBER_WIDTH, sink);
      at += MEMBER_WIDTH;
    }
  }
  while (slot < count) writeSlot();
}

/** From this length on, `set` is faster than a loop. */
const LONG = 128;

/** Copies whole entries. */
function copy(from: Uint32Array, at: number, to: number, sink: RecordWriter): void {
  const { words } = sink;
  for (let next = at; next < to; ) {
    const end = Math.min(to, next + words.length - sink.at);
    let place = sink.at;
    if (end - next >= LONG) {
      words.set(from.subarray(next, end), place);
      place += end - next;
      next = end;
    } else while (next < end) words[place++] = from[next++]!;
    sink.at = place;
    if (place === words.length) sink.flush();
  }
}
