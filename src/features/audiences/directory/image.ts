import { openSections, type SectionFile } from '../../../base/columns-file.ts';
import { PERSON_LISTS, PERSON_WORDS, type PersonList, type PersonWord } from '../../../contract/store/directory.ts';
import { columnsPath, readActivity } from './identifier-file.ts';
import { type PeopleByCode, peopleByCode } from './people-by-code.ts';
import { readUserIds, type UserIdIndex } from './user-ids.ts';
import { readValueCodes, type ValueCodes } from './word-columns.ts';

/** A column of words: a code for each person. */
export interface WordColumn {
  readonly values: ValueCodes;
  readonly codes: Uint16Array;
  /** Made on first use: at most 4 bytes a person. */
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
  /** In years; 0 when unknown. */
  readonly age: Uint8Array;
  readonly words: Readonly<Record<PersonWord, WordColumn>>;
  readonly lists: Readonly<Record<PersonList, ListColumn>>;
  /** By person: the codes of the users whom they follow. Those of number `n` reach from `starts[n]` to `starts[n + 1]`. */
  readonly followed: { readonly starts: Uint32Array; readonly codes: Uint16Array | Uint32Array };
  readonly users: UserIdIndex;
}

/**
 * Reads an image into memory: about 60 bytes a person, up to 4 for each column of words that is searched and for each
 * list member, and 2 for each user whom they follow.
 * @throws when it is incomplete
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
