import type { Sections } from '../../../base/columns-file.ts';
import type { GrowingNumbers } from './growing-numbers.ts';

/** The users of an image by their ids, ascending. */
export interface UserIds {
  /** Of each id the lower 32 bits, then the higher. */
  readonly halves: Uint32Array;
  /** The numbers of the same people. */
  readonly numbers: Uint32Array;
}

/** Ids as decimal text, as halves: as `UserIds` has them, in any order. */
export function pushId(halves: GrowingNumbers, id: string): void {
  const whole = BigInt(id);
  halves.push(Number(whole & 0xffff_ffffn));
  halves.push(Number(whole >> 32n));
}

/** Sorts the ids of people who are given by number. */
export function idSections(input: Uint32Array): Sections {
  const own = input.slice();
  const halves = new Uint32Array(new BigUint64Array(own.buffer).slice().sort().buffer);
  const numbers = new Uint32Array(own.length / 2);
  for (let number = 0; number < numbers.length; number++) {
    numbers[firstFrom(halves, 0, own[number * 2]!, own[number * 2 + 1]!)] = number;
  }
  return { 'users.halves': halves, 'users.numbers': numbers };
}

/** Reads what `idSections` made. @throws when an image has nothing of the kind */
export function idsFrom(sections: Sections): UserIds {
  const { 'users.halves': halves, 'users.numbers': numbers } = sections;
  if (!halves || !numbers) throw new Error('an image without the ids of users');
  return { halves: halves as Uint32Array, numbers: numbers as Uint32Array };
}

/** Calls back with the numbers of those users who are in the image. @param ids different ones, ascending */
export function forEachUser({ halves, numbers }: UserIds, ids: BigUint64Array, seen: (number: number) => void): void {
  const wanted = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  let at = 0;
  for (let index = 0; index < wanted.length && at < numbers.length; index += 2) {
    const [low, high] = [wanted[index]!, wanted[index + 1]!];
    at = firstFrom(halves, at, low, high);
    if (halves[at * 2] === low && halves[at * 2 + 1] === high) seen(numbers[at]!);
  }
}

/** The first place, from one on, of an id that is not smaller. */
function firstFrom(halves: Uint32Array, from: number, low: number, high: number): number {
  let first = from;
  let end = halves.length / 2;
  while (first < end) {
    const middle = (first + end) >>> 1;
    const isSmaller = halves[middle * 2 + 1]! < high || (halves[middle * 2 + 1] === high && halves[middle * 2]! < low);
    if (isSmaller) first = middle + 1;
    else end = middle;
  }
  return first;
}
