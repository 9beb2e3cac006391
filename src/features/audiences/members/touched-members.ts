import { NO_MEMBER } from './apply-uploads.ts';

/** The members that uploads touch, by number. Numbers start at 1. */
export interface TouchedMembers {
  add(number: number, handle: number): void;
  isEmpty(): boolean;
  /** False when a member is certainly not touched; a cheap check. */
  mayContain(number: number): boolean;
  /** The handle of a member; `NO_MEMBER` when it is not touched. */
  find(number: number): number;
}

/** Size of a bit filter in front of the table, which excludes most untouched members. */
const BITS = 1 << 25;
const MULTIPLIER = 0x9e3779b1;

/** A hash table for up to `room` members. */
export function touchedMembers(room: number): TouchedMembers {
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
    mayContain(number) {
      const bit = number & (BITS - 1);
      return (marks[bit >>> 5]! & (1 << (bit & 31))) !== 0;
    },
    find(number) {
      const place = placeOf(number);
      return numbers[place] === number ? handles[place]! : NO_MEMBER;
    },
  };
}
