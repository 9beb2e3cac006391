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

/** Adds the people of `of` for whom a predicate is true. */
export function addWhere(set: PeopleSet, of: PeopleSet, isMeant: (person: number) => boolean): void {
  for (let at = 0; at < of.length; at++) {
    let meant = 0;
    for (let bits = of[at]!; bits !== 0; bits &= bits - 1) {
      const bit = bits & -bits;
      if (isMeant(at * 32 + 31 - Math.clz32(bit))) meant |= bit;
    }
    set[at]! |= meant;
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
  for (let word of set) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    size += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return size;
}
