import { secureRandom } from '../../../base/random.ts';

/** Four words of an entry are 128 bits of its digest; the last is never 0. */
const WORDS = 4;
/** Characters of a digest, six bits each, per word. */
const CHARACTERS = 6;
const SLOTS_MIN = 16;
/** Maximum load factor. */
const FILLED_MAX = 0.7;

const VALUES = new Uint8Array(128);
for (const [value, character] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  VALUES[character.charCodeAt(0)] = value;
}

/** Random, so that clients cannot choose nonces that collide. */
const [SEED_0 = 0, SEED_1 = 0] = new Int32Array(new Uint8Array(secureRandom.bytes(8)).buffer);

/** The entry that is searched for; shared, because all work here is synchronous. */
const sought = new Int32Array(WORDS);

/**
 * A set of digests from `nonceDigest`, of which it keeps 128 bits: collisions are infeasible. They are in one array, by open
 * addressing with linear probing, which takes 23 to 46 bytes each; strings would take 95, and the garbage collector would
 * visit each. Adding and deleting are algorithms L and R of Knuth, The Art of Computer Programming, volume 3, section 6.4.
 */
export function nonceSet() {
  let slots = SLOTS_MIN;
  /** Shifts a hash to the number of a slot. */
  let shift = 32 - Math.log2(slots);
  let table = new Int32Array(slots * WORDS);
  let size = 0;

  /** The slot at which the search for an entry begins. */
  const homeOf = (word0: number, word1: number): number =>
    (Math.imul(word0 ^ SEED_0, 0x9e37_79b1) ^ Math.imul(word1 ^ SEED_1, 0x85eb_ca6b)) >>> shift;

  /** The offset of the sought entry, or of the empty slot for it. */
  const find = (): number => {
    let at = homeOf(sought[0]!, sought[1]!) * WORDS;
    while (
      table[at + 3] !== 0 &&
      (table[at] !== sought[0] ||
        table[at + 1] !== sought[1] ||
        table[at + 2] !== sought[2] ||
        table[at + 3] !== sought[3])
    ) {
      at += WORDS;
      if (at === table.length) at = 0;
    }
    return at;
  };

  const grow = (): void => {
    const former = table;
    slots *= 2;
    shift -= 1;
    table = new Int32Array(slots * WORDS);
    for (let from = 0; from < former.length; from += WORDS) {
      if (former[from + 3] === 0) continue;
      sought.set(former.subarray(from, from + WORDS));
      table.set(sought, find());
    }
  };

  return {
    /** @returns false when it was there already. */
    add(digest: string): boolean {
      seek(digest);
      const at = find();
      if (table[at + 3] !== 0) return false;
      table.set(sought, at);
      size += 1;
      if (size > slots * FILLED_MAX) grow();
      return true;
    },
    delete(digest: string): void {
      seek(digest);
      let gap = find() / WORDS;
      if (table[gap * WORDS + 3] === 0) return;
      size -= 1;
      // Move up displaced entries that follow, because a search ends at an empty slot.
      const last = slots - 1;
      for (let next = (gap + 1) & last; table[next * WORDS + 3] !== 0; next = (next + 1) & last) {
        const home = homeOf(table[next * WORDS]!, table[next * WORDS + 1]!);
        if (((next - home) & last) < ((next - gap) & last)) continue;
        table.copyWithin(gap * WORDS, next * WORDS, (next + 1) * WORDS);
        gap = next;
      }
      table.fill(0, gap * WORDS, (gap + 1) * WORDS);
    },
    get size(): number {
      return size;
    },
  };
}

function seek(digest: string): void {
  for (let word = 0; word < WORDS; word++) {
    let bits = 0;
    for (let index = word * CHARACTERS; index < (word + 1) * CHARACTERS; index++) {
      bits = (bits << 6) | VALUES[digest.charCodeAt(index)]!;
    }
    sought[word] = bits;
  }
  sought[3]! |= 1;
}
