import type { SectionFile, Sections } from '../../../base/columns-file.ts';
import type { GrowingNumbers } from './growing-numbers.ts';

/** The users of an image, sorted by id. */
export interface UserIdIndex {
  /** The lower and upper 32 bits of each id. */
  readonly halves: Uint32Array;
  /** The person number of each id. */
  readonly numbers: Uint32Array;
}

/** Appends both halves of a decimal id. */
export function pushId(halves: GrowingNumbers, id: string): void {
  const whole = BigInt(id);
  halves.push(Number(whole & 0xffff_ffffn));
  halves.push(Number(whole >> 32n));
}

/** Converts ids in order of person number into sorted file sections. */
export function idSections(input: Uint32Array): Sections {
  const own = input.slice();
  const halves = new Uint32Array(new BigUint64Array(own.buffer).slice().sort().buffer);
  const numbers = new Uint32Array(own.length / 2);
  for (let number = 0; number < numbers.length; number++) {
    numbers[lowerBound(halves, 0, own[number * 2]!, own[number * 2 + 1]!)] = number;
  }
  return { 'users.halves': halves, 'users.numbers': numbers };
}

/** Reads the sections of `idSections`. @throws if they are missing */
export function readUserIds(file: SectionFile): UserIdIndex {
  return { halves: file.read('users.halves') as Uint32Array, numbers: file.read('users.numbers') as Uint32Array };
}

/** Calls `seen` with the person number of each id in the image. @param ids distinct, ascending */
export function forEachUser(
  { halves, numbers }: UserIdIndex,
  ids: BigUint64Array,
  seen: (number: number) => void,
): void {
  const wanted = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * 2);
  let at = 0;
  for (let index = 0; index < wanted.length && at < numbers.length; index += 2) {
    const [low, high] = [wanted[index]!, wanted[index + 1]!];
    at = lowerBound(halves, at, low, high);
    if (halves[at * 2] === low && halves[at * 2 + 1] === high) seen(numbers[at]!);
  }
}

/** Returns the first index, from `from` on, whose id is not smaller. */
function lowerBound(halves: Uint32Array, from: number, low: number, high: number): number {
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
