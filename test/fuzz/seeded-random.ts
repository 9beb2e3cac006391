/** Repeatable random values: the same seed and case number give the same ones. */
export interface SeededRandom {
  /** A whole number from 0 up to, but not, `end`. */
  below(end: number): number;
  /** True once in `times`. */
  oneIn(times: number): boolean;
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Buffer;
}

/** The random values of one case of a run. */
export function seededRandom(seed: number, number: number): SeededRandom {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (end: number): number => next() % end;
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (list) => list[below(list.length)]!,
    bytes(count) {
      const bytes = Buffer.alloc(count);
      for (let at = 0; at < count; at++) bytes[at] = next();
      return bytes;
    },
  };
}
