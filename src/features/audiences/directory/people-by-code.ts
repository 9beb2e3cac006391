import { addNumbers, emptySet, type PeopleSet, union } from './people-set.ts';

/** The people of each code of a column. */
export interface PeopleByCode {
  /** How many people have a code. */
  countOf(code: number): number;
  /** Adds the people who have a code to a set. */
  addTo(set: PeopleSet, code: number): void;
  /** Adds those of them who are in `once` to `twice`, then all of them to `once`. */
  addRepeated(once: PeopleSet, twice: PeopleSet, code: number): void;
}

/** A set is smaller than a list when more than one in so many people are in it; it is added several times as fast. */
const PEOPLE_A_WORD = 32;

/**
 * Codes that many people have keep them as a set, others as a list.
 * @param starts the list of code `n` reaches from `starts[n]` to `starts[n + 1]`
 * @param lists the people who have each code, ascending
 * @param people how many there are
 */
export function peopleByCode(starts: Uint32Array, lists: Uint32Array, people: number): PeopleByCode {
  const sets = new Map<number, PeopleSet>();
  const listStarts = starts.slice();
  let kept = 0;
  for (let code = 0; code + 1 < starts.length; code++) {
    const [from, end] = [starts[code]!, starts[code + 1]!];
    listStarts[code] = kept;
    if ((end - from) * PEOPLE_A_WORD > people) {
      const set = emptySet(people);
      addNumbers(set, lists, from, end);
      sets.set(code, set);
    } else kept += end - from;
  }
  listStarts[starts.length - 1] = kept;
  const rest = sets.size === 0 ? lists : listsOfOthers(starts, lists, sets, kept);
  return {
    countOf: (code) => starts[code + 1]! - starts[code]!,
    addTo(set, code) {
      const many = sets.get(code);
      if (many) union(set, many);
      else addNumbers(set, rest, listStarts[code], listStarts[code + 1]);
    },
    addRepeated(once, twice, code) {
      const many = sets.get(code);
      if (many) addRepeatedSet(once, twice, many);
      else addRepeatedNumbers(once, twice, rest, listStarts[code]!, listStarts[code + 1]!);
    },
  };
}

/** The lists of the codes that have no set, one after the other. */
function listsOfOthers(
  starts: Uint32Array,
  lists: Uint32Array,
  sets: ReadonlyMap<number, PeopleSet>,
  length: number,
): Uint32Array {
  const rest = new Uint32Array(length);
  let filled = 0;
  let from = 0;
  for (const code of [...sets.keys(), starts.length - 1]) {
    const others = lists.subarray(from, starts[code]);
    rest.set(others, filled);
    filled += others.length;
    from = starts[code + 1] ?? 0;
  }
  return rest;
}

function addRepeatedSet(once: PeopleSet, twice: PeopleSet, other: PeopleSet): void {
  for (let at = 0; at < once.length; at++) {
    twice[at]! |= once[at]! & other[at]!;
    once[at]! |= other[at]!;
  }
}

function addRepeatedNumbers(once: PeopleSet, twice: PeopleSet, list: Uint32Array, from: number, end: number): void {
  for (let at = from; at < end; at++) {
    const person = list[at]!;
    const word = person >>> 5;
    const bit = 1 << (person & 31);
    const before = once[word]!;
    // Without a branch, which would often be mispredicted.
    twice[word]! |= before & bit;
    once[word] = before | bit;
  }
}
