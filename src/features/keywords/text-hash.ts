/** Two numbers of 32 bits that tell texts from each other; what `hashOf` leaves behind. */
export const lastHash = { low: 0, high: 0 };

/**
 * Hashes a text into `lastHash`, without making an object: 64 bits, well mixed, the same everywhere and for ever, because
 * they are stored.
 * @source MurmurHash3
 */
export function hashOf(text: string): void {
  let low = 0x9e3779b9 ^ text.length;
  let high = 0x85ebca6b ^ text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(high ^ unit, 0x5bd1e995);
    high ^= high >>> 13;
  }
  lastHash.low = finished(low ^ Math.imul(high, 0xc2b2ae35));
  lastHash.high = finished(high ^ Math.imul(low, 0x27d4eb2f));
}

function finished(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
