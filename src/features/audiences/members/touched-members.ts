import { NOBODY } from './apply-uploads.ts';

/** The members of a file that uploads touch, by number. Numbers begin at 1. */
export interface Touched {
  add(number: number, handle: number): void;
  isEmpty(): boolean;
  /** False when a member is surely not touched: a look that costs little. */
  maybeHas(number: number): boolean;
  /** The handle of a member; `NOBODY` when it is not touched. */
  find(number: number): number;
}

/** Bits in front of the table, so that most of what is not touched is told apart without looking further. */
const BITS = 1 << 25;
const MULTIPLIER = 0x9e3779b1;

/** A table for up to so many members. */
export function touchedMembers(room: number): Touched {
  const sizeBits = Math.max(4, Math.ceil(Math.log2(room * 2 + 1)));
  const mask = 2 ** sizeBits - 1;
  const shift = 32 - sizeBits;
  const numbers = new Uint32Array(mask + 1);
  const handles = new Uint32Array(mask + 1);
  const marks = new Uint32Array(BITS / 32);
  let isEmpty = true;
  const placeOf = (number: number): number => {
    let place = Math.imul(number, MULTIPLIER) >>> shift;
    while (numbers[place] !== 0 && numbers[place] !== number) place = (place + 1) & mask;
    return place;
  };
  return {
    add(number, handle) {
      isEmpty = false;
      const bit = number & (BITS - 1);
      marks[bit >>> 5]! |= 1 << (bit & 31);
      const place = placeOf(number);
      numbers[place] = number;
      handles[place] = handle;
    },
    isEmpty: () => isEmpty,
    maybeHas(number) {
      const bit = number & (BITS - 1);
      return (marks[bit >>> 5]! & (1 << (bit & 31))) !== 0;
    },
    find(number) {
      const place = placeOf(number);
      return numbers[place] === number ? handles[place]! : NOBODY;
    },
  };
}
