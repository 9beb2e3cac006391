/** A set of people: a bit for each person number. */
export type PeopleSet = Uint32Array;

/** Creates an empty set. */
export function emptySet(people: number): PeopleSet {
  return new Uint32Array(Math.ceil(people / 32));
}

/** Creates the set of all people. */
export function fullSet(people: number): PeopleSet {
  const set = emptySet(people).fill(0xffffffff);
  if (people % 32 !== 0) set[set.length - 1] = 2 ** (people % 32) - 1;
  return set;
}

/** Calls `visit` for each person of a set, in ascending order. */
export function forEachPerson(set: PeopleSet, visit: (person: number) => void): void {
  for (let at = 0; at < set.length; at++) {
    for (let bits = set[at]!; bits !== 0; bits &= bits - 1) visit(at * 32 + lowestOf(bits));
  }
}

/** With at least this many people in a word of a set, all 32 are compared without branches; otherwise only those. */
const FEW = 6;

// The loops of the next two functions differ in one comparison, but are not shared: a function call for each word would take up
// to three times as long.

/** Adds the people of `of` whose byte in a column is from `from` to `to`, both inclusive. */
export function addBytesBetween(set: PeopleSet, of: PeopleSet, column: Uint8Array, from: number, to: number): void {
  const span = to - from;
  const whole = column.length >>> 5;
  for (let at = 0; at < of.length; at++) {
    const among = of[at]!;
    if (among === 0) continue;
    // The signs of the differences show values below or above.
    let others = 0;
    let person = at * 32;
    if (at < whole && countBits(among) >= FEW) {
      for (let bit = 0; bit < 32; bit += 4, person += 4) {
        const zero = column[person]! - from;
        const one = column[person + 1]! - from;
        const two = column[person + 2]! - from;
        const three = column[person + 3]! - from;
        const four =
          ((zero | (span - zero)) >>> 31) |
          (((one | (span - one)) >>> 31) << 1) |
          (((two | (span - two)) >>> 31) << 2) |
          (((three | (span - three)) >>> 31) << 3);
        others |= four << bit;
      }
    } else {
      for (let bits = among; bits !== 0; bits &= bits - 1) {
        const bit = lowestOf(bits);
        const excess = column[person + bit]! - from;
        others |= ((excess | (span - excess)) >>> 31) << bit;
      }
    }
    set[at]! |= ~others & among;
  }
}

/** The same for 32-bit numbers. */
export function addNumbersBetween(set: PeopleSet, of: PeopleSet, column: Uint32Array, from: number, to: number): void {
  if (from > to) return;
  const span = to - from;
  // Compares unsigned differences: those of smaller values wrap around to large ones.
  const least = from | 0;
  const whole = column.length >>> 5;
  for (let at = 0; at < of.length; at++) {
    const among = of[at]!;
    if (among === 0) continue;
    let found = 0;
    let person = at * 32;
    if (at < whole && countBits(among) >= FEW) {
      for (let bit = 0; bit < 32; bit += 4, person += 4) {
        const four =
          Number(((column[person]! | 0) - least) >>> 0 <= span) |
          (Number(((column[person + 1]! | 0) - least) >>> 0 <= span) << 1) |
          (Number(((column[person + 2]! | 0) - least) >>> 0 <= span) << 2) |
          (Number(((column[person + 3]! | 0) - least) >>> 0 <= span) << 3);
        found |= four << bit;
      }
    } else {
      for (let bits = among; bits !== 0; bits &= bits - 1) {
        const bit = lowestOf(bits);
        found |= Number(((column[person + bit]! | 0) - least) >>> 0 <= span) << bit;
      }
    }
    set[at]! |= found & among;
  }
}

/** Returns the index of the lowest bit of a non-zero word. */
function lowestOf(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** Adds a range of a list of person numbers. Numbers out of range are ignored. */
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

/** Returns the person numbers of a set, ascending. */
export function numbersOf(set: PeopleSet): Uint32Array {
  const numbers = new Uint32Array(sizeOf(set));
  let found = 0;
  for (let at = 0; at < set.length; at++) {
    for (let bits = set[at]!; bits !== 0; bits &= bits - 1) numbers[found++] = at * 32 + lowestOf(bits);
  }
  return numbers;
}

/** Returns the number of people in a set. */
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
