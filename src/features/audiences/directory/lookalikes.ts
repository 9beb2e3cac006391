import type { Image } from './image.ts';
import { forEachPerson, nobodyOf, type PeopleSet, sizeOf } from './people-set.ts';

/** So many of the given people are looked at: the first of every so many, which tells as much as all of them. */
const SAMPLE = 10_000;
/** So many users are taken as what the given people have in common; whoever follows two of them is alike. */
const SHARED_MAX = 10;

/**
 * People, and those who are like them: of the users whom they follow more than others do, the ten most followed; whoever
 * follows two of these. With fewer than two there is nobody alike.
 */
export function withAlike(image: Image, input: PeopleSet): PeopleSet {
  const { starts, people } = image.lists.follows.have;
  const set = input.slice();
  const once = nobodyOf(image.people);
  for (const code of sharedOf(image, input)) {
    for (let at = starts[code]!; at < starts[code + 1]!; at++) {
      const word = people[at]! >>> 5;
      const bit = 1 << (people[at]! & 31);
      if (once[word]! & bit) set[word]! |= bit;
      else once[word]! |= bit;
    }
  }
  return set;
}

/** The codes of the users whom given people follow more often than chance would have it, those first where it is clearest. */
function sharedOf(image: Image, input: PeopleSet): number[] {
  const { of, have, values } = image.lists.follows;
  const step = Math.max(1, Math.ceil(sizeOf(input) / SAMPLE));
  const counts = new Uint32Array(values.size + 1);
  let seen = 0;
  let sampled = 0;
  forEachPerson(input, (person) => {
    if (seen++ % step !== 0) return;
    sampled += 1;
    for (let at = of.starts[person]!; at < of.starts[person + 1]!; at++) counts[of.codes[at]!]! += 1;
  });
  const excess = (code: number): number =>
    counts[code]! - (sampled * (have.starts[code + 1]! - have.starts[code]!)) / image.people;
  const found: number[] = [];
  for (let code = 1; code < counts.length; code++) if (counts[code]! > 1 && excess(code) > 0) found.push(code);
  return found.sort((a, b) => excess(b) - excess(a) || a - b).slice(0, SHARED_MAX);
}
