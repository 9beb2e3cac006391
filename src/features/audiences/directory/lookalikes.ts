import type { Image } from './image.ts';
import { emptySet, forEachPerson, type PeopleSet, sizeOf } from './people-set.ts';

/** The most people sampled from the input: every n-th of them. */
const SAMPLE_MAX = 10_000;
/** The most distinctive followed users that define the lookalikes. */
const SHARED_MAX = 10;

/**
 * People and their lookalikes: those who follow at least two of the ten users whom the input people follow most
 * disproportionately. With fewer than two such users there are no lookalikes.
 * @source decision 295
 */
export function expandWithLookalikes(image: Image, input: PeopleSet): PeopleSet {
  const set = input.slice();
  const once = emptySet(image.people);
  for (const code of mostDistinctiveFollows(image, input)) image.lists.follows.byCode.addRepeated(once, set, code);
  return set;
}

/** The codes of the users whom the input people follow more often than expected, largest excess first. */
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
    // Behind those with the same excess, whose codes are lower.
    const place = top.findIndex((other) => other.excess < excess);
    top.splice(place < 0 ? top.length : place, 0, { code, excess });
    if (top.length > SHARED_MAX) top.pop();
  }
  return top.map(({ code }) => code);
}
