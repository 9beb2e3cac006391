import { MATCHED_RECORDS, openMatched } from './matched-file.ts';
import { changeOf, isOpen } from './membership-windows.ts';
import { recordSource } from './record-file.ts';

/** Users of the directory by number, a bit each, and when that may change; infinity for never. */
export interface UserSet {
  readonly bits: Uint32Array;
  readonly change: number;
}

/** So many numbers, none of them set. */
export function noBits(people: number): Uint32Array {
  return new Uint32Array(Math.ceil(people / 32));
}

/** The matched users of a file whose window is open at a time, among so many people; nobody when there is no file. */
export function usersIn(path: string, people: number, now: number): UserSet {
  const bits = noBits(people);
  let change = Number.POSITIVE_INFINITY;
  const file = openMatched(path);
  if (!file) return { bits, change };
  try {
    const source = recordSource(file.records, MATCHED_RECORDS);
    while (source.next()) {
      const { words, end } = source;
      for (let at = 0; at < end; at += MATCHED_RECORDS.width) {
        const number = words[at]!;
        const effective_at = words[at + 1]!;
        const expires_at = words[at + 2]!;
        if (number < people && isOpen(effective_at, expires_at, now)) bits[number >>> 5]! |= 1 << (number & 31);
        change = Math.min(change, changeOf(effective_at, expires_at, now));
      }
    }
    return { bits, change };
  } finally {
    file.records.close();
  }
}

/** How many of these users were active since a time. */
export function countActive(bits: Uint32Array, lastActiveAt: Uint32Array, since: number): number {
  let count = 0;
  for (let number = 0; number < lastActiveAt.length; number++) {
    if (hasBit(bits, number) && lastActiveAt[number]! >= since) count += 1;
  }
  return count;
}

/** The numbers that are set, ascending. */
export function numbersOf(bits: Uint32Array, people: number): Uint32Array<ArrayBuffer> {
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
