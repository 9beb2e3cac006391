import { ENTRY_BYTES, type IdentifierReader, openIdentifiers } from '../directory/identifier-file.ts';
import type { ImageReference } from './file-paths.ts';
import { MATCHED_RECORDS, type MatchedMetadata, matchedMetadataNumbers } from './matched-file.ts';
import { MEMBER_RECORDS, MEMBER_WIDTH, type MemberFile } from './member-file.ts';
import { openRecordWriter, type RecordWriter, readRecords } from './record-file.ts';
import { sortByKeys } from './sort-identifiers.ts';

/** Users in one pass, so that memory does not grow with the directory. */
const USERS_PER_PASS = 2_000_000;

/**
 * Finds the users of the directory who share an identifier with a member, and writes them with the windows of those
 * members. Both files are sorted by identifier: a merge join.
 */
export function matchDirectory(path: string, file: MemberFile, image: ImageReference, notes: MatchedMetadata): void {
  const sink = openRecordWriter(path, MATCHED_RECORDS);
  try {
    for (let from = 0; from < image.people; from += USERS_PER_PASS) {
      const directory = openIdentifiers(image.folder);
      try {
        writeMatches(sink, findMatches(file, directory, from, from + USERS_PER_PASS));
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

/** User numbers with windows, in the order found. */
interface Matches {
  numbers: Uint32Array;
  windows: Uint32Array;
  count: number;
}

function addMatch(matches: Matches, number: number, effective_at: number, expires_at: number): void {
  const at = matches.count++;
  if (at === matches.numbers.length) {
    matches.numbers = grown(matches.numbers);
    matches.windows = grown(matches.windows);
  }
  matches.numbers[at] = number;
  matches.windows[at * 2] = effective_at;
  matches.windows[at * 2 + 1] = expires_at;
}

function grown(words: Uint32Array): Uint32Array {
  const more = new Uint32Array(words.length * 2);
  more.set(words);
  return more;
}

/** The merge join, for users whose numbers are in a range. */
function findMatches(file: MemberFile, directory: IdentifierReader, from: number, to: number): Matches {
  const matches: Matches = { numbers: new Uint32Array(1024), windows: new Uint32Array(2048), count: 0 };
  const people = identifierCursor(directory);
  const source = readRecords(file.records, MEMBER_RECORDS);
  let hasPeople = people.next();
  while (hasPeople && source.next()) {
    const { words, end } = source;
    for (let at = 0; at < end && hasPeople; ) {
      const order = people.compareTo(words, at);
      if (order > 0) {
        at += MEMBER_WIDTH;
        continue;
      }
      if (order === 0) {
        const number = people.number();
        if (number >= from && number < to) addMatch(matches, number, words[at + 5]!, words[at + 6]!);
      }
      // Several people may share an identifier, but members do not: advance the people.
      hasPeople = people.next();
    }
  }
  return matches;
}

/** Iterates over the identifiers of the directory. */
interface IdentifierCursor {
  /** Moves to the next; false at the end. */
  next(): boolean;
  /** Compares the current identifier with four numbers. */
  compareTo(words: Uint32Array, at: number): number;
  number(): number;
}

function identifierCursor(directory: IdentifierReader): IdentifierCursor {
  let view: DataView = new DataView(new ArrayBuffer(0));
  let at = 0;
  return {
    next() {
      at += ENTRY_BYTES;
      if (at < view.byteLength) return true;
      const block = directory.next();
      if (!block) return false;
      view = new DataView(block.buffer, block.byteOffset, block.byteLength);
      at = 0;
      return true;
    },
    compareTo: (words, place) =>
      view.getUint32(at) - words[place]! ||
      view.getUint32(at + 4) - words[place + 1]! ||
      view.getUint32(at + 8) - words[place + 2]! ||
      view.getUint32(at + 12) - words[place + 3]!,
    number: () => view.getUint32(at + 16, true),
  };
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
