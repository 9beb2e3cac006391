import type { PeopleHistogram, PeopleQuery, PersonWord } from '../../../contract/store/directory.ts';
import { findPeople } from './count-people.ts';
import type { Image, WordColumn } from './image.ts';
import { numbersOf } from './people-set.ts';

/** The people to count, and the attributes to count by. */
export interface PeopleToCount {
  readonly queries: readonly PeopleQuery[];
  /** Unix seconds. */
  readonly activeSince: number;
  readonly words: readonly PersonWord[];
}

/** Ages are stored as bytes. */
const AGES = 256;

/** Counts the people of an image who match at least one query, each once, by age and attributes. */
export function histogramOf(image: Image, { queries, activeSince, words }: PeopleToCount): PeopleHistogram {
  const people = numbersOf(findPeople(image, queries, activeSince));
  return {
    people: people.length,
    words: Object.fromEntries(words.map((word) => [word, valuesOf(image.words[word], people)])),
    ages: [...tally(image.age, AGES, people)],
  };
}

function valuesOf({ values, codes }: WordColumn, people: Uint32Array): Record<string, number> {
  const counts = tally(codes, values.size + 1, people);
  const found: [value: string, count: number][] = [];
  for (let code = 1; code < counts.length; code++) {
    if (counts[code] !== 0) found.push([values.valueOf(code)!, counts[code]!]);
  }
  return Object.fromEntries(found);
}

/** How many of some people have each code. */
function tally(codes: Uint8Array | Uint16Array, size: number, people: Uint32Array): Uint32Array {
  const counts = new Uint32Array(size);
  for (let at = 0; at < people.length; at++) counts[codes[people[at]!]!]! += 1;
  return counts;
}
