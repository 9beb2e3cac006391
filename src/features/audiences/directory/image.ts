import { readSections, type Sections } from '../../../base/columns-file.ts';
import { PERSON_LISTS, PERSON_WORDS, type PersonList, type PersonWord } from '../../../contract/store/directory.ts';
import { columnsPath, readActivity } from './identifier-file.ts';
import { readUserIds, type UserIdIndex } from './user-ids.ts';
import { readValueCodes, type ValueCodes } from './word-columns.ts';

/** A column of words: a code for each person. */
export interface WordColumn {
  readonly values: ValueCodes;
  readonly codes: Uint16Array;
}

/** A column of lists. The list of number `n` reaches from `starts[n]` to `starts[n + 1]`. */
export interface ListColumn {
  readonly values: ValueCodes;
  /** By person: their codes. */
  readonly byPerson: { readonly starts: Uint32Array; readonly codes: Uint32Array };
  /** By code: the people who have it, ascending. */
  readonly byCode: { readonly starts: Uint32Array; readonly people: Uint32Array };
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

/** Reads an image into memory: about 112 bytes a person, and 8 for each list member. @throws when it is incomplete */
export function readImage(folder: string): Image {
  const { lastActiveAt, people } = readActivity(folder);
  const sections = readSections(columnsPath(folder));
  const words = PERSON_WORDS.map((name) => [
    name,
    { values: readValueCodes(sections[`${name}.values`] as Uint8Array), codes: sections[name] as Uint16Array },
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

function readList(sections: Sections, name: string): ListColumn {
  const numbers = (part: string) => sections[`${name}.${part}`] as Uint32Array;
  return {
    values: readValueCodes(sections[`${name}.values`] as Uint8Array),
    byPerson: { starts: numbers('of.starts'), codes: numbers('of') },
    byCode: { starts: numbers('have.starts'), people: numbers('have') },
  };
}
