import { readSections, type Sections } from '../../../base/columns-file.ts';
import { PERSON_LISTS, PERSON_WORDS, type PersonList, type PersonWord } from '../../../contract/store/directory.ts';
import { columnsPath, readActivity } from './identifier-file.ts';
import { readUserIds, type UserIdIndex } from './user-ids.ts';
import { readValueCodes, type ValueCodes } from './word-columns.ts';

/** A column of words: a code for each person. */
export interface WordColumn {
  readonly values: ValueCodes;
  readonly codes: Uint16Array;
  /** By code: the people who have it, ascending. Made when it is first asked for: 4 bytes a person. */
  byCode(): PeopleByCode;
}

/** The people of each code `n`, from `starts[n]` to `starts[n + 1]`. */
export interface PeopleByCode {
  readonly starts: Uint32Array;
  readonly people: Uint32Array;
}

/** A column of lists. The list of number `n` reaches from `starts[n]` to `starts[n + 1]`. */
export interface ListColumn {
  readonly values: ValueCodes;
  /** By person: their codes. */
  readonly byPerson: { readonly starts: Uint32Array; readonly codes: Uint32Array };
  /** By code: the people who have it, ascending. */
  readonly byCode: PeopleByCode;
}

/** The people of an image, column by column, in memory. */
export interface Image {
  readonly people: number;
  /** Unix seconds. */
  readonly lastActiveAt: Uint32Array;
  readonly activatedAt: Uint32Array;
  /** In years; 0 when unknown. */
  readonly age: Uint8Array;
  readonly words: Readonly<Record<PersonWord, WordColumn>>;
  readonly lists: Readonly<Record<PersonList, ListColumn>>;
  readonly users: UserIdIndex;
}

/**
 * Reads an image into memory: about 112 bytes a person, 4 for each column of words that is searched, and 8 for each list
 * member.
 * @throws when it is incomplete
 */
export function readImage(folder: string): Image {
  const { lastActiveAt, people } = readActivity(folder);
  const sections = readSections(columnsPath(folder));
  const words = PERSON_WORDS.map((name) => [
    name,
    wordColumn(readValueCodes(sections[`${name}.values`] as Uint8Array), sections[name] as Uint16Array),
  ]);
  const lists = PERSON_LISTS.map((name) => [name, readList(sections, name)]);
  return {
    people,
    lastActiveAt,
    activatedAt: sections.activated_at as Uint32Array,
    age: sections.age as Uint8Array,
    words: Object.fromEntries(words),
    lists: Object.fromEntries(lists),
    users: readUserIds(sections),
  };
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
  for (let code = 1; code < starts.length; code++) starts[code]! += starts[code - 1]!;
  const next = starts.slice();
  const people = new Uint32Array(codes.length);
  for (let person = 0; person < codes.length; person++) people[next[codes[person]!]!++] = person;
  return { starts, people };
}

function readList(sections: Sections, name: string): ListColumn {
  const numbers = (part: string) => sections[`${name}.${part}`] as Uint32Array;
  return {
    values: readValueCodes(sections[`${name}.values`] as Uint8Array),
    byPerson: { starts: numbers('of.starts'), codes: numbers('of') },
    byCode: { starts: numbers('have.starts'), people: numbers('have') },
  };
}
