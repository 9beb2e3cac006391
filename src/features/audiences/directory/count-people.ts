import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import type { Image, ListColumn, WordColumn } from './image.ts';
import { expandWithLookalikes } from './lookalikes.ts';
import {
  addNumbers,
  addWhere,
  emptySet,
  fullSet,
  intersect,
  type PeopleSet,
  sizeOf,
  subtract,
  union,
} from './people-set.ts';
import { forEachUser } from './user-ids.ts';

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
  for (const group of anyOf.length > 0 ? [anyOf, ...allOf] : allOf) intersect(meant, unionOf(image, group, meant));
  if (noneOf.length > 0) subtract(meant, unionOf(image, noneOf, meant));
  return meant;
}

function activeAmong({ people, lastActiveAt }: Image, among: PeopleSet, activeSince: number): PeopleSet {
  const active = emptySet(people);
  addWhere(active, among, (person) => lastActiveAt[person]! >= activeSince);
  return active;
}

/** People who meet one of the conditions. Complete only within `of`; others may be included or not. */
function unionOf(image: Image, conditions: readonly Condition[], of: PeopleSet): PeopleSet {
  const set = emptySet(image.people);
  for (const condition of conditions) addMatching(set, image, condition, of);
  return set;
}

function addMatching(set: PeopleSet, image: Image, condition: Condition, of: PeopleSet): void {
  const { age, activatedAt } = image;
  switch (condition.is) {
    case 'word':
      addWord(set, image.words[condition.word], condition.values, of);
      break;
    case 'listed':
      addListed(set, image.lists[condition.list], condition.values);
      break;
    case 'age': {
      const { from, to } = condition;
      addWhere(set, of, (person) => age[person]! >= from && age[person]! <= to);
      break;
    }
    case 'activated': {
      const { from, to } = condition;
      addWhere(set, of, (person) => {
        const at = activatedAt[person]!;
        return at > 0 && at >= from && at < to;
      });
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

function addWord(set: PeopleSet, { values, codes }: WordColumn, wanted: readonly string[], of: PeopleSet): void {
  const isWanted = new Uint8Array(values.size + 1);
  for (const value of wanted) {
    const code = values.find(value);
    if (code !== undefined) isWanted[code] = 1;
  }
  addWhere(set, of, (person) => isWanted[codes[person]!] === 1);
}

function addListed(set: PeopleSet, { values, byCode }: ListColumn, wanted: readonly string[]): void {
  for (const value of wanted) {
    const code = values.find(value);
    if (code !== undefined) addNumbers(set, byCode.people, byCode.starts[code], byCode.starts[code + 1]);
  }
}
