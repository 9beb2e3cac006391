/** The result of the last call of `hashText`. */
export const lastHash = { low: 0, high: 0 };

/**
 * Hashes a text to 64 bits in `lastHash`, without allocating. The algorithm must never change, because hashes are
 * stored.
 * @source MurmurHash3
 */
export function hashText(text: string): void {
  let low = 0x9e3779b9 ^ text.length;
  let high = 0x85ebca6b ^ text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 13;
  }
  lastHash.low = finalize(low ^ Math.imul(high, 0xc2b2ae35));
  lastHash.high = finalize(high ^ Math.imul(low, 0x27d4eb2f));
}

function finalize(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
