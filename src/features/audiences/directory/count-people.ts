import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import type { Image, ListColumn, WordColumn } from './image.ts';
import { withAlike } from './lookalikes.ts';
import {
  addNumbers,
  addSet,
  addThose,
  everybodyOf,
  keepSet,
  nobodyOf,
  type PeopleSet,
  removeSet,
  sizeOf,
} from './people-set.ts';
import { forEachUser } from './user-ids.ts';

/** How many people of an image are meant who were active since a time. */
export function countPeople(image: Image, question: PeopleQuery, activeSince: number): number {
  const { people, lastActiveAt } = image;
  const everybody = everybodyOf(people);
  const meant = question.anyOf.length > 0 ? united(image, question.anyOf, everybody) : everybody;
  // Lists of people come cheap; what must be looked up for each is looked up for those who are left.
  for (const group of question.allOf) keepSet(meant, united(image, group, meant));
  if (question.noneOf.length > 0) removeSet(meant, united(image, question.noneOf, meant));
  const active = nobodyOf(people);
  addThose(active, meant, (person) => lastActiveAt[person]! >= activeSince);
  keepSet(meant, active);
  return sizeOf(meant);
}

/** Whoever fulfils one of some conditions, of some people at least: others may be there or not. */
function united(image: Image, conditions: readonly Condition[], of: PeopleSet): PeopleSet {
  const set = nobodyOf(image.people);
  for (const condition of conditions) addMeant(set, image, condition, of);
  return set;
}

function addMeant(set: PeopleSet, image: Image, condition: Condition, of: PeopleSet): void {
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
      addThose(set, of, (person) => age[person]! >= from && age[person]! <= to);
      break;
    }
    case 'activated': {
      const { from, to } = condition;
      addThose(set, of, (person) => {
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
      const everybody = everybodyOf(image.people);
      const input = united(image, [condition.to], everybody);
      keepSet(input, everybody);
      addSet(set, withAlike(image, input));
      break;
    }
    case 'everybody':
      addSet(set, of);
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
  addThose(set, of, (person) => isWanted[codes[person]!] === 1);
}

function addListed(set: PeopleSet, { values, have }: ListColumn, wanted: readonly string[]): void {
  for (const value of wanted) {
    const code = values.find(value);
    if (code !== undefined) addNumbers(set, have.people, have.starts[code], have.starts[code + 1]);
  }
}
