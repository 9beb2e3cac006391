/** A set of people: one bit each, by number. */
export type PeopleSet = Uint32Array;

/** The empty set. */
export function emptySet(people: number): PeopleSet {
  return new Uint32Array(Math.ceil(people / 32));
}

/** The set of all people. */
export function fullSet(people: number): PeopleSet {
  const set = emptySet(people).fill(0xffffffff);
  if (people % 32 !== 0) set[set.length - 1] = 2 ** (people % 32) - 1;
  return set;
}

/** Calls `visit` for each person of a set, in ascending order. */
export function forEachPerson(set: PeopleSet, visit: (person: number) => void): void {
  for (let at = 0; at < set.length; at++) {
    for (let bits = set[at]!; bits !== 0; bits &= bits - 1) visit(at * 32 + 31 - Math.clz32(bits & -bits));
  }
}

/** With fewer people than this in a word of a set, only those are looked at; otherwise all, without branches. */
const FEW = 6;

/** Adds the people of `of` whose code in a column is wanted: `isWanted` is 1 for those codes, and 0 for others. */
export function addCoded(set: PeopleSet, of: PeopleSet, codes: Uint16Array, isWanted: Uint8Array): void {
  addByWord(set, of, codes.length, (first, people, among) => {
    let found = 0;
    if (countBits(among) < FEW) {
      for (let bits = among; bits !== 0; bits &= bits - 1) {
        const bit = 31 - Math.clz32(bits & -bits);
        found |= isWanted[codes[first + bit]!]! << bit;
      }
    } else for (let bit = 0; bit < people; bit++) found |= isWanted[codes[first + bit]!]! << bit;
    return found;
  });
}

/** Adds the people of `of` whose byte in a column is from `from` to `to`, both inclusive. */
export function addBytesBetween(set: PeopleSet, of: PeopleSet, column: Uint8Array, from: number, to: number): void {
  addByWord(set, of, column.length, (first, people) => {
    let others = 0;
    for (let bit = 0; bit < people; bit++) {
      const value = column[first + bit]!;
      // The sign bit of the differences: bytes are spread, so that a branch would often be mispredicted.
      others |= (((value - from) | (to - value)) >>> 31) << bit;
    }
    return ~others;
  });
}

/** The same of numbers, of which most are in the range or most are not. */
export function addNumbersBetween(set: PeopleSet, of: PeopleSet, column: Uint32Array, from: number, to: number): void {
  addByWord(set, of, column.length, (first, people) => {
    let found = 0;
    for (let bit = 0; bit < people; bit++) {
      const value = column[first + bit]!;
      found |= (value >= from && value <= to ? 1 : 0) << bit;
    }
    return found;
  });
}

/**
 * Adds those people of `of` whom `find` returns, a word at a time: from number `first` on, one bit each, also for people who
 * are not `among` them.
 */
function addByWord(
  set: PeopleSet,
  of: PeopleSet,
  people: number,
  find: (first: number, people: number, among: number) => number,
): void {
  for (let at = 0; at < of.length; at++) {
    const among = of[at]!;
    if (among === 0) continue;
    const first = at * 32;
    set[at]! |= find(first, Math.min(32, people - first), among) & among;
  }
}

/** Adds people by number, from one index of a list to another. Numbers out of range are ignored. */
export function addNumbers(set: PeopleSet, numbers: Uint32Array, from = 0, to = numbers.length): void {
  for (let at = from; at < to; at++) {
    const person = numbers[at]!;
    set[person >>> 5]! |= 1 << (person & 31);
  }
}

/** Adds the people of another set. */
export function union(set: PeopleSet, other: PeopleSet): void {
  for (let at = 0; at < set.length; at++) set[at]! |= other[at]!;
}

/** Keeps only the people who are also in another set. */
export function intersect(set: PeopleSet, other: PeopleSet): void {
  for (let at = 0; at < set.length; at++) set[at]! &= other[at]!;
}

/** Removes the people of another set. */
export function subtract(set: PeopleSet, other: PeopleSet): void {
  for (let at = 0; at < set.length; at++) set[at]! &= ~other[at]!;
}

/** The people of a set by number, ascending. */
export function numbersOf(set: PeopleSet): Uint32Array {
  const numbers = new Uint32Array(sizeOf(set));
  let found = 0;
  for (let at = 0; at < set.length; at++) {
    for (let bits = set[at]!; bits !== 0; bits &= bits - 1) numbers[found++] = at * 32 + 31 - Math.clz32(bits & -bits);
  }
  return numbers;
}

/** The number of people in a set. */
export function sizeOf(set: PeopleSet): number {
  let size = 0;
  for (let at = 0; at < set.length; at++) size += countBits(set[at]!);
  return size;
}

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
