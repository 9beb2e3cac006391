/** Result of `find` for unknown numbers. */
export const NO_PLACE = 0xffff_ffff;

/** Maximum size of the Bloom filter behind `mayContain`, in bits. */
const BITS_MAX = 1 << 25;
const BITS_MIN = 1 << 10;
const BITS_PER_NUMBER = 16;
const MULTIPLIER = 0x9e3779b1;

/** Creates a map of up to `capacity` member numbers, which start at 1, to places in a table. */
export function numberMap(capacity: number) {
  const sizeBits = Math.max(4, Math.ceil(Math.log2(capacity * 2 + 1)));
  const mask = 2 ** sizeBits - 1;
  const shift = 32 - sizeBits;
  const numbers = new Uint32Array(mask + 1);
  const places = new Uint32Array(mask + 1);
  let bits = BITS_MIN;
  while (bits < capacity * BITS_PER_NUMBER && bits < BITS_MAX) bits *= 2;
  const marks = new Uint32Array(bits / 32);
  const slotOf = (number: number): number => {
    let slot = Math.imul(number, MULTIPLIER) >>> shift;
    while (numbers[slot] !== 0 && numbers[slot] !== number) slot = (slot + 1) & mask;
    return slot;
  };
  return {
    /** Adds a number that is not in the map. */
    add(number: number, place: number): void {
      const bit = number & (bits - 1);
      marks[bit >>> 5]! |= 1 << (bit & 31);
      const slot = slotOf(number);
      numbers[slot] = number;
      places[slot] = place;
    },
    /** A cheap check; false only if the number is not in the map. */
    mayContain(number: number): boolean {
      const bit = number & (bits - 1);
      return (marks[bit >>> 5]! & (1 << (bit & 31))) !== 0;
    },
    /** Returns the place of a number; `NO_PLACE` if it is not in the map. */
    find(number: number): number {
      const slot = slotOf(number);
      return numbers[slot] === number ? places[slot]! : NO_PLACE;
    },
  };
}
