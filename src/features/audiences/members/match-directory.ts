import { ENTRY_BYTES, IDENTIFIER_BYTES, type IdentifierReader, openIdentifiers } from '../directory/identifier-file.ts';
import { amendmentsOf } from './amendments.ts';
import type { ImageReference } from './file-paths.ts';
import { compare, findEntries } from './find-entries.ts';
import { MATCHED_RECORDS, type MatchedMetadata, matchedMetadataNumbers } from './matched-users.ts';
import { EFFECTIVE_AT, EXPIRES_AT, STATE_WIDTH } from './member-run.ts';
import type { MemberRuns } from './member-runs.ts';
import { openRecordWriter, type RecordWriter } from './record-file.ts';
import { sortByKeys } from './sort-identifiers.ts';

/** Number of users in one pass, to bound memory. */
const USERS_PER_PASS = 2_000_000;

/** Writes the users of the directory who share an identifier with a member, with the windows of these members. */
export function matchDirectory(path: string, members: MemberRuns, image: ImageReference, notes: MatchedMetadata): void {
  const sink = openRecordWriter(path, MATCHED_RECORDS);
  try {
    for (let from = 0; from < image.people; from += USERS_PER_PASS) {
      const directory = openIdentifiers(image.folder);
      try {
        writeMatches(sink, findMatches(members, directory, from, from + USERS_PER_PASS));
      } finally {
        directory.close();
      }
    }
    sink.finish({ numbers: matchedMetadataNumbers(notes), trailer: new Uint32Array(0) });
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** User numbers with windows, unordered. */
interface Matches {
  numbers: Uint32Array;
  windows: Uint32Array;
  count: number;
}

function addMatch(matches: Matches, number: number, effective_at: number, expires_at: number): void {
  const at = matches.count++;
  if (at === matches.numbers.length) {
    matches.numbers = grow(matches.numbers);
    matches.windows = grow(matches.windows);
  }
  matches.numbers[at] = number;
  matches.windows[at * 2] = effective_at;
  matches.windows[at * 2 + 1] = expires_at;
}

function grow(words: Uint32Array): Uint32Array {
  const more = new Uint32Array(words.length * 2);
  more.set(words);
  return more;
}

/** Searches the identifiers of users in a range of numbers, one block of the directory at a time. */
function findMatches(members: MemberRuns, directory: IdentifierReader, from: number, to: number): Matches {
  const matches: Matches = { numbers: new Uint32Array(1024), windows: new Uint32Array(2048), count: 0 };
  const amendments = amendmentsOf(members.runs);
  for (let block = directory.next(); block; block = directory.next()) {
    const { words, numbers, slots } = readBlock(block, from, to);
    const found = findEntries(members.runs, words, amendments);
    if (found.count === 0) continue;
    for (const [at, number] of numbers.entries()) {
      const state = slots[at]! * STATE_WIDTH;
      const expires_at = found.states[state + EXPIRES_AT]!;
      // Members that had expired by the last upload do not count.
      if (expires_at > members.accepted_at) addMatch(matches, number, found.states[state + EFFECTIVE_AT]!, expires_at);
    }
  }
  return matches;
}

/** Returns the users of a block in a range of numbers, their distinct identifiers, and the index of each user's identifier. */
function readBlock(block: Uint8Array, from: number, to: number) {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const entries = block.byteLength / ENTRY_BYTES;
  const words = new Uint32Array(entries * 4);
  const numbers = new Uint32Array(entries);
  const slots = new Uint32Array(entries);
  let users = 0;
  let count = 0;
  for (let at = 0; at < block.byteLength; at += ENTRY_BYTES) {
    const number = view.getUint32(at + IDENTIFIER_BYTES, true);
    if (number < from || number >= to) continue;
    for (let part = 0; part < 4; part++) words[count * 4 + part] = view.getUint32(at + part * 4);
    // Several people may share an identifier.
    if (count === 0 || compare(words, (count - 1) * 4, words, count * 4) !== 0) count += 1;
    numbers[users] = number;
    slots[users] = count - 1;
    users += 1;
  }
  return { words: words.subarray(0, count * 4), numbers: numbers.subarray(0, users), slots };
}

/** Writes matches by number, without duplicate windows of a user. */
function writeMatches(sink: RecordWriter, { numbers, windows, count }: Matches): void {
  const sorted = sortByKeys({
    keys: numbers.slice(0, count),
    places: Uint32Array.from({ length: count }, (_, at) => at),
  });
  for (let from = 0; from < count; ) {
    const number = sorted.keys[from]!;
    let to = from;
    for (; to < count && sorted.keys[to] === number; to++) {
      const at = sorted.places[to]! * 2;
      let isNew = true;
      for (let before = from; before < to && isNew; before++) {
        const other = sorted.places[before]! * 2;
        isNew = windows[other] !== windows[at] || windows[other + 1] !== windows[at + 1];
      }
      if (isNew) write(sink, number, windows[at]!, windows[at + 1]!);
    }
    from = to;
  }
}

function write(sink: RecordWriter, number: number, effective_at: number, expires_at: number): void {
  const { words, at } = sink;
  words[at] = number;
  words[at + 1] = effective_at;
  words[at + 2] = expires_at;
  sink.at = at + MATCHED_RECORDS.width;
  if (sink.at === words.length) sink.flush();
}
