import type { Condition, PeopleHistogram, PeopleQuery, PersonWord } from '../../../contract/store/directory.ts';
import type { Image, ListColumn, WordColumn } from './image.ts';
import {
  addBytesBetween,
  addNumbers,
  addNumbersBetween,
  emptySet,
  forEachPerson,
  fullSet,
  intersect,
  numbersOf,
  type PeopleSet,
  sizeOf,
  subtract,
  union,
} from './people-set.ts';
import { forEachUser } from './user-ids.ts';

/** The latest second that a column can have. */
const LATEST = 0xffff_ffff;

/** Counts the people of an image who match a query and were active since a time. */
export function countPeople(image: Image, query: PeopleQuery, activeSince: number): number {
  return sizeOf(findPeople(image, [query], activeSince));
}

/** Finds the people of an image who match at least one query and were active since a time. */
function findPeople(image: Image, queries: readonly PeopleQuery[], activeSince: number): PeopleSet {
  const everybody = fullSet(image.people);
  const [first, ...others] = queries;
  if (!first) return emptySet(image.people);
  // Conditions checked person by person are limited to the remaining people.
  if (others.length === 0) return activeAmong(image, matchingAmong(image, first, everybody), activeSince);
  const left = activeAmong(image, everybody, activeSince);
  const found = emptySet(image.people);
  for (const query of queries) {
    const more = matchingAmong(image, query, left);
    union(found, more);
    subtract(left, more);
  }
  return found;
}

function matchingAmong(image: Image, { anyOf, allOf, noneOf }: PeopleQuery, among: PeopleSet): PeopleSet {
  const found = among.slice();
  const groups = anyOf.length > 0 ? [anyOf, ...allOf] : allOf;
  // Conditions checked person by person come last, when few people remain.
  const inOrder = [...groups].sort((a, b) => Number(a.some(isCheckedByPerson)) - Number(b.some(isCheckedByPerson)));
  for (const group of inOrder) intersect(found, unionOf(image, group, found));
  if (noneOf.length > 0) subtract(found, unionOf(image, noneOf, found));
  return found;
}

function activeAmong({ people, lastActiveAt }: Image, among: PeopleSet, activeSince: number): PeopleSet {
  const active = emptySet(people);
  addNumbersBetween(active, among, lastActiveAt, activeSince, LATEST);
  return active;
}

/** Returns the people who meet one of the conditions; only valid within `of`. */
function unionOf(image: Image, conditions: readonly Condition[], of: PeopleSet): PeopleSet {
  const set = emptySet(image.people);
  for (const condition of conditions) addMatching(set, image, condition, of);
  return set;
}

function isCheckedByPerson({ is }: Condition): boolean {
  return is === 'age' || is === 'activated';
}

function addMatching(set: PeopleSet, image: Image, condition: Condition, of: PeopleSet): void {
  const { age, activatedAt } = image;
  switch (condition.is) {
    case 'word':
      addWord(set, image.words[condition.word], condition.values);
      break;
    case 'listed':
      addListed(set, image.lists[condition.list], condition.values);
      break;
    case 'age': {
      const { from, to } = condition;
      addBytesBetween(set, of, age, from, to);
      break;
    }
    case 'activated': {
      const { from, to } = condition;
      addNumbersBetween(set, of, activatedAt, Math.max(1, from), to - 1);
      break;
    }
    case 'people':
      addNumbers(set, condition.numbers);
      break;
    case 'users':
      forEachUser(image.users, condition.ids, (person) => {
        set[person >>> 5]! |= 1 << (person & 31);
      });
      break;
    case 'alike': {
      const everybody = fullSet(image.people);
      const input = unionOf(image, [condition.to], everybody);
      intersect(input, everybody);
      union(set, expandWithLookalikes(image, input));
      break;
    }
    case 'everybody':
      union(set, of);
      break;
    case 'nobody':
  }
}

function addWord(set: PeopleSet, column: WordColumn, wanted: readonly string[]): void {
  for (const value of wanted) {
    const code = column.values.find(value);
    if (code !== undefined) column.byCode().addTo(set, code);
  }
}

function addListed(set: PeopleSet, { values, byCode }: ListColumn, wanted: readonly string[]): void {
  for (const value of wanted) {
    const code = values.find(value);
    if (code !== undefined) byCode.addTo(set, code);
  }
}

/** Maximum number of people sampled from the input at regular intervals. */
const SAMPLE_MAX = 10_000;
/** Number of distinctive followed users that define lookalikes. */
const SHARED_MAX = 10;

/**
 * Adds lookalikes to people: those who follow at least two of the ten users whom the input people follow most
 * disproportionately.
 * @source decision 295
 */
function expandWithLookalikes(image: Image, input: PeopleSet): PeopleSet {
  const set = input.slice();
  const once = emptySet(image.people);
  for (const code of mostDistinctiveFollows(image, input)) image.lists.follows.byCode.addRepeated(once, set, code);
  return set;
}

/** Returns the codes of the users whom the input people follow more often than expected, largest excess first. */
function mostDistinctiveFollows(image: Image, input: PeopleSet): number[] {
  const { byCode, values } = image.lists.follows;
  const of = image.followed;
  const step = Math.max(1, Math.ceil(sizeOf(input) / SAMPLE_MAX));
  const counts = new Uint32Array(values.size + 1);
  let seen = 0;
  let sampled = 0;
  forEachPerson(input, (person) => {
    if (seen++ % step !== 0) return;
    sampled += 1;
    for (let at = of.starts[person]!; at < of.starts[person + 1]!; at++) counts[of.codes[at]!]! += 1;
  });
  const top: { readonly code: number; readonly excess: number }[] = [];
  for (let code = 1; code < counts.length; code++) {
    if (counts[code]! < 2) continue;
    const excess = counts[code]! - (sampled * byCode.countOf(code)) / image.people;
    if (excess <= (top.length < SHARED_MAX ? 0 : top.at(-1)!.excess)) continue;
    // After equal ones, which have lower codes.
    const place = top.findIndex((other) => other.excess < excess);
    top.splice(place < 0 ? top.length : place, 0, { code, excess });
    if (top.length > SHARED_MAX) top.pop();
  }
  return top.map(({ code }) => code);
}

/** The people to count, and the attributes of the histogram. */
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

/** Counts people by code. */
function tally(codes: Uint8Array | Uint16Array, size: number, people: Uint32Array): Uint32Array {
  const counts = new Uint32Array(size);
  for (let at = 0; at < people.length; at++) counts[codes[people[at]!]!]! += 1;
  return counts;
}
