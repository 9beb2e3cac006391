import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import type { Image, ListColumn, WordColumn } from './image.ts';
import { expandWithLookalikes } from './lookalikes.ts';
import {
  addBytesBetween,
  addNumbers,
  addNumbersBetween,
  emptySet,
  fullSet,
  intersect,
  type PeopleSet,
  sizeOf,
  subtract,
  union,
} from './people-set.ts';
import { forEachUser } from './user-ids.ts';

/** The latest second that a column can have. */
const LATEST = 0xffff_ffff;

/** Counts the people of an image who match a query and were active since a time. */
export function countPeople(image: Image, question: PeopleQuery, activeSince: number): number {
  return sizeOf(findPeople(image, [question], activeSince));
}

/** The people of an image who match at least one query and were active since a time. */
export function findPeople(image: Image, questions: readonly PeopleQuery[], activeSince: number): PeopleSet {
  const everybody = fullSet(image.people);
  const [first, ...others] = questions;
  if (!first) return emptySet(image.people);
  // Conditions that are checked person by person run only over those who are left.
  if (others.length === 0) return activeAmong(image, matchingAmong(image, first, everybody), activeSince);
  const left = activeAmong(image, everybody, activeSince);
  const found = emptySet(image.people);
  for (const question of questions) {
    const more = matchingAmong(image, question, left);
    union(found, more);
    subtract(left, more);
  }
  return found;
}

function matchingAmong(image: Image, { anyOf, allOf, noneOf }: PeopleQuery, among: PeopleSet): PeopleSet {
  const meant = among.slice();
  const groups = anyOf.length > 0 ? [anyOf, ...allOf] : allOf;
  // Those that look at each person come last, when few are left.
  const inOrder = [...groups].sort((a, b) => Number(a.some(looksAtEach)) - Number(b.some(looksAtEach)));
  for (const group of inOrder) intersect(meant, unionOf(image, group, meant));
  if (noneOf.length > 0) subtract(meant, unionOf(image, noneOf, meant));
  return meant;
}

function activeAmong({ people, lastActiveAt }: Image, among: PeopleSet, activeSince: number): PeopleSet {
  const active = emptySet(people);
  addNumbersBetween(active, among, lastActiveAt, activeSince, LATEST);
  return active;
}

/** People who meet one of the conditions. Complete only within `of`; others may be included or not. */
function unionOf(image: Image, conditions: readonly Condition[], of: PeopleSet): PeopleSet {
  const set = emptySet(image.people);
  for (const condition of conditions) addMatching(set, image, condition, of);
  return set;
}

function looksAtEach({ is }: Condition): boolean {
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
