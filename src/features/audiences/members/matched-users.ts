import { emptySet } from '../directory/people-set.ts';
import { FileGone } from './file-paths.ts';
import { isOpen, nextChangeOf } from './membership-windows.ts';
import { openRecords, type RecordFile, type RecordKind, readRecords } from './record-file.ts';

/** A set of users, one bit each, and the time when it may change without an upload; Infinity for never. */
interface UserSet {
  readonly bits: Uint32Array;
  readonly nextChangeAt: number;
}

/** Reads the matched users whose window is open; none without a path. @throws FileGone */
export function readMatchedUsers(path: string, people: number, now: number): UserSet {
  const bits = emptySet(people);
  let nextChangeAt = Number.POSITIVE_INFINITY;
  if (path === '') return { bits, nextChangeAt };
  const file = openMatched(path);
  if (!file) throw new FileGone(path);
  try {
    const source = readRecords(file.records, MATCHED_RECORDS);
    while (source.next()) {
      const { words, end } = source;
      for (let at = 0; at < end; at += MATCHED_RECORDS.width) {
        const number = words[at]!;
        const effective_at = words[at + 1]!;
        const expires_at = words[at + 2]!;
        if (number < people && isOpen(effective_at, expires_at, now)) bits[number >>> 5]! |= 1 << (number & 31);
        nextChangeAt = Math.min(nextChangeAt, nextChangeOf(effective_at, expires_at, now));
      }
    }
    return { bits, nextChangeAt };
  } finally {
    file.records.close();
  }
}

/** Counts the users of a set who were active since a time. */
export function countActive(bits: Uint32Array, lastActiveAt: Uint32Array, since: number): number {
  let count = 0;
  for (let number = 0; number < lastActiveAt.length; number++) {
    if (hasBit(bits, number) && lastActiveAt[number]! >= since) count += 1;
  }
  return count;
}

/** Returns the numbers of a set, ascending; bits beyond the last person may be set. */
export function setBitNumbers(bits: Uint32Array, people: number): Uint32Array<ArrayBuffer> {
  let count = 0;
  for (let number = 0; number < people; number++) if (hasBit(bits, number)) count += 1;
  const numbers = new Uint32Array(count);
  let at = 0;
  for (let number = 0; at < count; number++) if (hasBit(bits, number)) numbers[at++] = number;
  return numbers;
}

function hasBit(bits: Uint32Array, number: number): boolean {
  return (bits[number >>> 5]! & (1 << (number & 31))) !== 0;
}

/** Records of matched users: number, effective_at, expires_at; sorted by number, with duplicates. */
export const MATCHED_RECORDS: RecordKind = { mark: 0x4d_41_54_31, width: 3 };

/** The versions of the inputs of a file of matched users. */
export interface MatchedMetadata {
  /** The last merged upload, and when it was accepted. */
  readonly merged: number;
  readonly accepted_at: number;
  /** The version of the directory. */
  readonly version: number;
  /** Checksum of the mark of the directory. */
  readonly mark: number;
}

/** Opens the matched users of a subject; undefined if there is no valid file. */
export function openMatched(path: string): (MatchedMetadata & { readonly records: RecordFile }) | undefined {
  const records = openRecords(path, MATCHED_RECORDS);
  if (!records) return undefined;
  const [merged, accepted_at, version, mark] = records.numbers as [number, number, number, number];
  return { merged, accepted_at, version, mark, records };
}

/** Returns the metadata as numbers of the file. */
export function matchedMetadataNumbers({ merged, accepted_at, version, mark }: MatchedMetadata): readonly number[] {
  return [merged, accepted_at, version, mark];
}
