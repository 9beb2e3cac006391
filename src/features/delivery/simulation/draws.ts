/** The purposes of draws; each has its own random sequence. */
const PURPOSES = {
  market: 1,
  opportunities: 2,
  impressions: 3,
  billed: 4,
  target: 5,
  quality: 6,
  engagements: 7,
  video: 8,
  conversions: 9,
  conversionTime: 10,
  conversionKind: 11,
  actions: 12,
  main: 13,
} as const;
type Purpose = keyof typeof PURPOSES;

/** Returns a 32-bit hash of a text. */
export function keyOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/**
 * Returns a pseudorandom number from 0 to below 1 that only depends on the arguments: the same in every process and order.
 * @param key hash of the seed and the subject
 * @param time an integer, such as a second
 * @source decision 931
 */
export function draw(key: number, time: number, purpose: Purpose, index = 0): number {
  const high = Math.floor(time / 0x1_0000_0000);
  let hash = mixed(key ^ Math.imul(time | 0, 0x9e3779b1));
  hash = mixed(hash ^ Math.imul(PURPOSES[purpose] + Math.imul(high, 64), 0x85ebca6b));
  return mixed(hash ^ Math.imul(index + 1, 0xc2b2ae35)) / 0x1_0000_0000;
}

/** Rounds to one of the two nearest integers by a draw; exact on average. */
export function roundRandomly(expected: number, drawn: number): number {
  return Math.floor(expected + drawn);
}

/** Mixes 32 bits (the finalizer of MurmurHash3). */
function mixed(bits: number): number {
  let hash = bits ^ (bits >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
