/** A seeded random generator: the same values for the same seed. Fast, and not for secrets. */
export interface SeededRandom {
  /** An integer from 0 to `end`, exclusive. */
  below(end: number): number;
  /** An integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  /** From 0 to 1 (exclusive), skewed to small values. */
  skewed(): number;
  /** An item, skewed to the beginning of the list; undefined for an empty list. */
  early<T>(items: readonly T[]): T | undefined;
  /** An item, skewed to the end of the list. */
  late<T>(items: readonly T[]): T;
  /** An item, by weight. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T;
  /** Up to `count` distinct integers from 0 to `end`, exclusive. */
  distinct(end: number, count: number): number[];
  hexadecimal(digits: number): string;
}

/** Two digits for each byte: a look-up takes a fraction of a conversion. */
const HEXADECIMAL = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The generator of one sample record: the same values for the same seed and number. */
export function seededRandom(seed: number, number: number): SeededRandom {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  // mulberry32: a 32-bit counter with a mixing function.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const share = (): number => next() / 2 ** 32;
  const below = (end: number): number => Math.floor(share() * end);
  const skewed = (): number => share() * share();
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => share() < probability,
    skewed,
    early: (items) => items[Math.floor(skewed() * items.length)],
    late: (items) => items[items.length - 1 - Math.floor(skewed() * items.length)]!,
    weighted(items) {
      let left = share() * items.reduce((sum, { weight }) => sum + weight, 0);
      for (const item of items) {
        left -= item.weight;
        if (left < 0) return item;
      }
      return items.at(-1)!;
    },
    distinct(end, count) {
      const found = new Set<number>();
      for (let tries = 0; tries < count; tries++) found.add(below(end));
      return [...found];
    },
    hexadecimal(digits) {
      let text = '';
      while (text.length < digits) {
        const drawn = next();
        for (const bits of [24, 16, 8, 0]) text += HEXADECIMAL[(drawn >>> bits) & 255];
      }
      return text.slice(0, digits);
    },
  };
}
