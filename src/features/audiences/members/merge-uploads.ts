import { releaseMemory } from '../../../base/release-memory.ts';
import { addMember, isAlive, type Members, membersFor, NOBODY, resolve, wholeOf } from './apply-uploads.ts';
import {
  MEMBER_RECORDS,
  MEMBER_WIDTH,
  type MemberFile,
  type MemberNotes,
  NO_MEMBERS,
  notesOf,
  openMembers,
} from './member-file.ts';
import { hasExpired, windowCounts } from './membership-windows.ts';
import { type RecordSink, recordSink, recordSource } from './record-file.ts';
import { seek } from './seek.ts';
import { type SortedIdentifiers, sortIdentifiers } from './sort-identifiers.ts';
import { type Touched, touchedMembers } from './touched-members.ts';
import { type PendingUpload, unpack } from './unpack-uploads.ts';

/** Uploads that follow one another in the log; `last` is the number of the last. */
export interface Batch {
  readonly uploads: readonly PendingUpload[];
  readonly last: number;
}

/**
 * Merges uploads into the members of a subject: what identifiers of the file they speak of, then what they make of these
 * members, then the file anew, in two sequential passes. Until the new file is in its place, the old one is. The uploads
 * are used up: what is no longer needed is given back at once, because as much is merged together as memory allows.
 */
export function mergeInto(path: string, { uploads, last }: Batch): MemberNotes {
  const file = openMembers(path);
  try {
    const before = file ?? NO_MEMBERS;
    const pending = unpack(uploads);
    const sorted = sortIdentifiers(pending.words);
    releaseMemory(pending.words);
    const found = file ? touchedBy(file, sorted) : undefined;
    const people = pending.identifiersEnd.length;
    const members = membersFor((found?.count ?? 0) + people);
    const { touched, holders } = handlesOf(found, members, sorted.count);
    const windows = windowCounts(before.windows);
    for (let handle = 0; handle < members.count; handle++) {
      windows.add(members.effective_at[handle]!, members.expires_at[handle]!, -1);
    }
    const next = resolve({ pending, slots: sorted.slots, holders, members, next: before.next });
    if (next > NUMBERS_MAX) throw new Error('an audience has used up the numbers of its members');
    const now = uploads.at(-1)?.accepted_at ?? before.accepted_at;
    for (let handle = 0; handle < members.count; handle++) {
      if (members.partOf[handle] !== handle || !isAlive(members, handle, now)) continue;
      windows.add(members.effective_at[handle]!, members.expires_at[handle]!, 1);
    }
    const notes = { merged: last, accepted_at: now, next, windows: windows.table(now) };
    const sink = recordSink(path, MEMBER_RECORDS);
    try {
      rewrite({ file, sorted, holders, members, touched, now }, sink);
      sink.finish(notesOf(notes));
    } catch (error) {
      sink.drop();
      throw error;
    }
    return notes;
  } finally {
    file?.close();
  }
}

const NUMBERS_MAX = 0xffff_fff0;

/** By distinct identifier of the uploads: the entry of the file, whose `expires_at` is 0 where there is none. */
interface Found {
  readonly number: Uint32Array;
  readonly effective_at: Uint32Array;
  readonly expires_at: Uint32Array;
  /** How many entries were found. */
  count: number;
}

/** The first pass: the entries of the file for identifiers of the uploads. */
function touchedBy({ records }: MemberFile, { words, count }: SortedIdentifiers): Found {
  const found: Found = {
    number: new Uint32Array(count),
    effective_at: new Uint32Array(count),
    expires_at: new Uint32Array(count),
    count: 0,
  };
  const source = recordSource(records, MEMBER_RECORDS);
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

/** Gives a handle to each member that was found, and notes which identifiers it holds. What was found is used up. */
function handlesOf(
  found: Found | undefined,
  members: Members,
  identifiers: number,
): { readonly touched: Touched; readonly holders: Uint32Array } {
  const holders = new Uint32Array(identifiers).fill(NOBODY);
  const touched = touchedMembers(found?.count ?? 0);
  for (let slot = 0; found && slot < identifiers; slot++) {
    const expires_at = found.expires_at[slot]!;
    if (expires_at === 0) continue;
    const number = found.number[slot]!;
    let handle = touched.find(number);
    if (handle === NOBODY) {
      handle = addMember(members, number, found.effective_at[slot]!, expires_at);
      touched.add(number, handle);
    }
    holders[slot] = handle;
  }
  if (found) for (const column of [found.number, found.effective_at, found.expires_at]) releaseMemory(column);
  return { touched, holders };
}

interface Rewriting {
  readonly file: MemberFile | undefined;
  readonly sorted: SortedIdentifiers;
  readonly holders: Uint32Array;
  readonly members: Members;
  readonly touched: Touched;
  /** Who has expired by then is left out. */
  readonly now: number;
}

/** The second pass: what the file has and what the uploads say, by identifier. */
function rewrite({ file, sorted, holders, members, touched, now }: Rewriting, sink: RecordSink): void {
  const { words, count } = sorted;
  let slot = 0;
  const writeMember = (from: Uint32Array, at: number, handle: number): void => {
    const whole = wholeOf(members, handle);
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
    if (holders[slot] !== NOBODY) writeMember(words, slot * 4, holders[slot]!);
    slot += 1;
  };
  const source = file && recordSource(file.records, MEMBER_RECORDS);
  const isAsItWas = touched.isEmpty() && !(file && hasExpired(file.windows, now));
  while (source?.next()) {
    const { words: entries, end } = source;
    for (let at = 0; at < end; ) {
      while (slot < count && compare(words, slot * 4, entries, at) < 0) writeSlot();
      const first = slot < count ? words[slot * 4]! : Number.POSITIVE_INFINITY;
      let to = at;
      // What is surely below the next identifier, and as it was, is copied in one go.
      if (isAsItWas) to = seek(entries, at, end, MEMBER_WIDTH, first);
      while (to < end && entries[to]! < first && !touched.maybeHas(entries[to + 4]!) && entries[to + 6]! > now) {
        to += MEMBER_WIDTH;
      }
      copy(entries, at, to, sink);
      at = to;
      if (at === end) break;
      if (slot < count && compare(words, slot * 4, entries, at) <= 0) {
        // The same identifier is written as the uploads leave it.
        if (compare(words, slot * 4, entries, at) === 0) at += MEMBER_WIDTH;
        writeSlot();
        continue;
      }
      const handle = touched.find(entries[at + 4]!);
      if (handle !== NOBODY) writeMember(entries, at, handle);
      else if (entries[at + 6]! > now) copy(entries, at, at + MEMBER_WIDTH, sink);
      at += MEMBER_WIDTH;
    }
  }
  while (slot < count) writeSlot();
}

/** So many numbers are copied faster as a whole than one by one. */
const LONG = 128;

/** Copies whole entries. */
function copy(from: Uint32Array, at: number, to: number, sink: RecordSink): void {
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
