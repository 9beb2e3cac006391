/** Repeatable chance for one person: fast, and good for nothing but making things up. */
export interface Dice {
  /** A whole number from 0, below another. */
  below(end: number): number;
  /** A whole number, both ends inclusive. */
  between(least: number, most: number): number;
  chance(share: number): boolean;
  /** From 0 (inclusive) to 1, small values more often. */
  skewed(): number;
  /** One of those at the beginning of a list more often; undefined of an empty list. */
  early<T>(items: readonly T[]): T | undefined;
  /** One of those at the end of a list more often. */
  late<T>(items: readonly T[]): T;
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T;
  /** Up to `count` different whole numbers below another. */
  some(end: number, count: number): number[];
  hexadecimal(digits: number): string;
}

/** The dice of one person of a population. */
export function diceFor(seed: number, number: number): Dice {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  // A generator of 32 bits with good mixing (a counter through a hash).
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
    chance: (limit) => share() < limit,
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
    some(end, count) {
      const found = new Set<number>();
      for (let tries = 0; tries < count; tries++) found.add(below(end));
      return [...found];
    },
    hexadecimal(digits) {
      let text = '';
      while (text.length < digits) text += next().toString(16).padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}
