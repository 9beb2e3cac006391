import { openSections, type SectionFile } from '../../../base/columns-file.ts';
import { PERSON_LISTS, PERSON_WORDS, type PersonList, type PersonWord } from '../../../contract/store/directory.ts';
import { columnsPath, readActivity } from './identifier-file.ts';
import { addNumbers, emptySet, type PeopleSet, union } from './people-set.ts';
import { readUserIds, type UserIdIndex } from './user-ids.ts';
import { readValueCodes, type ValueCodes } from './word-columns.ts';

/** A column of words: a code for each person. */
export interface WordColumn {
  readonly values: ValueCodes;
  readonly codes: Uint16Array;
  /** Created on first use; at most 4 bytes per person. */
  byCode(): PeopleByCode;
}

/** A column of lists. */
export interface ListColumn {
  readonly values: ValueCodes;
  readonly byCode: PeopleByCode;
}

/** The people of an image, column by column, in memory. */
export interface Image {
  readonly people: number;
  /** Unix seconds. */
  readonly lastActiveAt: Uint32Array;
  readonly activatedAt: Uint32Array;
  /** In years; 0 if unknown. */
  readonly age: Uint8Array;
  readonly words: Readonly<Record<PersonWord, WordColumn>>;
  readonly lists: Readonly<Record<PersonList, ListColumn>>;
  /** Codes of followed users; those of person `n` are from `starts[n]` to `starts[n + 1]`. */
  readonly followed: { readonly starts: Uint32Array; readonly codes: Uint16Array | Uint32Array };
  readonly users: UserIdIndex;
}

/**
 * Reads an image into memory: about 60 bytes per person, up to 4 for each searched column of words and each list
 * member, and 2 for each followed user.
 * @throws if it is incomplete
 */
export function readImage(folder: string): Image {
  const { lastActiveAt, people } = readActivity(folder);
  const file = openSections(columnsPath(folder));
  try {
    const words = PERSON_WORDS.map((name) => [
      name,
      wordColumn(readValueCodes(file.read(`${name}.values`) as Uint8Array), file.read(name) as Uint16Array),
    ]);
    const lists = PERSON_LISTS.map((name) => [name, readList(file, name, people)]);
    return {
      people,
      lastActiveAt,
      activatedAt: file.read('activated_at') as Uint32Array,
      age: file.read('age') as Uint8Array,
      words: Object.fromEntries(words),
      lists: Object.fromEntries(lists),
      followed: {
        starts: file.read('follows.of.starts') as Uint32Array,
        codes: file.read('follows.of') as Uint16Array | Uint32Array,
      },
      users: readUserIds(file),
    };
  } finally {
    file.close();
  }
}

function wordColumn(values: ValueCodes, codes: Uint16Array): WordColumn {
  let inverted: PeopleByCode | undefined;
  return {
    values,
    codes,
    byCode() {
      inverted ??= invertCodes(codes, values.size);
      return inverted;
    },
  };
}

function invertCodes(codes: Uint16Array, values: number): PeopleByCode {
  const starts = new Uint32Array(values + 2);
  for (let person = 0; person < codes.length; person++) starts[codes[person]! + 1]! += 1;
  // People without a value are never searched.
  starts[1] = 0;
  for (let code = 1; code < starts.length; code++) starts[code]! += starts[code - 1]!;
  const next = starts.slice();
  const lists = new Uint32Array(starts.at(-1)!);
  for (let person = 0; person < codes.length; person++) {
    const code = codes[person]!;
    if (code !== 0) lists[next[code]!++] = person;
  }
  return peopleByCode(starts, lists, codes.length);
}

function readList(file: SectionFile, name: string, people: number): ListColumn {
  const numbers = (part: string) => file.read(`${name}.${part}`) as Uint32Array;
  return {
    values: readValueCodes(file.read(`${name}.values`) as Uint8Array),
    byCode: peopleByCode(numbers('have.starts'), numbers('have'), people),
  };
}

/** The people with each code of a column. */
export interface PeopleByCode {
  /** Returns the number of people with a code. */
  countOf(code: number): number;
  /** Adds the people with a code to a set. */
  addTo(set: PeopleSet, code: number): void;
  /** Adds the people with a code who are in `once` to `twice`, then all with the code to `once`. */
  addRepeated(once: PeopleSet, twice: PeopleSet, code: number): void;
}

/** If more than one in this many people has a code, a set is smaller than a list, and several times faster to add. */
const PEOPLE_A_WORD = 32;

/**
 * Indexes people by code: as sets for frequent codes, as lists for others.
 * @param starts the list of code `n` is from `starts[n]` to `starts[n + 1]`
 * @param lists the people with each code, ascending
 * @param people their number
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

/** Concatenates the lists of the codes without a set. */
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
