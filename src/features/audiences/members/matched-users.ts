import { FileGone } from './file-paths.ts';
import { MATCHED_RECORDS, openMatched } from './matched-file.ts';
import { isOpen, nextChangeOf } from './membership-windows.ts';
import { readRecords } from './record-file.ts';

/** A set of users, one bit each, and when it may change without an upload; Infinity for never. */
interface UserSet {
  readonly bits: Uint32Array;
  readonly nextChangeAt: number;
}

/** An empty bit set. */
function emptyBits(people: number): Uint32Array {
  return new Uint32Array(Math.ceil(people / 32));
}

/** The matched users of a file whose window is open at a time; nobody without a path. @throws FileGone */
export function readMatchedUsers(path: string, people: number, now: number): UserSet {
  const bits = emptyBits(people);
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

/** The numbers of a set, ascending. */
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
